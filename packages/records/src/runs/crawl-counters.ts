import type { BudgetName } from "@web-tester/contracts/entities/vocabulary";
import type { Queryable } from "@web-tester/platform/database/database";
import { prepared } from "@web-tester/platform/database/statement";
import { progressColumns } from "./run-counters.js";
import type { RunProgress } from "./run-progress.js";

/** A running crawl or sitemap crawl whose row this transaction has locked. */
export interface LockedCrawl {
  objectId: string;
  total: number;
  completed: number;
  /** Pages found; in a sitemap crawl all other rows are files. */
  found: number;
  bytes: number;
  endedBy: string | null;
  ageS: number;
}

const lock = prepared(`
  SELECT test_object_id AS "objectId", total, completed, found, bytes::float8 AS bytes, ended_by AS "endedBy",
         extract(epoch FROM now() - created_at)::float8 AS "ageS"
  FROM run WHERE id = $1 AND state = 'running' FOR UPDATE`);

/**
 * Locks a run to count its pages, so that batches of one run are serialised.
 * @returns null when the run is over
 */
export async function lockCrawl(tx: Queryable, runId: string): Promise<LockedCrawl | null> {
  const [run] = await tx.query<LockedCrawl>(lock, [runId]);
  return run ?? null;
}

/** What is added to a run's counters. */
export interface RunGrowth {
  total: number;
  completed: number;
  failed: number;
  found: number;
  foundNew: number;
  bytes: number;
  endedBy: BudgetName | null;
}

export const noGrowth: RunGrowth = {
  total: 0,
  completed: 0,
  failed: 0,
  found: 0,
  foundNew: 0,
  bytes: 0,
  endedBy: null,
};

const count = prepared(`
  UPDATE run SET
    bytes = bytes + $7, ended_by = coalesce(ended_by, $8),
    total = total + $2, completed = completed + $3, failed = failed + $4, found = found + $5, found_new = found_new + $6,
    state = CASE WHEN completed + $3 >= total + $2 THEN 'finished' ELSE state END,
    finished_at = CASE WHEN completed + $3 >= total + $2 THEN now() ELSE finished_at END
  WHERE id = $1
  RETURNING ${progressColumns}`);

/** Adds to a run's counters, and finishes the run when nothing is left; call it in the transaction that changed the rows, with the run locked. */
export async function countVisited(tx: Queryable, runId: string, growth: RunGrowth): Promise<RunProgress | null> {
  const [row] = await tx.query<RunProgress>(count, [
    runId,
    growth.total,
    growth.completed,
    growth.failed,
    growth.found,
    growth.foundNew,
    growth.bytes,
    growth.endedBy,
  ]);
  return row ?? null;
}

const countLate = `UPDATE run SET found = found + $2, found_new = found_new + $3, failed = failed + $4 WHERE id = $1`;

/** Adds to the counters of a crawl that has already ended. */
export async function countSettled(
  tx: Queryable,
  runId: string,
  { found, foundNew, failed }: Pick<RunGrowth, "found" | "foundNew" | "failed">,
): Promise<void> {
  if (found + failed > 0) await tx.query(countLate, [runId, found, foundNew, failed]);
}

const unmatched = `SELECT id FROM run WHERE kind = 'crawl' AND NOT links_settled AND state <> 'running' ORDER BY id LIMIT 16`;

/** Crawls that have ended and whose broken links are still to be matched with the pages that contain them. */
export async function crawlsToMatch(db: Queryable): Promise<string[]> {
  return (await db.query<{ id: string }>(unmatched)).map(({ id }) => id);
}

const lockUnmatched = `
  SELECT test_object_id AS "objectId" FROM run WHERE id = $1 AND state <> 'running' AND NOT links_settled FOR UPDATE`;

/** Locks one of these crawls. @returns its object; null when another worker has settled it */
export async function lockCrawlToMatch(tx: Queryable, runId: string): Promise<string | null> {
  const [run] = await tx.query<{ objectId: string }>(lockUnmatched, [runId]);
  return run?.objectId ?? null;
}

// rows that another worker is deleting remain visible until it commits
const markMatched = `
  UPDATE run SET links_settled = true WHERE id = $1 AND state <> 'running' AND NOT EXISTS (SELECT 1 FROM crawl_link WHERE run_id = $1)`;

/** Records that all links of a crawl are matched, unless some are left. */
export async function markLinksMatched(db: Queryable, runId: string): Promise<void> {
  await db.query(markMatched, [runId]);
}
