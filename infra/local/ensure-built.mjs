// @ts-check
import { execFile } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { bundled, isBundled } from "./bundled.mjs";
import { forgetCompiledCode } from "./compiled-code.mjs";
import { removeLeftovers } from "./leftovers.mjs";
import { dateMovedSources } from "./moved-sources.mjs";
import { cache, hashOf, makeCache, root, writeWhole } from "./bootstrap/project.mjs";
import { takeLock } from "./stack/file-lock.mjs";
import { StartError, wordsOf } from "./stack/start-error.mjs";

/**
 * @typedef {object} Target
 * @property {string} name
 * @property {string} what as shown
 * @property {string[]} sources
 * @property {string[]} outputs must exist
 * @property {() => boolean} [isWhole] whether what is made from the outputs is up to date
 * @property {() => Promise<unknown>} build
 */

/** Stages of the build, one after the other: the later ones need the compiler's output. The targets of a stage run in parallel. @type {Target[][]} */
const targets = [
  [
    {
      name: "server",
      what: "services",
      sources: ["package-lock.json", "tsconfig.base.json", "tsconfig.json", "packages", "services"],
      outputs: bundled,
      build: async () => {
        dateMovedSources();
        await runBin("@typescript/native", "tsc", ["-b"], root);
        removeLeftovers();
      },
    },
  ],
  [
    {
      name: "programs",
      what: "programs",
      sources: ["package-lock.json", "infra/local/bundle.mjs", "infra/local/bundled.mjs"],
      outputs: [],
      isWhole: () => bundled.every((program) => isBundled(program)),
      build: () => runScript("bundle", join(root, "infra/local/bundle.mjs"), [], root),
    },
    {
      name: "web",
      what: "web application",
      sources: ["package-lock.json", "tsconfig.base.json", "web", "packages/contracts"],
      outputs: ["web/dist/index.html"],
      build: () => runBin("vite", "vite", ["build", "--logLevel", "warn"], join(root, "web")),
    },
  ],
];

/**
 * Builds what has changed since the last build; concurrent calls wait for one another.
 * @param {(line: string) => void} say
 * @throws {StartError} with what the compiler says
 */
export async function ensureBuilt(say) {
  if (stale().length === 0) return;
  const unlock = await takeTurn(say).catch((error) => {
    throw notWritable(error);
  });
  try {
    for (const line of targets) {
      const built = await Promise.allSettled(stale(line).map((each) => build(each, say)));
      const failed = built.find(({ status }) => status === "rejected");
      if (failed?.status === "rejected") throw failed.reason;
    }
  } finally {
    await unlock();
  }
}

/** @param {{ target: Target, hash: string }} stale @param {(line: string) => void} say */
async function build({ target, hash }, say) {
  const startedAt = performance.now();
  say(`Building the ${target.what} …`);
  // a build that fails or is aborted leaves outputs that match no stamp
  rmSync(stampFile(target), { force: true });
  await target.build();
  writeWhole(stampFile(target), hash);
  forgetCompiledCode();
  say(`Built the ${target.what} (${((performance.now() - startedAt) / 1000).toFixed(1)} s)`);
}

function stale(among = targets.flat()) {
  return among
    .map((target) => ({ target, hash: hashOf(target.sources, (path) => !/\.test\.tsx?$/.test(path)) }))
    .filter(
      ({ target, hash }) =>
        !target.outputs.every((path) => existsSync(join(root, path))) ||
        !isStamped(target, hash) ||
        target.isWhole?.() === false,
    );
}

/** @param {Target} target */
const stampFile = (target) => join(cache, `built-${target.name}`);

/** @param {Target} target @param {string} hash */
function isStamped(target, hash) {
  return existsSync(stampFile(target)) && readFileSync(stampFile(target), "utf8") === hash;
}

/** @param {unknown} error */
function notWritable(error) {
  const what = stale()
    .map(({ target }) => target.what)
    .join(" and ");
  return new StartError(
    `The ${what} must be built, and the checkout ${root} cannot be written (${wordsOf(error)}): run npm run build there once as a user who may write it, then start again.`,
    { cause: error },
  );
}

/** @param {(line: string) => void} say */
async function takeTurn(say) {
  makeCache();
  for (let told = false; ; told = true) {
    const taken = await takeLock(join(cache, "build.lock"));
    if ("unlock" in taken) return taken.unlock;
    if (!told) say(`Waiting for another start (process ${taken.holder}) that is building …`);
    await sleep(200);
  }
}

/** @param {string} name @param {string} bin @param {string[]} args @param {string} cwd */
async function runBin(name, bin, args, cwd) {
  const folder = packageFolder(name, cwd);
  const { bin: bins } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  await runScript(bin, join(folder, typeof bins === "string" ? bins : bins[bin]), args, cwd);
}

/** @param {string} name @param {string} script @param {string[]} args @param {string} cwd */
async function runScript(name, script, args, cwd) {
  try {
    await promisify(execFile)(process.execPath, [script, ...args], { cwd, maxBuffer: 64 * 1024 * 1024 });
  } catch (error) {
    const output =
      typeof error === "object" && error !== null && "stdout" in error && "stderr" in error
        ? `${error.stdout}${error.stderr}`.trim()
        : String(error);
    throw new StartError(`${output}\n\nThe build failed (${name}): correct what is named above and try again.`, {
      cause: error,
    });
  }
}

/** Finds where npm has put a package: beside its only user or at the root. */
/** @param {string} name @param {string} from */
function packageFolder(name, from) {
  for (const path of createRequire(join(from, "package.json")).resolve.paths(name) ?? []) {
    if (existsSync(join(path, name, "package.json"))) return join(path, name);
  }
  throw new StartError(`The package ${name} is missing: run npm install.`);
}
