import type { Queryable } from "@web-tester/platform/database/database";

/** Why a snapshot went, in the order in which reasons count where several hold. */
export interface Removed {
  byAge: number;
  byCount: number;
  unchanged: number;
}

/** Where a round goes on: the address of the last page that is done with. */
export interface RetentionCursor {
  after: string;
}

export interface RetentionBatch {
  removed: Removed;
  /** Pages of which something is under way: some of their snapshots are kept because of it. */
  busy: number;
  /** Null: the round is over. */
  next: RetentionCursor | null;
}

const due = `
  SELECT id FROM test_object o
  WHERE NOT deleting AND (keep_days IS NOT NULL OR keep_snapshots IS NOT NULL OR keep_changed_only)
    AND (retention_waits_until IS NULL OR retention_waits_until < now())
    AND (retention_checked_at IS NULL OR retention_checked_at < now() - interval '1 hour'
      OR EXISTS (SELECT 1 FROM run r WHERE r.test_object_id = o.id AND r.finished_at >= o.retention_checked_at))
  ORDER BY id`;

/** Objects with retention rules of which something may have become too old or too many since the last round. */
export async function objectsToTrim(db: Queryable): Promise<string[]> {
  return (await db.query<{ id: string }>(due)).map(({ id }) => id);
}

/** When a round began, and the rules of that time. */
export interface RoundBegin {
  now: Date;
  keep_days: number | null;
  keep_snapshots: number | null;
  keep_changed_only: boolean;
}

/** @returns null where there is no such object any more */
export async function beginTrimming(db: Queryable, objectId: string): Promise<RoundBegin | null> {
  const [row] = await db.query<RoundBegin>(
    "SELECT now() AS now, keep_days, keep_snapshots, keep_changed_only FROM test_object WHERE id = $1",
    [objectId],
  );
  return row ?? null;
}

/** Two replicas at the same object follow one another here; a change of the rules waits for the end of a batch. */
const lockRules = `
  SELECT id FROM test_object
  WHERE id = $1 AND NOT deleting AND (keep_days IS NOT NULL OR keep_snapshots IS NOT NULL OR keep_changed_only)
    AND (retention_waits_until IS NULL OR retention_waits_until < now())
  FOR NO KEY UPDATE`;

const lockPages = `
  SELECT id, url FROM test_instance WHERE test_object_id = $1 AND url > $2 AND snapshots_total > 1
  ORDER BY url LIMIT $3 FOR UPDATE`;

/*
 * Kept whatever the rules: the newest snapshot of a page, the one that it shows, its newest finished one, what is under way
 * (queued, being fetched, waiting to be compared) or counts in a run that goes on, and the finished one before each that is under
 * way, which that will be compared with. Finished ones are counted among finished ones; those that failed or were stopped
 * use up no place of theirs, and go with the history around them or where there are too many of their own kind. One that was
 * made and never fetched goes by its age alone: somebody may be about to ask for it. Ranks go by id, as all orders of snapshots do.
 */
const removeOutdated = `
  WITH ranked AS MATERIALIZED (
    SELECT s.id, s.test_instance_id, s.state, s.created_at, c.kind, c.previous_id,
           s.state IN ('queued', 'running') OR coalesce(c.state = 'queued', false) AS open, coalesce(r.state = 'running', false) AS counts,
           count(*) OVER newer AS newer, count(*) FILTER (WHERE s.state = 'done') OVER newer AS newer_done,
           count(*) FILTER (WHERE s.state IN ('failed', 'cancelled')) OVER newer AS newer_undone
    FROM test_snapshot s LEFT JOIN change c ON c.snapshot_id = s.id LEFT JOIN run r ON r.id = s.run_id
    WHERE s.test_instance_id = ANY($2::uuid[])
    WINDOW newer AS (PARTITION BY s.test_instance_id ORDER BY s.id DESC ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
  ), going AS MATERIALIZED (
    SELECT test_instance_id, state, newer_done FROM ranked WHERE open
  ), judged AS (
    SELECT k.id, k.test_instance_id, k.kind, k.previous_id,
           CASE WHEN k.created_at < now() - o.keep_days * interval '1 day' THEN 'age'
                WHEN k.state <> 'created' AND k.newer_done >= o.keep_snapshots THEN 'count'
                WHEN k.state IN ('failed', 'cancelled') AND k.newer_undone >= o.keep_snapshots THEN 'count'
                WHEN o.keep_changed_only AND k.state = 'done' AND k.kind = 'unchanged' THEN 'unchanged' END AS reason
    FROM ranked k JOIN test_object o ON o.id = $1 JOIN test_instance i ON i.id = k.test_instance_id
    WHERE k.newer > 0 AND NOT k.open AND NOT k.counts AND k.id IS DISTINCT FROM i.last_snapshot_id
      AND (k.state <> 'done' OR k.newer_done > 0)
      AND (k.state <> 'done' OR NOT EXISTS (
        SELECT 1 FROM going g WHERE g.test_instance_id = k.test_instance_id
          AND CASE WHEN g.state = 'done' THEN g.newer_done = k.newer_done - 1 ELSE g.newer_done = k.newer_done END))
  ), chosen AS (
    SELECT * FROM judged WHERE reason IS NOT NULL ORDER BY test_instance_id, id LIMIT $3
  ), gone AS (
    DELETE FROM test_snapshot s USING chosen WHERE s.id = chosen.id
    RETURNING s.id, chosen.test_instance_id, chosen.kind, chosen.previous_id, chosen.reason
  )
  SELECT (SELECT count(DISTINCT test_instance_id)::int FROM ranked WHERE open OR counts) AS busy,
         (SELECT coalesce(json_agg(gone), '[]') FROM gone) AS gone`;

