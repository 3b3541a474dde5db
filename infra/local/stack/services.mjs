// @ts-check
import { execFile, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { promisify } from "node:util";
import { programOf } from "../bundled.mjs";
import { lastLineOf, withLogFile } from "./logs.mjs";
import { projectRoot } from "./settings.mjs";
import { StartError } from "./start-error.mjs";
import { until } from "./until.mjs";

/** How long a service may take to become ready: the slowest takes about 2 s on a free machine, and more than a minute at thirty times the load. */
const readyWithinMs = 300_000;
/** A service that dies this often before it was ever ready will not come up. */
const deathsBeforeReadyMax = 3;

/** @typedef {"gateway" | "crawler" | "fetcher" | "differ"} ServiceName */
/** @typedef {{ name: string, service: ServiceName, readyUrl: string, env: NodeJS.ProcessEnv, logFile: string }} ServicePlan */

/**
 * Node's flags for a service; the images (infra/docker/Dockerfile) use the same. The gateway streams whole exports and imports, and the crawler
 * and fetcher read pages by the thousand: with V8's defaults some 220 MB of garbage gather before a collection, with these flags 40 MB, for the same
 * CPU time (the fetcher held 100 to 150 MB more at 10,000 pages). The differ reads the bytes of one page after another, which V8 counts as external
 * memory: with the defaults it collects a heap of 15 MB after every 15 MB of pages, which takes as long as reading and decompressing them; here the
 * first collection waits for 48 MB (its worker threads, which compare and pack, have limits of their own: see `leaveHeapsToLimits`).
 * The young generation of all services is limited to semi-spaces of 8 MB, which saves up to 90 MB of memory.
 * The differ compiles on the thread that runs the code (docs/decisions/012-comparing-many-pairs.md).
 * @param {ServiceName} service
 */
export function nodeFlags(service) {
  const memory = ["--max-semi-space-size=8", "--heap-growing-percent=40"];
  const own = ["--initial-heap-size=48", ...memory, "--efficiency-mode", "--efficiency-mode-delay-turbofan=0"];
  return [...(service === "differ" ? own : memory), "--enable-source-maps"];
}

/**
 * Returns how to run one service process.
 * @param {ServicePlan} plan
 * @returns {import("./supervise.mjs").Program}
 */
export function serviceProgram({ name, service, env, logFile }) {
  const main = programOf(`services/${service}/dist/main.js`);
  if (!existsSync(main)) throw new StartError(`${main} is missing: run npm run build.`);
  return {
    name,
    logFile,
    // The IPC channel tells the service when we are gone: the `disconnect` event is its last chance to end cleanly.
    spawn: () =>
      withLogFile(logFile, (log) =>
        spawn(process.execPath, [...nodeFlags(service), main], {
          cwd: projectRoot,
          detached: true,
          env,
          stdio: ["ignore", log, log, "ipc"],
        }),
      ),
    stopSignal: "TERM",
    stopWithinMs: 5_000,
    hardSignal: "KILL",
  };
}

/**
 * Waits until a service reports that it is ready.
 * @param {ServicePlan} plan
 * @param {import("./supervise.mjs").Supervised} supervised
 * @param {AbortSignal} signal
 * @param {(line: string) => void} log gets a line now and then while that takes long
 * @throws {StartError} it keeps dying, or is not ready in time, with the reason it gave
 */
export async function serviceReady({ name, readyUrl, logFile }, supervised, signal, log) {
  let answer = "no answer";
  const ready = await until(
    async () => {
      if (supervised.deaths() >= deathsBeforeReadyMax) {
        throw new StartError(
          `${name} does not start (${supervised.lastEnd()}): ${lastLineOf(logFile) || "it says nothing"} (log: ${logFile})`,
        );
      }
      try {
        const response = await fetch(readyUrl, { signal: AbortSignal.any([signal, AbortSignal.timeout(5_000)]) });
        answer = (await response.text()).slice(0, 500).replace(/\s+/g, " ");
        return response.ok ? true : undefined;
      } catch {
        return undefined;
      }
    },
    {
      timeoutMs: readyWithinMs,
      everyMs: 50,
      signal,
      stillWaiting: (seconds) => log(`${name} is not ready after ${seconds} s (${answer}); waiting`),
    },
  );
  if (!ready) throw new StartError(`${name} is not ready after ${readyWithinMs / 1000} s: ${answer} (log: ${logFile})`);
}

/**
 * Brings the database to the current schema.
 * @param {string} databaseUrl
 * @param {NodeJS.ProcessEnv} env
 * @param {AbortSignal} signal
 * @returns {Promise<string>} what was done, in words
 */
export async function migrate(databaseUrl, env, signal) {
  const program = programOf("packages/records/dist/schema/migrate.js");
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [program], {
      cwd: projectRoot,
      env: { ...env, DATABASE_URL: databaseUrl },
      signal,
      timeout: 600_000,
    });
    return stdout.trim();
  } catch (error) {
    if (signal.aborted) throw error;
    const said =
      typeof error === "object" && error !== null && "stderr" in error
        ? String(error.stderr).trim().split("\n").at(-1)
        : "";
    throw new StartError(`The database could not be brought up to date: ${said || String(error)}`, { cause: error });
  }
}
