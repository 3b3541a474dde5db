// @ts-check
import { createHash } from "node:crypto";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";

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

/** @param {string} folder @returns {Promise<string[]>} */
export async function filesBelow(folder) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

/** @param {Uint8Array} bytes @returns {string} hexadecimal SHA-256 */
export function sha256(bytes) {
  return createHash("sha256").update(bytes).digest("hex");
}
