import type { Queryable } from "../database.js";

/** Content untouched and unreferenced for this long may be collected. */
export const contentGraceMs = 60 * 60_000;

const touch = `
  WITH wanted AS (
    SELECT decode(hash, 'hex') AS hash, size FROM unnest($1::text[], $2::int[]) AS w (hash, size) ORDER BY 1
  ), fresh AS (
    SELECT c.hash, c.stored FROM content c JOIN wanted w ON w.hash = c.hash
    WHERE c.stored AND c.touched_at > now() - $3::int * interval '0.5 ms'
  ), touched AS (
    INSERT INTO content (hash, size) SELECT hash, size FROM wanted WHERE hash NOT IN (SELECT hash FROM fresh)
    ON CONFLICT (hash) DO UPDATE SET touched_at = now()
    RETURNING hash, stored
  )
  SELECT encode(hash, 'hex') AS hash, stored FROM fresh UNION ALL SELECT encode(hash, 'hex'), stored FROM touched`;

/**
 * Announces bytes that are about to be referred to, so that the collector leaves them alone for the grace time, and says
 * which are in the object store already. A hash seen in the first half of its grace time costs no write.
 * @param contents distinct hashes (hex) with sizes in bytes
 * @returns hashes that still have to be written
 */
export async function touchContent(db: Queryable, contents: ReadonlyMap<string, number>): Promise<Set<string>> {
  const rows = await db.query<{ hash: string; stored: boolean }>(touch, [
    [...contents.keys()],
    [...contents.values()],
    contentGraceMs,
  ]);
  return new Set(rows.filter((row) => !row.stored).map((row) => row.hash));
}
