// @ts-check
import { createHash } from "node:crypto";
import { readdir, readFile, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { zstdDecompressSync } from "node:zlib";

/**
 * The amounts stored at one moment. `database`: bytes of its files after a checkpoint; `tables`: bytes of the tables
 * alone, with indexes and out-of-line values.
 * @typedef {{ database: number, tables: number, contentRows: number, blobs: number, blobBytes: number }} StoredBytes
 */

/**
 * @param {import("pg").Client} database
 * @param {string} blobFolder
 * @returns {Promise<StoredBytes>}
 */
export async function storedBytes(database, blobFolder) {
  await database.query("CHECKPOINT");
  const { rows } = await database.query(`
    SELECT pg_database_size(current_database()) AS database,
           (SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.relkind = 'r' AND n.nspname = 'public') AS tables,
           (SELECT count(*) FROM content) AS content_rows`);
  const files = await filesBelow(blobFolder);
  const sizes = await Promise.all(files.map(async (file) => (await stat(file)).size));
  return {
    database: Number(rows[0].database),
    tables: Number(rows[0].tables),
    contentRows: Number(rows[0].content_rows),
    blobs: files.length,
    blobBytes: sizes.reduce((sum, size) => sum + size, 0),
  };
}

/**
 * Reads every stored file without the product's own code and checks its content against its name. A file begins with
 * "WTO", one byte for the coding of the content (1: raw, 2: one zstd frame, 3 and 4: one zstd frame whose dictionary is
 * other content) and four bytes with its length; for 3 and 4, the SHA-256 of the dictionary follows. Its name is the
 * SHA-256 of the content.
 * @param {import("pg").Client} database
 * @param {string} blobFolder
 * @returns {Promise<string[]>} the faults: content rows without a file, files whose content does not hash to their name
 */
export async function wrongBlobs(database, blobFolder) {
  const { rows } = await database.query("SELECT encode(hash, 'hex') AS hash FROM content WHERE stored");
  const missing = new Set(rows.map((row) => String(row.hash)));
  const wrong = [];
  const files = await filesBelow(blobFolder);
  for (const file of files) {
    const name = basename(file);
    const content = await contentOf(file, blobFolder);
    if (content === null || sha256(content) !== name) wrong.push(`${name} does not hold what it is named by`);
    missing.delete(name);
  }
  return [...wrong, ...[...missing].map((hash) => `${hash} has no file`)];
}

/**
 * @param {string} file
 * @param {string} blobFolder
 * @returns {Promise<Buffer | null>} null where the header is wrong
 */
async function contentOf(file, blobFolder) {
  const bytes = await readFile(file);
  const coding = bytes[3];
  if (bytes.toString("latin1", 0, 3) !== "WTO" || coding === undefined) return null;
  const content =
    coding === 1
      ? bytes.subarray(8)
      : coding === 2
        ? zstdDecompressSync(bytes.subarray(8))
        : zstdDecompressSync(bytes.subarray(40), {
            dictionary: await baseOf(bytes.toString("hex", 8, 40), blobFolder),
          });
  return content.length === bytes.readUInt32BE(4) ? content : null;
}

/** @param {string} hash @param {string} blobFolder @returns {Promise<Buffer>} */
async function baseOf(hash, blobFolder) {
  const content = await contentOf(join(blobFolder, hash.slice(0, 2), hash), blobFolder);
  if (content === null) throw new Error(`${hash} is the base of others and cannot be read`);
  return content;
}

/** @param {string} folder @returns {Promise<string[]>} */
async function filesBelow(folder) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

/** @param {Uint8Array} bytes @returns {string} hexadecimal SHA-256 */
export function sha256(bytes) {
  return createHash("sha256").update(bytes).digest("hex");
}
