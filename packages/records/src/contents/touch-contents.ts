import { setTimeout as wait } from "node:timers/promises";
import type { Queryable } from "@web-tester/platform/database/database";
import { prepared } from "@web-tester/platform/database/statement";

/** Content untouched and unreferenced for this long may be collected. */
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
 * Announces bytes that are about to be referred to, so that the collector leaves them alone for the grace time, and says
 * which are in the object store already. A hash seen in the first half of its grace time costs no write. Where a collector has the same bytes in
 * hand, this waits until it is through; where that one lost its connection, until its last request cannot arrive any more.
 * @param contents distinct hashes (hex) with sizes in bytes
 * @returns hashes that still have to be written
 */
export async function touchContent(db: Queryable, contents: ReadonlyMap<string, number>): Promise<Set<string>> {
  const missing = await noteTouched(db, contents);
  await awaitRemovals(db, missing);
  return missing;
}

/**
 * The announcing by itself, for a transaction that refers to the contents before anybody else can take them.
 * `awaitRemovals` has to be called when it is committed, and before the bytes are written.
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
 * Waits for removals of these bytes that have begun. Never inside of the transaction that announced them: a removal waits for that one.
 * @param hashes hex
 */
export async function awaitRemovals(db: Queryable, hashes: ReadonlySet<string>): Promise<void> {
  // a statement of its own: the announcement may have begun before the collector's note was there, and have waited for it
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
 * Holds bases before anything that rests on them is written. Waits for a collector that has one in hand, and gives no
 * leave for one that is gone, nor where another writer of the same content chose another base first: two objects of one
 * name may differ, but each can be read with what the row holds. Content that was lost is written by itself: others may rest
 * on it, and what it would rest on may be one of them.
 * @param announced touched by `touchContent` before
 * @returns hashes that may be written against their base; the others may be written by themselves
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
