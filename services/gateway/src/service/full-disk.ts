import { statfsSync } from "node:fs";

const megabyte = 1024 * 1024;
/** PostgreSQL extends its log by 16 MB at a time: with less than this it may stop at any moment. */
const leastFree = 16 * megabyte;

/** How much is free for whoever is not root, in bytes. */
type FreeBytes = (folder: string) => number;

const freeBytesOf: FreeBytes = (folder) => {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
};

/**
 * Says in a sentence that the disk of the data directory of `npm start` is full, and what to do: null while there is room. The parts that
 * are on that disk fail each in its own way, and most say only that they do not answer: PostgreSQL stops, NATS acknowledges nothing.
 * Anybody may read this, so it says nothing about where the directory is.
 * @param folder null: the parts are on other machines, whose disks this process does not see
 */
export function createFullDisk(folder: string | null, freeBytes: FreeBytes = freeBytesOf): () => string | null {
  return () => {
    if (folder === null) return null;
    let free: number;
    try {
      free = freeBytes(folder);
    } catch {
      return null;
    }
    if (free >= leastFree) return null;
    return `The disk of the data directory (DATA_DIR) is full (${Math.floor(free / megabyte)} MB free): free some space; what waits for it then goes on by itself.`;
  };
}
