import type { Queryable } from "@web-tester/platform/database/database";
import { showNewest } from "../instances/show-snapshots.js";
import { cancelPages } from "../pages/close-pages.js";
import { type SettledPages, settlePages } from "../pages/settle-pages.js";
import { cancelSnapshots } from "../snapshots/end-snapshots.js";
import { progressColumns } from "./run-counters.js";
import type { RunProgress } from "./run-progress.js";

const reason = "Stopped before it was fetched";

const lockRunning = `SELECT test_object_id FROM run WHERE id = $1 AND state = 'running' FOR UPDATE`;

const close = `
  UPDATE run SET state = 'cancelled', completed = completed + $2, total = CASE WHEN $3 THEN completed + $2 ELSE total END, finished_at = now(), stopped = $2,
    found = found + $4, found_new = found_new + $5, failed = failed + $6
  WHERE id = $1 AND state = 'running'
  RETURNING ${progressColumns}`;

/**
 * Stops a fetch: unfinished snapshots become cancelled. Locks are taken in the same order as when snapshots finish: snapshots, instances,
 * run.
 * @returns null when the run was not running any more
 */
export async function cancelFetch(tx: Queryable, runId: string): Promise<RunProgress | null> {
  const stopped = await cancelSnapshots(tx, runId, reason);
  await showNewest(tx, runId);
  return closeRun(tx, runId, stopped, false);
}

/**
 * Stops a crawl or sitemap crawl; its run is locked first, as crawlers do, so that no page is added meanwhile. Pages that wait for their
 * canonical address are settled.
 */
export async function cancelCrawl(tx: Queryable, runId: string): Promise<RunProgress | null> {
  const [run] = await tx.query<{ test_object_id: string }>(lockRunning, [runId]);
  if (run === undefined) return null;
  const stopped = await cancelPages(tx, runId, reason);
  return closeRun(tx, runId, stopped, false, await settlePages(tx, runId, run.test_object_id));
}

/** Ends a run that has no rows of its own: its total becomes the number of completed rows. */
export function cancelRest(tx: Queryable, runId: string): Promise<RunProgress | null> {
  return closeRun(tx, runId, 0, true);
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
