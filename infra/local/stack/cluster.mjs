// @ts-check
import { execFile } from "node:child_process";
import {
  chown,
  lchown,
  lstat,
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  rm,
  rmdir,
  stat,
  writeFile,
} from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { codeOf, StartError, wordsOf } from "./start-error.mjs";

export const databaseUser = "web_tester";
/** A data directory of another major version cannot be opened. */
export const majorVersion = "18";

/** Files that a finished cluster has at least. The last one belongs to the database that `initdb` creates last (its number is fixed). */
const vitalFiles = [
  "PG_VERSION",
  "global/pg_control",
  "postgresql.conf",
  "pg_hba.conf",
  "pg_wal",
  "base/1/PG_VERSION",
  "base/5/PG_VERSION",
];

/** `initdb` takes a few seconds, on a busy machine half a minute. */
const removalsMax = 600;
const betweenRemovalsMs = 50;

/**
 * @typedef {{ is: "whole" } | { is: "missing" } | { is: "broken", lacks: string }} ClusterState
 */

/**
 * Tells what is in a cluster's folder; changes nothing.
 * @param {string} dir
 * @returns {Promise<ClusterState>} `missing`: nothing, or an empty folder; `broken`: something, but no cluster that could be opened
 * @throws {StartError} it was made by another version of PostgreSQL, or cannot be read
 */
export async function clusterState(dir) {
  try {
    const names = await readdir(dir);
    if (names.length === 0) return { is: "missing" };
  } catch (error) {
    if (codeOf(error) === "ENOENT") return { is: "missing" };
    if (codeOf(error) === "ENOTDIR") return { is: "broken", lacks: "it is not a folder" };
    throw new StartError(
      `${dir} cannot be read (${wordsOf(error)}): give this user the right to, or choose another folder with DATA_DIR.`,
      {
        cause: error,
      },
    );
  }
  const version = (await readFile(join(dir, "PG_VERSION"), "utf8").catch(() => "")).trim();
  if (version !== "" && version !== majorVersion)
    throw new StartError(
      `${dir} was made by PostgreSQL ${version}, this is ${majorVersion}: export the data with the old version, or choose another folder with DATA_DIR.`,
    );
  for (const file of vitalFiles) {
    const found = await stat(join(dir, file)).catch(() => undefined);
    if (found === undefined || (found.isFile() && found.size === 0))
      return { is: "broken", lacks: `${file} is missing` };
  }
  return { is: "whole" };
}

/**
 * Renames an existing folder, so that a new one can take its place and nothing is lost.
 * @param {string} path
 * @returns {Promise<string>} where it is now
 * @throws {StartError}
 */
export async function setAside(path) {
  const aside = `${path}.set-aside-${new Date().toISOString().replaceAll(":", "-")}`;
  try {
    await rename(path, aside);
    return aside;
  } catch (error) {
    throw new StartError(
      `${path} is in the way and cannot be renamed (${wordsOf(error)}): move it away, or choose another folder with DATA_DIR.`,
      { cause: error },
    );
  }
}

/**
 * @typedef {object} Runner how the cluster's programs are run
 * @property {{ uid: number, gid: number } | undefined} owner who must own its files; undefined: ourselves
 * @property {(dir: string) => ReturnType<typeof import("./run-as.mjs").runBy>} by
 */

/**
 * Creates a cluster. It gets its name only when it is finished; until then it is a draft that the next start removes, because no data can
 * be in it yet.
 * @param {{ dir: string, password: string, initdb: string, runner: Runner, environment: Record<string, string> }} cluster
 * @throws {StartError}
 */
export async function makeCluster({ dir, password, initdb, runner, environment }) {
  const room = `${dir}.making-${process.pid}`;
  const draft = join(room, "cluster");
  const passwordFile = join(room, "password");
  try {
    for (const folder of [room, draft]) await mkdir(folder, { mode: 0o700 });
    await writeFile(passwordFile, `${password}\n`, { mode: 0o400 });
    for (const path of [room, draft, passwordFile]) await giveTo(runner.owner, path);
    const { folder, how } = runner.by(draft);
    const { command, args, options } = how(initdb, [
      `--pgdata=${folder}`,
      `--username=${databaseUser}`,
      // relative to the cluster, because the path from the root may be closed
      "--pwfile=../password",
      "--auth=scram-sha-256",
      "--encoding=UTF8",
      "--locale=C",
      "--locale-provider=builtin",
      "--builtin-locale=C.UTF-8",
      "--no-instructions",
    ]);
    await promisify(execFile)(command, args, { ...options, env: environment, timeout: 120_000 });
    await rmdir(dir).catch((error) => {
      if (codeOf(error) !== "ENOENT") throw error;
    });
    await rename(draft, dir);
    await syncFolder(dirname(dir));
    await markComplete(dir);
  } catch (error) {
    throw new StartError(`PostgreSQL could not make its data folder ${dir}: ${initdbWords(error)}`, { cause: error });
  } finally {
    await removeAll(room);
  }
}

/**
 * Removes the drafts of earlier starts that were killed. Call while holding the data directory's lock.
 * @param {string} dir the cluster's folder
 */
export async function removeDrafts(dir) {
  const parent = dirname(dir);
  for (const name of await readdir(parent))
    if (name.startsWith(`${basename(dir)}.making-`)) await removeAll(join(parent, name));
  await rm(`${dir}.password`, { force: true });
}

/**
 * Removes a folder with everything in it. The `initdb` of a start that was killed goes on writing there until it cannot, so the
 * folder may have new files when its turn comes.
 * @param {string} path
 */
async function removeAll(path) {
  for (let tries = 1; ; tries++) {
    try {
      return await rm(path, { recursive: true, force: true });
    } catch (error) {
      if (codeOf(error) !== "ENOTEMPTY" || tries === removalsMax) throw error;
      await sleep(betweenRemovalsMs);
    }
  }
}

/**
 * Gives an existing cluster to the user that PostgreSQL runs as: somebody may have copied it or restored a file of it as root.
 * @param {string} dir
 * @param {{ name: string, uid: number, gid: number }} user
 * @param {(line: string) => void} log
 */
export async function handOver(dir, user, log) {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true });
  const paths = [dir, ...entries.map((entry) => join(entry.parentPath, entry.name))];
  /** @type {string[]} */
  const foreign = [];
  for (const path of paths) if ((await lstat(path)).uid !== user.uid) foreign.push(path);
  if (foreign.length === 0) return;
  log(
    `${foreign.length} files of ${dir} belonged to another user: giving them to ${user.name}, as whom PostgreSQL runs`,
  );
  for (const path of foreign) await lchown(path, user.uid, user.gid);
}

/**
 * Marks a cluster as finished. Earlier versions of the product take a cluster without this mark for an unfinished one and remove it: the
 * mark keeps the data of users who go back to such a version.
 * @param {string} dir
 */
export async function markComplete(dir) {
  await writeFile(completeMark(dir), "");
}

/** @param {string} dir */
const completeMark = (dir) => `${dir}.complete`;

/** @param {{ uid: number, gid: number } | undefined} owner @param {string} path */
async function giveTo(owner, path) {
  if (owner !== undefined) await chown(path, owner.uid, owner.gid);
}

/** @param {string} path */
async function syncFolder(path) {
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

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
