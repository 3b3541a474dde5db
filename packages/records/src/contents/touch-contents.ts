import { setTimeout as wait } from "node:timers/promises";
import type { Queryable } from "@web-tester/platform/database/database";
import { prepared } from "@web-tester/platform/database/statement";

/** Milliseconds after which untouched and unreferenced content may be collected. */
export const contentGraceMs = 60 * 60_000;

const touch = prepared(`
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
  SELECT encode(hash, 'hex') AS hash, stored FROM fresh UNION ALL SELECT encode(hash, 'hex'), stored FROM touched`);

const lookEveryMs = 50;
const removing = prepared(`
  SELECT 1 FROM content_removal WHERE hash IN (SELECT decode(h, 'hex') FROM unnest($1::text[]) AS h) AND lease_until > now() LIMIT 1`);

/**
 * Announces bytes that are about to be referred to, so that the collector leaves them alone for the grace time, and returns which are not
 * in the object store yet. A hash announced within the first half of its grace time costs no write. If a collector is removing the same
 * bytes, this waits until it has finished; if it lost its connection, until its lease ends, when its last request cannot arrive any more.
 * @param contents distinct hashes (hex) with sizes in bytes
 * @returns hashes that still have to be written
 */
export async function touchContent(db: Queryable, contents: ReadonlyMap<string, number>): Promise<Set<string>> {
  const missing = await noteTouched(db, contents);
  await awaitRemovals(db, missing);
  return missing;
}

/**
 * Only announces contents, for a transaction that refers to them before anybody else can remove them. The caller must call `awaitRemovals`
 * after the commit, and before it writes the bytes.
 * @returns hashes that still have to be written
 */
export async function noteTouched(tx: Queryable, contents: ReadonlyMap<string, number>): Promise<Set<string>> {
  const rows = await tx.query<{ hash: string; stored: boolean }>(touch, [
    [...contents.keys()],
    [...contents.values()],
    contentGraceMs,
  ]);
  return new Set(rows.filter((row) => !row.stored).map((row) => row.hash));
}

/**
 * Waits for removals of these bytes that are in progress. Never call it inside the transaction that announced them: the removal waits for
 * that transaction, which would be a deadlock.
 * @param hashes hex
 */
export async function awaitRemovals(db: Queryable, hashes: ReadonlySet<string>): Promise<void> {
  // a separate statement: the announcement may have begun before the collector's note existed, and have waited for it
  if (hashes.size > 0) while ((await db.query(removing, [[...hashes]])).length > 0) await wait(lookEveryMs);
}

const announce = prepared(`
  WITH wanted AS (
    SELECT decode(hash, 'hex') AS hash, decode(base, 'hex') AS base, depth
    FROM unnest($1::text[], $2::text[], $3::smallint[]) AS w (hash, base, depth)
  ), held AS (
    SELECT c.hash, c.touched_at FROM content c
    WHERE c.hash IN (SELECT base FROM wanted) AND c.stored ORDER BY c.hash FOR KEY SHARE
  ), touched AS (
    UPDATE content c SET touched_at = now() FROM held
    WHERE c.hash = held.hash AND held.touched_at <= now() - $4::int * interval '0.5 ms'
  ), mine AS (
    SELECT c.hash FROM content c WHERE c.hash IN (SELECT hash FROM wanted) AND NOT c.stored AND c.stored_size = 0
    ORDER BY c.hash FOR NO KEY UPDATE
  )
  UPDATE content c SET base_hash = w.base, depth = w.depth
  FROM wanted w JOIN held ON held.hash = w.base JOIN mine ON mine.hash = w.hash
  WHERE c.hash = w.hash AND NOT c.stored AND (c.base_hash IS NULL OR c.base_hash = w.base)
  RETURNING encode(c.hash, 'hex') AS hash`);

/** Content about to be written against a base. Hashes are hex. */
export interface AnnouncedBase {
  hash: string;
  base: string;
  depth: 0 | 1;
}

/**
 * Protects bases from collection before content is written against them. Waits for a collector that is removing one, and refuses a base
 * that is gone, or content for which another writer chose another base first: two objects of one name may differ, but each can be read with
 * the base in the row. Lost content is written without a base: others may be based on it, and its base could be one of them.
 * @param announced touched by `touchContent` before
 * @returns the hashes that may be written against their base; the others have to be written without one
 */
export async function announceBases(db: Queryable, announced: readonly AnnouncedBase[]): Promise<Set<string>> {
  if (announced.length === 0) return new Set();
  const rows = await db.query<{ hash: string }>(announce, [
    announced.map(({ hash }) => hash),
    announced.map(({ base }) => base),
    announced.map(({ depth }) => depth),
    contentGraceMs,
  ]);
  return new Set(rows.map(({ hash }) => hash));
}
