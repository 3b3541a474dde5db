import type { Database, Queryable } from "@web-tester/platform/database/database";
import { progressColumns } from "./run-counters.js";
import type { RunProgress } from "./run-progress.js";

/** Which table holds the rows of a run, by the run's kind. */
interface RunRows {
  kinds: readonly string[];
  /** The table of its rows, which have `run_id` and `state`. */
  table: "test_snapshot" | "crawl_page";
}

const fetchRuns: RunRows = { kinds: ["snapshot-all", "snapshot-one", "look"], table: "test_snapshot" };
const crawlRuns: RunRows = { kinds: ["crawl"], table: "crawl_page" };
const sitemapRuns: RunRows = { kinds: ["sitemaps"], table: "crawl_page" };

const noneOpen = (table: string) =>
  `NOT EXISTS (SELECT 1 FROM ${table} o WHERE o.run_id = run.id AND o.state NOT IN ('done', 'failed', 'cancelled'))`;

const candidates = ({ table }: RunRows) => `
  SELECT id FROM run WHERE state = 'running' AND kind = ANY($1) AND ${noneOpen(table)} ORDER BY id LIMIT 100`;

// a process that has locked the run is about to update it, so it is skipped
const lock = `SELECT id FROM run WHERE id = $1 AND state = 'running' FOR UPDATE SKIP LOCKED`;

const end = ({ table }: RunRows) => `
  UPDATE run SET total = n.total, completed = n.total, failed = n.failed, changed = n.changed, state = 'finished', finished_at = now()
  FROM (
    SELECT count(*)::int AS total, count(*) FILTER (WHERE r.state = 'failed')::int AS failed,
           ${table === "test_snapshot" ? "count(*) FILTER (WHERE c.state = 'done' AND c.kind = 'changed' AND c.significant)::int" : "0"} AS changed
    FROM ${table} r ${table === "test_snapshot" ? "LEFT JOIN change c ON c.snapshot_id = r.id" : ""} WHERE r.run_id = $1
  ) n
  WHERE run.id = $1 AND ${noneOpen(table)}
  RETURNING ${progressColumns}`;

/**
 * Ends runs that are running although none of their rows is open, and sets their counters from their rows. No known step leaves such a run
 * behind, but it would block the next run of its kind forever. A run that is just being started is never ended by this, because the run
 * and its rows become visible in one transaction. Transactions that change rows hold the run's lock until they have counted them, so with
 * the run locked all visible rows are counted.
 */
async function endIdleRuns(db: Database, rows: RunRows): Promise<RunProgress[]> {
  const found = await db.query<{ id: string }>(candidates(rows), [rows.kinds]);
  const ended: RunProgress[] = [];
  for (const { id } of found) {
    const run = await db.transaction((tx) => endIfIdle(tx, rows, id));
    if (run !== null) ended.push(run);
  }
  return ended;
}

async function endIfIdle(tx: Queryable, rows: RunRows, runId: string): Promise<RunProgress | null> {
  if ((await tx.query(lock, [runId])).length === 0) return null;
  const [run] = await tx.query<RunProgress>(end(rows), [runId]);
  return run ?? null;
}

/** @returns the fetch runs that were ended by this call */
export function endIdleFetches(db: Database): Promise<RunProgress[]> {
  return endIdleRuns(db, fetchRuns);
}

/** @returns the crawls that were ended by this call */
export function endIdleCrawls(db: Database): Promise<RunProgress[]> {
  return endIdleRuns(db, crawlRuns);
}

/** @returns the sitemap crawls that were ended by this call */
export function endIdleSitemaps(db: Database): Promise<RunProgress[]> {
  return endIdleRuns(db, sitemapRuns);
}