interface Gone {
  id: string;
  test_instance_id: string;
  kind: string | null;
  previous_id: string | null;
  reason: "age" | "count" | "unchanged";
}

const lowerTotals = `
  UPDATE test_instance i SET snapshots_total = i.snapshots_total - g.n
  FROM (SELECT p AS id, count(*)::int AS n FROM unnest($1::uuid[]) AS p GROUP BY p) g WHERE i.id = g.id`;

const orphans = `
  SELECT c.snapshot_id, c.previous_id FROM change c JOIN test_snapshot s ON s.id = c.snapshot_id
  WHERE s.test_instance_id = ANY($1) AND c.previous_id = ANY($2)`;

const adopt = `
  UPDATE change c SET previous_id = a.previous_id
  FROM jsonb_to_recordset($1::jsonb) AS a (snapshot_id uuid, previous_id uuid) WHERE c.snapshot_id = a.snapshot_id`;

const record = `
  UPDATE test_object
  SET removed_by_age = removed_by_age + $2, removed_by_count = removed_by_count + $3, removed_unchanged = removed_unchanged + $4, removed_at = now()
  WHERE id = $1`;

/**
 * Removes what the rules of an object let go among its next pages, and writes down how much that was, in a transaction.
 * Rules are read anew, so that switching them off ends a round.
 * @param limits pages that are looked at, and snapshots that are removed, at most
 */
export async function removeOutdatedSnapshots(
  tx: Queryable,
  objectId: string,
  { after }: RetentionCursor,
  limits: { pages: number; rows: number },
): Promise<RetentionBatch> {
  const nothing = { byAge: 0, byCount: 0, unchanged: 0 };
  const [rules] = await tx.query(lockRules, [objectId]);
  const pages =
    rules === undefined ? [] : await tx.query<{ id: string; url: string }>(lockPages, [objectId, after, limits.pages]);
  const last = pages.at(-1);
  if (last === undefined) return { removed: nothing, busy: 0, next: null };
  const [row] = await tx.query<{ busy: number; gone: Gone[] }>(removeOutdated, [
    objectId,
    pages.map(({ id }) => id),
    limits.rows,
  ]);
  const gone = row?.gone ?? [];
  const removed = {
    byAge: gone.filter(({ reason }) => reason === "age").length,
    byCount: gone.filter(({ reason }) => reason === "count").length,
    unchanged: gone.filter(({ reason }) => reason === "unchanged").length,
  };
  if (gone.length > 0) {
    await tx.query(lowerTotals, [gone.map((snapshot) => snapshot.test_instance_id)]);
    await pointPastGone(tx, gone);
    await tx.query(record, [objectId, removed.byAge, removed.byCount, removed.unchanged]);
  }
  // a full batch may have left something of these pages
  return {
    removed,
    busy: row?.busy ?? 0,
    next: gone.length === limits.rows ? { after } : { after: last.url },
  };
}

/** An unchanged snapshot has the content of the one before it, which stands in for it; nothing stands in for another. */
async function pointPastGone(tx: Queryable, gone: readonly Gone[]): Promise<void> {
  const byId = new Map(gone.map((snapshot) => [snapshot.id, snapshot]));
  const left = await tx.query<{ snapshot_id: string; previous_id: string }>(orphans, [
    [...new Set(gone.map((snapshot) => snapshot.test_instance_id))],
    [...byId.keys()],
  ]);
  const adopted = left.map(({ snapshot_id: snapshotId, previous_id: previousId }) => {
    let at: string | null = previousId;
    for (let link = byId.get(at); link !== undefined; link = at === null ? undefined : byId.get(at))
      at = link.kind === "unchanged" ? link.previous_id : null;
    return { snapshot_id: snapshotId, previous_id: at };
  });
  if (adopted.length > 0) await tx.query(adopt, [JSON.stringify(adopted)]);
}

/** The round is over: until something new comes, or time passes, there is nothing to do. @param begun under which rules, and when */
export async function markTrimmed(
  db: Queryable,
  objectId: string,
  { now: since, ...rules }: RoundBegin,
): Promise<void> {
  await db.query(
    `UPDATE test_object SET retention_checked_at = $2 WHERE id = $1 AND (keep_days, keep_snapshots, keep_changed_only) IS NOT DISTINCT FROM ($3::int, $4::int, $5::boolean)`,
    [objectId, since, rules.keep_days, rules.keep_snapshots, rules.keep_changed_only],
  );
}
