// @ts-check
import { constants } from "node:fs";
import { access, mkdir, stat, statfs, unlink, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { takeLock } from "./file-lock.mjs";
import { codeOf, StartError, wordsOf } from "./start-error.mjs";

const megabyte = 1024 * 1024;
/** An empty database and NATS take 50 MB; with less free space than this a first crawl would fail half-way. */
const leastFreeForNew = 200 * megabyte;
/**
 * Existing data can be used with less free space, and only in a running product can users delete something to make room. PostgreSQL begins
 * by writing a few files of its own.
 */
const leastFree = 2 * megabyte;

/**
 * @typedef {object} DataDir
 * @property {string} path absolute
 * @property {string} run folder for what concerns only the running stack: lock, `stack.json`, generated configuration
 * @property {string} logs one file per part
 * @property {() => Promise<void>} unlock
 */

/**
 * Creates the data directory if it is missing and locks it.
 * @param {string} path
 * @param {(line: string) => void} log
 * @returns {Promise<DataDir>}
 * @throws {StartError} not writable, disk full, or in use by another start
 */
export async function openDataDir(path, log) {
  const root = resolve(path);
  const dir = { path: root, run: join(root, "run"), logs: join(root, "logs") };
  try {
    // Other users may pass through it (Postgres runs as another user if we are root), but not list it.
    await makeFolders(root, 0o711);
    await access(root, constants.W_OK | constants.X_OK);
    await makeFolders(dir.run, 0o700);
    await makeFolders(dir.logs, 0o700);
    await assertOurs(root, join(dir.run, `.probe-${process.pid}`));
  } catch (error) {
    if (error instanceof StartError) throw error;
    throw new StartError(await refusal(root, error), { cause: error });
  }
  await assertRoom(root, log);
  return { ...dir, unlock: await lock(root, join(dir.run, "lock")) };
}

/** @param {string} root @param {(line: string) => void} log */
async function assertRoom(root, log) {
  const disk = await statfs(root);
  const freeBytes = disk.bavail * disk.bsize;
  if (freeBytes >= leastFreeForNew) return;
  const hasData = (await stat(join(root, "secrets.json")).catch(() => undefined)) !== undefined;
  const free = `Only ${Math.floor(freeBytes / megabyte)} MB are free for the data directory ${root}`;
  if (!hasData || freeBytes < leastFree) {
    const wanted = (hasData ? leastFree : leastFreeForNew) / megabyte;
    throw new StartError(`${free}: free at least ${wanted} MB, or choose another disk with DATA_DIR.`);
  }
  log(`WARNING: ${free}: what is there can be used, but little can be added. Free some space.`);
}

/** Not `recursive: true`: below /proc that retries endlessly (nodejs/node: ENOENT from mkdir is taken for a missing parent). */
/** @param {string} path @param {number} mode */
async function makeFolders(path, mode) {
  const found = await stat(path).catch(() => undefined);
  if (found?.isDirectory()) return;
  if (dirname(path) !== path) await makeFolders(dirname(path), mode);
  await mkdir(path, { mode });
}

/**
 * Checks that the data belong to the user that we write as. Root may write anywhere, but files that it writes into the data of another user
 * lock that user out. The user is read from a new file, because some file systems give every file to one and the same user.
 * @param {string} root
 * @param {string} probe path of a file to make and remove
 */
async function assertOurs(root, probe) {
  await writeFile(probe, "");
  const mine = await stat(probe);
  await unlink(probe);
  const theirs = await stat(join(root, "secrets.json")).catch(() => undefined);
  if (theirs === undefined || theirs.uid === mine.uid) return;
  throw new StartError(
    `The data in ${root} belong to another user (uid ${theirs.uid}, this is ${mine.uid}): start as that user, choose another folder with DATA_DIR, or make them yours (chown -R ${mine.uid} ${root}).`,
  );
}

/** @param {string} root @param {unknown} error */
async function refusal(root, error) {
  const uid = process.getuid?.();
  const owner = await stat(root).catch(() => undefined);
  switch (codeOf(error)) {
    case "EACCES":
    case "EPERM":
      if (owner !== undefined && owner.uid !== uid)
        return `The data directory ${root} belongs to another user (uid ${owner.uid}, this is ${uid}) and cannot be written: start as that user, or choose another folder with DATA_DIR.`;
      return `The data directory ${root} cannot be written: give this user the right to write there, or choose another folder with DATA_DIR.`;
    case "EROFS":
      return `The data directory ${root} cannot be written: give this user the right to write there, or choose another folder with DATA_DIR.`;
    case "ENOSPC":
    case "EDQUOT":
      return `No space is left for the data directory ${root}: free some, or choose another disk with DATA_DIR.`;
    case "EEXIST":
    case "ENOTDIR":
      return `The data directory ${root} is not a folder: remove the file of that name, or choose another folder with DATA_DIR.`;
    default:
      return `The data directory ${root} cannot be used (${wordsOf(error)}): choose another folder with DATA_DIR.`;
  }
}

/** @param {string} root @param {string} path */
async function lock(root, path) {
  const taken = await takeLock(path);
  if ("unlock" in taken) return taken.unlock;
  throw new StartError(
    `The data directory ${root} is in use by another start (process ${taken.holder}), or was copied while it was: stop that one, or choose another folder with DATA_DIR.`,
  );
}
