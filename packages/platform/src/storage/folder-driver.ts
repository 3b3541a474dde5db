import { constants } from "node:fs";
import { access, type FileHandle, mkdir, open, readdir, rename, stat, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { AppError } from "@web-tester/contracts/errors";
import type { ObjectDriver, StoredFile } from "./object-driver.js";
import type { FolderLocation } from "./storage-url.js";

/** Half-written files live here until they are renamed; never part of a list. */
const draftFolder = "drafts";

/**
 * A place for bytes in a folder. A file is written under a draft name and renamed into place, so a crash leaves a draft that nobody reads
 * instead of a part of an object. Drafts older than an hour are removed on the first check.
 */
export function createFolderDriver({ path: root, fsync }: FolderLocation): ObjectDriver {
  const drafts = join(root, draftFolder);
  const place = (key: string) => join(root, key);
  let draftNumber = 0;

  return {
    async put(key, bytes) {
      const draft = join(drafts, `${process.pid}-${process.hrtime.bigint().toString(36)}-${draftNumber++}`);
      try {
        await writeDraft(draft, bytes, fsync);
        await rename(draft, place(key)).catch(async (error: unknown) => {
          if (codeOf(error) !== "ENOENT") throw error;
          await mkdir(dirname(place(key)), { recursive: true });
          await rename(draft, place(key));
        });
        if (fsync) await syncFolder(dirname(place(key)));
      } catch (error) {
        await unlink(draft).catch(() => undefined);
        throw unusable(root, error);
      }
    },
    async get(key, maxBytes) {
      let file: FileHandle | undefined;
      try {
        file = await open(place(key), "r");
        const { size } = await file.stat();
        if (size > maxBytes) throw new AppError("content_damaged", `A stored object has ${size} bytes where ${maxBytes} are allowed.`);
        return await file.readFile();
      } catch (error) {
        if (codeOf(error) === "ENOENT") return null;
        throw unusable(root, error);
      } finally {
        await file?.close();
      }
    },
    async has(key) {
      try {
        await stat(place(key));
        return true;
      } catch (error) {
        if (codeOf(error) === "ENOENT") return false;
        throw unusable(root, error);
      }
    },
    async delete(key) {
      try {
        await unlink(place(key));
      } catch (error) {
        if (codeOf(error) !== "ENOENT") throw unusable(root, error);
      }
    },
    async *list() {
      for (const folder of await namesIn(root)) {
        if (!/^[0-9a-f]{2}$/.test(folder)) continue;
        for (const name of await namesIn(join(root, folder))) {
          const file = await describe(root, `${folder}/${name}`);
          if (file !== null) yield file;
        }
      }
    },
    async check() {
      try {
        await mkdir(drafts, { recursive: true });
        await access(drafts, constants.R_OK | constants.W_OK | constants.X_OK);
      } catch (error) {
        throw unusable(root, error);
      }
    },
    close: () => undefined,
  };

  async function writeDraft(draft: string, bytes: Buffer, sync: boolean): Promise<void> {
    const file = await open(draft, "wx", 0o600).catch(async (error: unknown) => {
      if (codeOf(error) !== "ENOENT") throw error;
      await mkdir(drafts, { recursive: true });
      return open(draft, "wx", 0o600);
    });
    try {
      await file.writeFile(bytes);
      if (sync) await file.sync();
    } finally {
      await file.close();
    }
  }
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r");
  await folder.sync().finally(() => folder.close());
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return [];
    throw unusable(folder, error);
  }
}

/** Null when it was deleted since its folder was read. */
async function describe(root: string, key: string): Promise<StoredFile | null> {
  try {
    const { size, mtime } = await stat(join(root, key));
    return { key, size, modifiedAt: mtime };
  } catch (error) {
    if (codeOf(error) === "ENOENT") return null;
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

function unusable(folder: string, error: unknown): AppError {
  if (error instanceof AppError) return error;
  const code = codeOf(error) ?? "unknown error";
  return new AppError("unavailable", `The object store in ${folder} cannot be used: ${remedies[code] ?? `the system says ${code}`}.`, { cause: error });
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}
