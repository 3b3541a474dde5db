// @ts-check
/**
 * Commands `npm run backup -- FOLDER` and `npm run restore -- FOLDER [--incomplete | --last-whole]`: back up the product of this machine,
 * whether it runs or not, or restore into an empty one. Settings as for `npm start` (DATA_DIR, DATABASE_URL, STORAGE_URL …).
 */
import { spawn } from "node:child_process";
import { join, resolve } from "node:path";
import { onParentGone } from "./bootstrap/node24.mjs";
import { programOf } from "./bundled.mjs";
import { ensureBuilt } from "./ensure-built.mjs";
import { startStack } from "./stack.mjs";
import { checkedSettings } from "./stack/checked-settings.mjs";
import { clusterState } from "./stack/cluster.mjs";
import { readSecrets } from "./stack/secrets.mjs";
import { StartError } from "./stack/start-error.mjs";
import { runningState } from "./stack/state-file.mjs";

const [command = "", ...given] = process.argv.slice(2);
const choices = given.filter((word) => word.startsWith("-"));
const abort = new AbortController();
for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"])) process.on(signal, () => abort.abort());
process.on("disconnect", () => abort.abort());
onParentGone(() => abort.abort());

try {
  const folder = namedFolder();
  await ensureBuilt((line) => process.stderr.write(`${line}\n`));
  process.exitCode = await run(resolve(process.env["INIT_CWD"] ?? process.cwd(), folder));
} catch (error) {
  if (!(error instanceof StartError) && !abort.signal.aborted) throw error;
  process.stderr.write(`${error instanceof StartError ? error.message : "Stopped."}\n`);
  process.exitCode = 1;
}

/** Returns the one folder that is named; an option that is none, such as `--help`, must not become the name of a folder. @returns {string} */
function namedFolder() {
  const known = command === "restore" ? ["--incomplete", "--last-whole"] : [];
  const [folder = "", ...more] = given.filter((word) => !choices.includes(word));
  if (folder !== "" && more.length === 0 && choices.every((word) => known.includes(word))) return folder;
  const optional = known.length === 0 ? "" : ` [${known.join(" | ")}]`;
  throw new StartError(`Name a folder: npm run ${command} -- FOLDER${optional}`);
}

/** @param {string} path @returns {Promise<number>} the exit code */
async function run(path) {
  const { settings } = await checkedSettings(process.env);
  const running = command === "backup" ? runningState(join(settings.dataDir, "run", "stack.json")) : undefined;
  if (command === "backup" && running === undefined && settings.databaseUrl === undefined)
    await requireProduct(settings.dataDir);
  // restoring locks the data directory, and so reports when the product is running
  const stack = running ?? (await startStack(process.env, { services: false, signal: abort.signal }));
  try {
    const kept = await readSecrets(join(settings.dataDir, "secrets.json"));
    const secretKey = settings.secretKey ?? (typeof kept === "object" ? kept.secretKey : undefined);
    return await copy(path, {
      ...process.env,
      DATABASE_URL: stack.databaseUrl,
      STORAGE_URL: stack.storageUrl,
      SECRET_KEY: secretKey,
    });
  } finally {
    if ("stop" in stack) await stack.stop();
  }
}

/**
 * Requires that a data directory has a database: of one that is named by mistake, a new and empty product would be made and backed up.
 * @param {string} dataDir
 */
async function requireProduct(dataDir) {
  const database = join(dataDir, "postgres");
  if ((await clusterState(database)).is !== "missing") return;
  throw new StartError(
    `There is nothing to back up: ${database} does not exist or is empty. Set DATA_DIR to the folder of the product, as for npm start.`,
  );
}

/** @param {string} path @param {NodeJS.ProcessEnv} env @returns {Promise<number>} */
function copy(path, env) {
  const program = programOf("services/backup/dist/main.js");
  const child = spawn(process.execPath, [program, command, path, ...choices], {
    env,
    stdio: ["ignore", "inherit", "inherit"],
  });
  abort.signal.addEventListener("abort", () => child.kill("SIGTERM"));
  return new Promise((done, failed) => {
    child.once("error", failed);
    child.once("exit", (code) => done(code ?? 1));
  });
}
