import { randomBytes, randomInt } from "node:crypto";
import fs, { constants } from "node:fs";
import { access, mkdir, open, readdir, rm, stat, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { AppError } from "@web-tester/contracts/errors";
import { markerKey } from "./bucket-presence.js";
import { createFolderOwner } from "./folder-owner.js";
import { errorCode, type ObjectDriver, type StoredFile } from "./object-driver.js";
import type { FolderLocation } from "./storage-url.js";

/** Folder of half-written files, which are renamed into place when complete; never part of a listing. */
const draftFolder = "drafts";
/** No write takes this long: older drafts were left by a crash. */
const draftMaxAgeMs = 3_600_000;

/**
 * Files up to this size are read and written synchronously: the system's page cache is faster than handing the work to another thread (a
 * page of 4 KB: 8 µs instead of 80 per read, 80 instead of 150 per write). Writes with fsync never are.
 */
const atOnceMaxBytes = 256 * 1024;

// The callback forms take less CPU time than those of fs/promises.
const writeFile = promisify(fs.writeFile);
const rename = promisify(fs.rename);
const readFile = promisify(fs.readFile);

/**
 * A place for bytes in a folder. A file is written under a draft name and renamed into place, so a crash leaves a draft that nobody reads
 * instead of a part of an object. The first check removes drafts older than an hour.
 *
 * The folder is created if it is missing. After `mayBeAway` that holds only until the folder has been used or is known to hold contents: from then
 * on an empty folder means that its disk is not mounted, so nothing is written there and nothing counts as lost. After `belongsTo` the folder of
 * another installation counts as absent too.
 */
export function createFolderDriver({ path: root, fsync }: FolderLocation): ObjectDriver {
  const drafts = join(root, draftFolder);
  // plain concatenation: `path.join` would normalise a path that is already clean, character by character
  const place = (key: string) => `${root}/${key}`;
  // Other processes, even on other machines, write drafts into the same folder.
  const draftPrefix = randomBytes(9).toString("base64url");
  let draftNumber = 0;
  let swept = false;
  let canBeAway = false;
  let mustBeThere = false;

  const owner = createFolderOwner({
    readMark: () => readFile(place(markerKey)).catch((error: unknown) => whereMissing(root, error, null)),
    async writeMark(mark) {
      await requireStore(root, mustBeThere);
      await writeObject({ drafts, draft: newDraft(), place: place(markerKey), bytes: mark, fsync, requireThere });
    },
    place: root,
  });
  const requireThere = async () => {
    await owner.requireOurs();
    await requireStore(root, mustBeThere);
  };
  const newDraft = () => join(drafts, `${draftPrefix}-${draftNumber++}`);

  const ifThere = <T, U>(work: Promise<T>, missing: U): Promise<T | U> =>
    work.catch(async (error: unknown) => {
      if (errorCode(error) !== "ENOENT") throw unusable(root, error);
      await requireThere();
      return missing;
    });

  return {
    async put(key, bytes) {
      const draft = newDraft();
      try {
        await owner.mark();
        await writeObject({ drafts, draft, place: place(key), bytes, fsync, requireThere });
        mustBeThere ||= canBeAway;
      } catch (error) {
        await unlink(draft).catch(() => undefined);
        throw unusable(root, error);
      }
    },
    async get(key, maxBytes) {
      try {
        return await readObject(place(key), maxBytes);
      } catch (error) {
        if (errorCode(error) === "ENOENT") {
          await requireThere();
          return null;
        }
        if ((await isOfOneFile(error, drafts, newDraft(), requireThere)) && (await othersRead(root, key, error)))
          throw unreadable(error);
        throw unusable(root, error);
      }
    },
    has: (key) =>
      ifThere(
        stat(place(key)).then(() => true),
        false,
      ),
    async delete(key) {
      await owner.requireOurs();
      await ifThere(unlink(place(key)), undefined);
    },
    async *list() {
      await requireThere();
      yield* listObjects(root);
    },
    mayBeAway(hasContents) {
      canBeAway = true;
      mustBeThere ||= hasContents;
    },
    belongsTo: (installation) => owner.belongsTo(installation),
    async check() {
      await requireThere();
      try {
        await mkdir(drafts, { recursive: true });
        await owner.mark();
        await access(drafts, constants.R_OK | constants.W_OK | constants.X_OK);
        if (!swept) await sweepDrafts(drafts);
        swept = true;
        mustBeThere ||= canBeAway;
      } catch (error) {
        throw unusable(root, error);
      }
    },
    close: () => undefined,
  };
}

interface Writing {
  drafts: string;
  draft: string;
  place: string;
  bytes: Uint8Array;
  fsync: boolean;
  requireThere: () => Promise<void>;
}

/** Writes the draft and renames it into place. */
async function writeObject({ drafts, draft, place, bytes, fsync, requireThere }: Writing): Promise<void> {
  const folder = dirname(place);
  if (!fsync && bytes.length <= atOnceMaxBytes) {
    await inFolder(drafts, () => fs.writeFileSync(draft, bytes, { flag: "wx", mode: 0o600 }), requireThere);
    await inFolder(folder, () => fs.renameSync(draft, place), requireThere);
    return;
  }
  const written = () => writeFile(draft, bytes, { flag: "wx", mode: 0o600, flush: fsync });
  await inFolder(drafts, written, requireThere);
  await inFolder(folder, () => rename(draft, place), requireThere);
  if (fsync) await syncFolder(folder);
}

/**
 * Asked only when something was not found.
 * @throws AppError unavailable where the folder holds nothing of a store, though it must
 */
async function requireStore(root: string, mustBeThere: boolean): Promise<void> {
  if (!mustBeThere) return;
  const names = await namesIn(root);
  if (names.some((name) => name === draftFolder || isObjectFolder(name))) return;
  throw new AppError(
    "unavailable",
    `The object store is not there: ${root} is empty, and what was kept in it is missing. Mount its disk, or restore the store; if it is lost for good, make the folder ${join(root, draftFolder)}, and pages are stored anew as they are fetched.`,
  );
}

const isObjectFolder = (name: string) => /^[0-9a-f]{2}$/.test(name);

/** @throws AppError content_damaged where it is larger than it may be */
async function readObject(place: string, maxBytes: number): Promise<Buffer> {
  const file = fs.openSync(place, "r");
  try {
    const short = readShort(file);
    if (short !== null && short.length <= maxBytes) return short;
    const { size } = fs.fstatSync(file);
    if (size > maxBytes)
      throw new AppError("content_damaged", `A stored object has ${size} bytes where ${maxBytes} are allowed.`);
    return size <= atOnceMaxBytes ? readAtOnce(file, size) : await readFile(file);
  } finally {
    fs.closeSync(file);
  }
}

async function* listObjects(root: string): AsyncGenerator<StoredFile> {
  for (const folder of await namesIn(root)) {
    if (!isObjectFolder(folder)) continue;
    for (const name of await namesIn(join(root, folder))) {
      const file = await describe(root, `${folder}/${name}`);
      if (file !== null) yield file;
    }
  }
}

/** Runs a write into a folder, making the folder first when it is not there and the store is. */
async function inFolder(
  folder: string,
  write: () => Promise<void> | void,
  requireThere: () => Promise<void>,
): Promise<void> {
  try {
    await write();
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error;
    await requireThere();
    await mkdir(folder, { recursive: true });
    await write();
  }
}

/** Short files share one buffer: most stored pages are shorter than the overhead of a buffer of their own. */
const sharedBytes = 64 * 1024;
const shortMaxBytes = 16 * 1024;
let shared = Buffer.allocUnsafeSlow(sharedBytes);
let sharedUsed = 0;

/** Reads a whole file without asking for its length; null when it is not short. Reads at position 0, so a later read still starts at the beginning. */
function readShort(file: number): Buffer | null {
  if (sharedUsed + shortMaxBytes >= sharedBytes) {
    shared = Buffer.allocUnsafeSlow(sharedBytes);
    sharedUsed = 0;
  }
  const length = fs.readSync(file, shared, sharedUsed, shortMaxBytes + 1, 0);
  if (length > shortMaxBytes) return null;
  const bytes = shared.subarray(sharedUsed, sharedUsed + length);
  sharedUsed += length;
  return bytes;
}

/** Reads a file of known size; files are never modified in place, so the size stays true. */
function readAtOnce(file: number, size: number): Buffer {
  const bytes = Buffer.allocUnsafe(size);
  let length = 0;
  for (let read = -1; length < size && read !== 0; length += read)
    read = fs.readSync(file, bytes, length, size - length, null);
  return bytes.subarray(0, length);
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

async function sweepDrafts(drafts: string): Promise<void> {
  for (const name of await readdir(drafts)) {
    const draft = await describe(drafts, name);
    if (draft !== null && Date.now() - draft.modifiedAt.getTime() > draftMaxAgeMs)
      await rm(join(drafts, name), { force: true });
  }
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return [];
    throw unusable(folder, error);
  }
}

/** Returns what stands for a missing file. @throws AppError unavailable for every other fault */
function whereMissing<Missing>(root: string, error: unknown, missing: Missing): Missing {
  if (errorCode(error) === "ENOENT") return missing;
  throw unusable(root, error);
}

/** Returns null when the file was deleted since its folder was read. */
async function describe(root: string, key: string): Promise<StoredFile | null> {
  try {
    const { size, mtime } = await stat(join(root, key));
    return { key, size, modifiedAt: mtime };
  } catch (error) {
    if (errorCode(error) === "ENOENT") return null;
    throw unusable(root, error);
  }
}

const remedies: Record<string, string> = {
  ENOSPC: "the disk is full: free some space",
  EDQUOT: "the disk quota is used up: free some space",
  EACCES: "access is denied: give this user the right to read and write it",
  EPERM: "access is denied: give this user the right to read and write it",
  EROFS: "the file system is read-only: choose another folder in STORAGE_URL",
  ENOTDIR: "part of the path is a file: choose another folder in STORAGE_URL",
  EEXIST: "part of the path is a file: choose another folder in STORAGE_URL",
  EMFILE: "too many files are open: raise the limit (ulimit -n)",
  ENFILE: "too many files are open: raise the limit of the system",
  EIO: "the disk reports an error: check it",
};

/** Error codes that may mean a fault of one file while the disk is well: a bad block, a wrong owner, something else in its place. */
const fileFaults = new Set(["EIO", "EACCES", "EPERM", "EISDIR", "ELOOP", "ENOTDIR"]);

/** Whether the fault is that of the file alone, so that no waiting helps: the folder takes a draft all the same, and the disk keeps it. */
async function isOfOneFile(
  error: unknown,
  drafts: string,
  draft: string,
  requireThere: () => Promise<void>,
): Promise<boolean> {
  if (!fileFaults.has(errorCode(error) ?? "")) return false;
  try {
    await inFolder(drafts, () => writeFile(draft, "", { flag: "wx", mode: 0o600, flush: true }), requireThere);
    return true;
  } catch {
    return false;
  } finally {
    await unlink(draft).catch(() => undefined);
  }
}

/** So many other objects are tried before a disk that takes writes is said to give nothing back. */
const othersTried = 5;

/** Whether a disk that says EIO for one object gives another one; in any case where the fault is no EIO, or there is no other. */
async function othersRead(root: string, key: string, error: unknown): Promise<boolean> {
  if (errorCode(error) !== "EIO") return true;
  let tried = 0;
  for (const folder of inAnyOrder((await namesIn(root)).filter(isObjectFolder))) {
    const name = inAnyOrder(await namesIn(join(root, folder))).find((each) => `${folder}/${each}` !== key);
    if (name === undefined) continue;
    if (tried === othersTried) return false;
    tried++;
    if (await gives(join(root, folder, name))) return true;
  }
  return tried === 0;
}

async function gives(place: string): Promise<boolean> {
  try {
    await readObject(place, Infinity);
    return true;
  } catch {
    return false;
  }
}

/** What was read lately comes from the system's memory, whatever the disk says: the same few would be. */
function inAnyOrder(names: readonly string[]): string[] {
  const start = randomInt(Math.max(1, names.length));
  return [...names.slice(start), ...names.slice(0, start)];
}

function unreadable(error: unknown): AppError {
  const code = errorCode(error) ?? "unknown error";
  return new AppError("content_damaged", `A stored object cannot be read: the system says ${code}.`, { cause: error });
}

function unusable(folder: string, error: unknown): AppError {
  if (error instanceof AppError) return error;
  const code = errorCode(error) ?? "unknown error";
  return new AppError(
    "unavailable",
    `The object store in ${folder} cannot be used: ${remedies[code] ?? `the system says ${code}`}.`,
    { cause: error },
  );
}
