// @ts-check
import { createHash } from "node:crypto";
import { chmod, cp, lstat, mkdtemp, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { takeLock } from "./file-lock.mjs";
import { StartError, wordsOf } from "./start-error.mjs";

const draftPrefix = "making-";

/**
 * Returns a copy of a folder of programs that every user may read and run; it is made once and found again by the names and sizes of its
 * files. It appears whole or not at all, even if several starts make it at once; an incomplete one (after a power failure) is replaced.
 * @param {string} source
 * @param {string} place folder of ours, which others may enter and only we may write
 * @param {string} name with which the copy's name begins
 * @returns {Promise<string>} path of the copy
 * @throws {StartError}
 */
export async function copyPrograms(source, place, name) {
  const files = await filesBelow(source);
  const hash = createHash("sha256").update(JSON.stringify(files)).digest("hex").slice(0, 16);
  const copy = join(place, `${name}-${hash}`);
  if (await isWhole(copy, files)) return copy;
  /** @type {(() => Promise<void>) | undefined} */
  let unlock;
  try {
    unlock = await takeTurn(join(place, "lock"));
    if (await isWhole(copy, files)) return copy;
    for (const left of await readdir(place))
      if (left.startsWith(draftPrefix)) await rm(join(place, left), { recursive: true, force: true });
    const draft = await mkdtemp(join(place, draftPrefix));
    await cp(source, draft, { recursive: true, verbatimSymlinks: true });
    await openToAll(draft);
    await rm(copy, { recursive: true, force: true });
    await rename(draft, copy);
    return copy;
  } catch (error) {
    throw new StartError(
      `PostgreSQL does not run as root, and its programs could not be copied to ${place} for the user it runs as (${wordsOf(error)}): free some space there, start as an ordinary user, or set DATABASE_URL.`,
      { cause: error },
    );
  } finally {
    await unlock?.();
  }
}

/** @param {string} copy @param {{ path: string, size: number }[]} files */
async function isWhole(copy, files) {
  const found = await filesBelow(copy).catch(() => []);
  return JSON.stringify(found) === JSON.stringify(files);
}

/** @param {string} path */
async function takeTurn(path) {
  for (;;) {
    const taken = await takeLock(path);
    if ("unlock" in taken) return taken.unlock;
    await sleep(100);
  }
}

/** Returns the files below a folder with their sizes (symbolic links: 0), sorted by path. */
/** @param {string} folder @returns {Promise<{ path: string, size: number }[]>} */
async function filesBelow(folder) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => !entry.isDirectory())
    .map(async (entry) => {
      const path = join(entry.parentPath, entry.name);
      return { path: path.slice(folder.length), size: entry.isFile() ? (await lstat(path)).size : 0 };
    });
  return (await Promise.all(files)).toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

/** Makes all files readable and all programs executable for every user, whatever our umask was. */
/** @param {string} folder */
async function openToAll(folder) {
  await chmod(folder, 0o755);
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isSymbolicLink()) continue;
    const path = join(entry.parentPath, entry.name);
    const isProgram = entry.isDirectory() || ((await lstat(path)).mode & 0o100) !== 0;
    await chmod(path, isProgram ? 0o755 : 0o644);
  }
}
