import type { Queryable } from "@web-tester/platform/database/database";
import { passOverRemoved, type RemovedSnapshot } from "../changes/queue-changes.js";
import { isClockSure } from "../installation/sure-clock.js";
import { accepted, firstFetch } from "../reviews/accepted.js";
import { countRemoved } from "../instances/show-snapshots.js";
import { lockRules, recordRemoved, type Removed } from "../objects/retention-rules.js";

/** The position of a round: the address of the last page that is done. */
export interface RetentionCursor {
  after: string;
}

export interface RetentionBatch {
  removed: Removed;
  /** Number of pages with unfinished work, because of which some of their snapshots were kept. */
  busy: number;
  /** Null when the round is over. */
  next: RetentionCursor | null;
}

const lockPages = `
  SELECT id, url FROM test_instance WHERE test_object_id = $1 AND url > $2 AND snapshots_total > 1
  ORDER BY url LIMIT $3 FOR UPDATE`;

/*
 * Kept regardless of the rules: a page's newest snapshot, the one that it shows, its newest finished one, unfinished ones (queued, being
 * fetched, waiting to be compared), those that count in a running run, and the finished one before each unfinished one, which that will be
 * compared with. Finished snapshots are counted among finished ones only; failed or stopped ones do not use up their places, and are
 * removed together with the history around them, or when there are too many of their own kind. A snapshot that was created but never
 * fetched is removed by its age only, because a fetch may be about to be requested. Also kept are snapshots of fetches with a label, and
 * the last accepted snapshot of a page, its baseline. If an object is compared with its baseline, the baseline of a page that was never
 * accepted is its first snapshot. Nothing is too old while the clock is not sure. Ranks follow ids, like all orders of snapshots.
 */
const removeOutdated = `
  WITH ranked AS MATERIALIZED (
    SELECT s.id, s.test_instance_id, s.state, s.created_at, c.kind, c.previous_id,
           s.state IN ('queued', 'running') OR coalesce(c.state = 'queued', false) AS open, coalesce(r.state = 'running', false) AS counts,
           r.label IS NOT NULL AS labelled,
           count(*) OVER newer AS newer, count(*) FILTER (WHERE s.state = 'done') OVER newer AS newer_done,
           count(*) FILTER (WHERE s.state IN ('failed', 'cancelled')) OVER newer AS newer_undone
    FROM test_snapshot s LEFT JOIN change c ON c.snapshot_id = s.id LEFT JOIN run r ON r.id = s.run_id
    WHERE s.test_instance_id = ANY($2::uuid[])
    WINDOW newer AS (PARTITION BY s.test_instance_id ORDER BY s.id DESC ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
  ), going AS MATERIALIZED (
    SELECT test_instance_id, state, newer_done FROM ranked WHERE open
  ), clock AS MATERIALIZED (
    SELECT ${isClockSure} AS sure
  ), classified AS (
    SELECT k.id, k.test_instance_id, k.kind, k.previous_id,
           CASE WHEN k.created_at < now() - o.keep_days * interval '1 day' AND (SELECT sure FROM clock) THEN 'age'
                WHEN k.state <> 'created' AND k.newer_done >= o.keep_snapshots THEN 'count'
                WHEN k.state IN ('failed', 'cancelled') AND k.newer_undone >= o.keep_snapshots THEN 'count'
                WHEN o.keep_changed_only AND k.state = 'done' AND k.kind = 'unchanged' THEN 'unchanged' END AS reason
    FROM ranked k JOIN test_object o ON o.id = $1 JOIN test_instance i ON i.id = k.test_instance_id
    WHERE k.newer > 0 AND NOT k.open AND NOT k.counts AND NOT k.labelled AND k.id IS DISTINCT FROM i.last_snapshot_id
      AND (k.state <> 'done' OR k.newer_done > 0)
      AND (k.state <> 'done' OR NOT EXISTS (
        SELECT 1 FROM going g WHERE g.test_instance_id = k.test_instance_id
          AND CASE WHEN g.state = 'done' THEN g.newer_done = k.newer_done - 1 ELSE g.newer_done = k.newer_done END))
  ), outdated AS MATERIALIZED (
    SELECT * FROM classified WHERE reason IS NOT NULL
  ), accepted AS MATERIALIZED (
    SELECT DISTINCT ON (page, parts) page, snapshot_id FROM (${accepted("$1", (page) => `${page} IN (SELECT test_instance_id FROM outdated)`)}) a
    ORDER BY page, parts, snapshot_id DESC
  ), baselines AS (
    SELECT snapshot_id FROM accepted
    UNION ALL
    (SELECT DISTINCT ON (f.test_instance_id) f.id FROM ranked f
     WHERE f.state = 'done' AND f.id > (SELECT id FROM (${firstFetch("$1")}) b) AND NOT EXISTS (SELECT 1 FROM accepted a WHERE a.page = f.test_instance_id)
       AND EXISTS (SELECT 1 FROM run q JOIN comparison k ON k.run_id = q.id WHERE q.test_object_id = $1 AND q.kind = 'compare' AND k.one ->> 'type' = 'baseline')
     ORDER BY f.test_instance_id, f.id)
  ), chosen AS (
    SELECT * FROM outdated d WHERE NOT EXISTS (SELECT 1 FROM baselines b WHERE b.snapshot_id = d.id) ORDER BY test_instance_id, id LIMIT $3
  ), gone AS (
    DELETE FROM test_snapshot s USING chosen WHERE s.id = chosen.id
    RETURNING s.id, chosen.test_instance_id, chosen.kind, chosen.previous_id, chosen.reason
  )
  SELECT (SELECT count(DISTINCT test_instance_id)::int FROM ranked WHERE open OR counts) AS busy,
         (SELECT coalesce(json_agg(gone), '[]') FROM gone) AS gone`;

interface Gone extends RemovedSnapshot {
  reason: "age" | "count" | "unchanged";
}

/**
 * Removes the snapshots of an object's next pages that its rules do not keep, and records how many, in a transaction. Rules are read again
 * in each batch, so that switching them off ends a round.
 * @param limits the most pages that are examined, and the most snapshots that are removed
 */
export async function removeOutdatedSnapshots(
  tx: Queryable,
  objectId: string,
  { after }: RetentionCursor,
  limits: { pages: number; rows: number },
): Promise<RetentionBatch> {
  const nothing = { byAge: 0, byCount: 0, unchanged: 0 };
  const isDue = await lockRules(tx, objectId);
  const pages = !isDue ? [] : await tx.query<{ id: string; url: string }>(lockPages, [objectId, after, limits.pages]);
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
    await countRemoved(
      tx,
      gone.map((snapshot) => snapshot.test_instance_id),
    );
    await passOverRemoved(tx, gone);
    await recordRemoved(tx, objectId, removed);
  }
  // a full batch may not have removed everything from these pages
  return {
    removed,
    busy: row?.busy ?? 0,
    next: gone.length === limits.rows ? { after } : { after: last.url },
  };
}
