import type { Queryable } from "@web-tester/platform/database/database";
import { type SettledPages, settlePages } from "../instances/create-instances.js";
import type { RunProgress } from "./run-progress.js";

const reason = "Stopped before it was fetched";

/*
 * The fence grows, so that a worker that has the row in hand writes nothing any more. Order of locks, the same as when
 * snapshots finish: snapshots, instances, run.
 */
const cancelSnapshots = `
  WITH open AS (
    SELECT id FROM test_snapshot WHERE run_id = $1 AND state IN ('queued', 'running') ORDER BY id FOR UPDATE
  ), stopped AS (
    UPDATE test_snapshot s SET state = 'cancelled', fence = s.fence + 1, lease_until = NULL, error_code = 'cancelled', error = $2
    FROM open WHERE s.id = open.id RETURNING s.id
  )
  SELECT count(*)::int AS stopped FROM stopped`;

/*
 * Instances that showed a snapshot that was stopped now show their newest one that still counts. Statuses are positions in the
 * contract's instanceStatus: 0 failed, 1 running, 2 changed, 3 first, 4 unchanged, 5 fetched, 6 queued, 7 none.
 */
const showNewest = `
  UPDATE test_instance i
  SET status = CASE n.state WHEN 'failed' THEN 0 WHEN 'running' THEN 1 WHEN 'queued' THEN 6
                 WHEN 'done' THEN CASE n.kind WHEN 'changed' THEN 2 WHEN 'first' THEN 3 WHEN 'unchanged' THEN 4 ELSE 5 END
                 ELSE 7 END,
      last_snapshot_id = n.id, last_snapshot_at = n.at, http_status = n.http_status, error = n.error,
      lines_added = coalesce(n.lines_added, 0), lines_removed = coalesce(n.lines_removed, 0)
  FROM test_snapshot stopped
  LEFT JOIN LATERAL (
    SELECT s.id, s.state, s.http_status, s.error, coalesce(s.fetched_at, s.queued_at) AS at, c.kind, c.lines_added, c.lines_removed
    FROM test_snapshot s LEFT JOIN change c ON c.snapshot_id = s.id
    WHERE s.test_instance_id = stopped.test_instance_id AND s.state NOT IN ('created', 'cancelled') ORDER BY s.id DESC LIMIT 1
  ) n ON true
  WHERE stopped.run_id = $1 AND stopped.state = 'cancelled' AND i.id = stopped.test_instance_id AND i.last_snapshot_id = stopped.id`;

const cancelPages = `
  WITH stopped AS (
    UPDATE crawl_page SET state = 'cancelled', fence = fence + 1, lease_until = NULL, outcome = 'cancelled', error_code = 'cancelled', error = $2
    WHERE run_id = $1 AND state IN ('queued', 'running') RETURNING 1
  )
  SELECT count(*)::int AS stopped FROM stopped`;

const lockRunning = `SELECT test_object_id FROM run WHERE id = $1 AND state = 'running' FOR UPDATE`;

const close = `
  UPDATE run SET state = 'cancelled', completed = completed + $2, total = CASE WHEN $3 THEN completed + $2 ELSE total END, finished_at = now(),
    found = found + $4, found_new = found_new + $5, failed = failed + $6
  WHERE id = $1 AND state = 'running'
  RETURNING id, test_object_id, kind, state, total, completed, failed, changed, found`;

/** Stops a fetch: what is not finished becomes cancelled. @returns null where the run was not running any more */
export async function cancelFetch(tx: Queryable, runId: string): Promise<RunProgress | null> {
  const stopped = await stop(tx, cancelSnapshots, runId);
  await tx.query(showNewest, [runId]);
  return closeRun(tx, runId, stopped, false);
}

/**
 * Stops a crawl or the reading of sitemaps; its run is locked first, as crawlers do it, so that no page is added behind our back.
 * Pages that wait for the address they say they should be known by wait no longer.
 */
export async function cancelCrawl(tx: Queryable, runId: string): Promise<RunProgress | null> {
  const [run] = await tx.query<{ test_object_id: string }>(lockRunning, [runId]);
  if (run === undefined) return null;
  const stopped = await stop(tx, cancelPages, runId);
  return closeRun(tx, runId, stopped, false, await settlePages(tx, runId, run.test_object_id));
}

/** Ends a run that has no rows of its own: what is done is all there will be. */
export function cancelRest(tx: Queryable, runId: string): Promise<RunProgress | null> {
  return closeRun(tx, runId, 0, true);
}

async function stop(tx: Queryable, statement: string, runId: string): Promise<number> {
  const [row] = await tx.query<{ stopped: number }>(statement, [runId, reason]);
  return row?.stopped ?? 0;
}

async function closeRun(
  tx: Queryable,
  runId: string,
  stopped: number,
  cut: boolean,
  { found, foundNew, failed }: SettledPages = { found: 0, foundNew: 0, failed: 0 },
): Promise<RunProgress | null> {
  const [row] = await tx.query<RunProgress>(close, [runId, stopped, cut, found, foundNew, failed]);
  return row ?? null;
}
