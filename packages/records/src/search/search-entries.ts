import type { Database, Queryable } from "@web-tester/platform/database/database";

/** Minutes for which an entry stays after no snapshot has its content any more. */
const graceMinutes = 60;

/**
 * SQL: enters the contents of snapshots into the search of their objects. New contents wait to be packed, and contents that could not be
 * read wait again; known ones are touched in the second half of the sweep's grace time, so that they are not swept away just when they come
 * back. Contents that were entered or touched lately are skipped before they are locked, because nothing would change.
 * @param rows CTE, or query in parentheses, with `test_instance_id`, `content_hash` and `charset`
 */
export const enterContents = (rows: string) => `
    INSERT INTO search_entry AS e (test_object_id, content_hash, charset, instance_id)
    SELECT i.test_object_id, p.content_hash, coalesce(p.charset, 'utf-8'), min(i.id::text)::uuid
    FROM ${rows} p JOIN test_instance i ON i.id = p.test_instance_id
    WHERE p.content_hash IS NOT NULL AND NOT EXISTS (
      SELECT 1 FROM search_entry k
      WHERE k.test_object_id = i.test_object_id AND k.content_hash = p.content_hash AND k.charset = coalesce(p.charset, 'utf-8')
        AND k.problem IS NULL AND k.touched_at >= now() - interval '${graceMinutes / 2} minutes')
    GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
    ON CONFLICT (test_object_id, content_hash, charset) DO UPDATE SET touched_at = now(), problem = NULL
      WHERE e.problem IS NOT NULL OR e.touched_at < now() - interval '${graceMinutes / 2} minutes'`;

/** A content that waits to be packed. */
export interface WaitingEntry {
  hash: Buffer;
  charset: string;
  /** Bytes; null when the content is gone. */
  size: number | null;
}

/** Returns contents that are not packed yet, grouped by page, so that pages are packed together with their own past. */
export function waitingEntries(db: Queryable, objectId: string, limit: number): Promise<WaitingEntry[]> {
  return db.query<WaitingEntry>(
    `SELECT e.content_hash AS hash, e.charset, c.size FROM search_entry e LEFT JOIN content c ON c.hash = e.content_hash
     WHERE e.test_object_id = $1 AND e.pack_id IS NULL AND e.problem IS NULL ORDER BY e.instance_id LIMIT $2`,
    [objectId, limit],
  );
}

/**
 * The most contents, and bytes, that wait while their run goes on: every search reads waiting contents one by one, which makes it slower.
 * They make a pack that is large enough to stay; smaller packs would be rewritten by each merge.
 */
export const waitingMax = { contents: 400, bytes: 12 * 1024 * 1024 };

const fetchesAll = "r.state = 'running' AND r.kind = 'snapshot-all'";

/** Returns the objects whose contents have to be packed now: packing waits for the end of a run that brings more, as long as searches cope with what waits. */
export async function objectsWaiting(db: Queryable): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    `SELECT e.test_object_id AS id FROM search_entry e LEFT JOIN content c ON c.hash = e.content_hash
     WHERE e.pack_id IS NULL AND e.problem IS NULL
     GROUP BY e.test_object_id
     HAVING count(*) >= $1 OR sum(c.size) >= $2 OR NOT EXISTS (
       SELECT 1 FROM run r WHERE r.test_object_id = e.test_object_id AND ${fetchesAll})`,
    [waitingMax.contents, waitingMax.bytes],
  );
  return rows.map(({ id }) => id);
}

/** Whether a running Fetch All brings an object more contents. */
export async function bringsMore(db: Queryable, objectId: string): Promise<boolean> {
  const rows = await db.query(`SELECT 1 FROM run r WHERE r.test_object_id = $1 AND ${fetchesAll} LIMIT 1`, [objectId]);
  return rows.length > 0;
}

/** How the reason of a content begins that can be read and yet is left out of the search. */
export const unsearchable = "It could not be made searchable";

/**
 * Lets contents that could not be read wait again as soon as they are known to be stored: the store may have come back, or somebody has
 * restored files.
 */
export async function retryFound(db: Queryable): Promise<void> {
  await db.query(
    `UPDATE search_entry e SET problem = NULL FROM content c
     WHERE e.problem IS NOT NULL AND NOT starts_with(e.problem, $1) AND c.hash = e.content_hash AND c.stored`,
    [unsearchable],
  );
}

/** Marks a content that cannot be read, with the reason; it is left out of the search. */
export async function setProblem(
  db: Queryable,
  objectId: string,
  entry: Pick<WaitingEntry, "hash" | "charset">,
  problem: string,
): Promise<void> {
  await db.query(
    `UPDATE search_entry SET problem = $4 WHERE test_object_id = $1 AND content_hash = $2 AND charset = $3`,
    [objectId, entry.hash, entry.charset, problem],
  );
}

/** Locks the packing of an object's contents, for one process until the transaction ends. @returns whether the lock was free */
export async function lockPacking(tx: Queryable, objectId: string): Promise<boolean> {
  const [row] = await tx.query<{ taken: boolean }>(
    `SELECT pg_try_advisory_xact_lock(7232, hashtext($1::text)) AS taken`,
    [objectId],
  );
  return row?.taken === true;
}

const sweepBatch = 5_000;

/*
 * Sweeps one object's entries in the order of their key. There is no race with a content that comes back now: either its update waits for
 * this statement and then makes a new entry, or this statement waits, sees that the row was touched, and leaves it.
 */
const sweep = `
  WITH page AS (
    SELECT content_hash, charset FROM search_entry
    WHERE test_object_id = $1 AND (content_hash, charset) > ($2, $3) ORDER BY content_hash, charset LIMIT ${sweepBatch}
  ), gone AS (
    DELETE FROM search_entry e USING page p
    WHERE e.test_object_id = $1 AND e.content_hash = p.content_hash AND e.charset = p.charset
      AND e.touched_at < now() - interval '${graceMinutes} minutes'
      AND NOT EXISTS (
        SELECT 1 FROM test_snapshot s JOIN test_instance i ON i.id = s.test_instance_id
        WHERE s.content_hash = p.content_hash AND i.test_object_id = $1)
    RETURNING 1
  )
  SELECT (SELECT count(*)::int FROM gone) AS gone, content_hash AS hash, charset FROM page ORDER BY content_hash DESC, charset DESC LIMIT 1`;

/** Deletes the entries of an object whose contents no snapshot of it has any more. @returns how many */
export async function sweepEntries(db: Database, objectId: string, signal: AbortSignal): Promise<number> {
  let swept = 0;
  for (let hash = Buffer.alloc(0), charset = ""; !signal.aborted;) {
    const [row] = await db.query<{ gone: number; hash: Buffer<ArrayBuffer>; charset: string }>(sweep, [
      objectId,
      hash,
      charset,
    ]);
    if (row === undefined) break;
    swept += row.gone;
    ({ hash, charset } = row);
  }
  return swept;
}
