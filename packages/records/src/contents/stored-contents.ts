import type { Queryable } from "@web-tester/platform/database/database";

/**
 * SQL: CTEs that mark contents as stored. Rows are locked in the order of their hashes, so that groups with several in common cannot
 * deadlock.
 * @param rows CTE with `content_hash` and `stored_size`: the bytes that the object store keeps for it, 0 when it was there before
 */
export const markStoredOf = (rows: string) => `
  written AS (
    SELECT hash FROM content
    WHERE NOT stored AND hash IN (SELECT content_hash FROM ${rows} WHERE stored_size > 0) ORDER BY hash FOR NO KEY UPDATE
  ), stored AS (
    UPDATE content c SET stored = true, stored_size = m.stored_size
    FROM written w JOIN (SELECT content_hash, max(stored_size) AS stored_size FROM ${rows} GROUP BY content_hash) m ON m.content_hash = w.hash
    WHERE c.hash = w.hash AND NOT c.stored
  )`;

const markOf = (hash: string, storedSize: string) =>
  `UPDATE content SET stored = true, stored_size = ${storedSize} WHERE hash = decode(${hash}, 'hex') AND NOT stored`;

/** SQL: like `markStoredOf` for a single content, as a statement. @param hash parameter with the hash in hex; `storedSize` is a parameter too */
export const markOneStored = (hash: string, storedSize: string) => `${markOf(hash, storedSize)} AND ${storedSize} > 0`;

/** Marks announced bytes as written. @param hash hex @param storedSize bytes that the object store keeps for them */
export async function markStored(db: Queryable, hash: string, storedSize: number): Promise<void> {
  await db.query(markOf("$1", "$2"), [hash, storedSize]);
}

const markEach = `
  WITH bytes AS (
    SELECT decode(hash, 'hex') AS content_hash, stored_size FROM unnest($1::text[], $2::int[]) AS b (hash, stored_size)
  ), ${markStoredOf("bytes")}
  SELECT`;

/** Like `markStored` for several contents. @param sizes bytes that the object store keeps for each, by hash (hex) */
export async function markEachStored(db: Queryable, sizes: ReadonlyMap<string, number>): Promise<void> {
  if (sizes.size > 0) await db.query(markEach, [[...sizes.keys()], [...sizes.values()]]);
}

/**
 * Marks bytes as lost because they are missing or damaged, so that the next fetch writes them again.
 * @param hash hex
 * @returns false when they were marked already
 */
export async function markLost(db: Queryable, hash: string): Promise<boolean> {
  const noted = await db.query(
    "UPDATE content SET stored = false WHERE hash = decode($1, 'hex') AND stored RETURNING 1",
    [hash],
  );
  return noted.length > 0;
}

/**
 * Marks lost bytes as found, because they are there and whole again.
 * @param hash hex
 * @param storedSize bytes that the object store keeps for them, if known
 * @returns whether they had been marked as lost
 */
export async function markFound(db: Queryable, hash: string, storedSize: number | null = null): Promise<boolean> {
  const noted = await db.query(
    "UPDATE content SET stored = true, stored_size = coalesce($2, stored_size) WHERE hash = decode($1, 'hex') AND NOT stored AND coalesce($2, stored_size) > 0 RETURNING 1",
    [hash, storedSize],
  );
  return noted.length > 0;
}

/** Whether the object store is known to keep anything, so that an empty one is not where it should be. */
export async function hasStoredContents(db: Queryable): Promise<boolean> {
  const [row] = await db.query<{ any: boolean }>('SELECT EXISTS (SELECT FROM content WHERE stored) AS "any"');
  return row?.any === true;
}

/** SQL for a session of its own, as a backup has one: what is noted as lost and was found. Parameters: hashes, and what the store keeps for each. */
export const markAllFound = `
  UPDATE content c SET stored = true, stored_size = f.size FROM unnest($1::bytea[], $2::int[]) AS f (hash, size)
  WHERE c.hash = f.hash AND NOT c.stored`;

/** SQL for an extra session: marks contents as lost. Parameter: hashes. */
export const markAllLost = `UPDATE content SET stored = false WHERE hash = ANY($1) AND stored`;

/** SQL for an extra session that restores all rows itself, including those that triggers maintain: empties the sums that a migration has begun. */
export const forgetStoredTotals = `DELETE FROM stored_total`;
