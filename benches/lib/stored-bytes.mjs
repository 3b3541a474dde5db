// @ts-check
import { createHash } from "node:crypto";
import { readdir, readFile, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { zstdDecompressSync } from "node:zlib";

/**
 * What is stored at one moment. Bytes of the database are those of its files after a checkpoint; `tables` adds up the
 * tables alone, with indexes and out-of-line values.
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
 * Reads every stored file without the product's own code and holds its content against its name. A file begins with
 * "WTO", one byte that says how the content is kept (1 as it is, 2 as one zstd frame) and four bytes with its length;
 * it is named by the SHA-256 of the content.
 * @param {import("pg").Client} database
 * @param {string} blobFolder
 * @returns {Promise<string[]>} what is wrong: content rows without a file, files that do not hash to their name
 */
export async function wrongBlobs(database, blobFolder) {
  const { rows } = await database.query("SELECT encode(hash, 'hex') AS hash FROM content WHERE stored");
  const missing = new Set(rows.map((row) => String(row.hash)));
  const wrong = [];
  for (const file of await filesBelow(blobFolder)) {
    const name = basename(file);
    const bytes = await readFile(file);
    const content = bytes[3] === 2 ? zstdDecompressSync(bytes.subarray(8)) : bytes.subarray(8);
    if (
      bytes.toString("latin1", 0, 3) !== "WTO" ||
      bytes.readUInt32BE(4) !== content.length ||
      sha256(content) !== name
    )
      wrong.push(`${name} does not hold what it is named by`);
    missing.delete(name);
  }
  return [...wrong, ...[...missing].map((hash) => `${hash} has no file`)];
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
