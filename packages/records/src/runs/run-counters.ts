import type { Queryable } from "@web-tester/platform/database/database";
import type { RunProgress } from "./run-progress.js";

/** The columns that a statement which changes a run's counters returns (`RunProgress`). */
export const progressColumns = [
  "id",
  "test_object_id",
  "kind",
  "state",
  "total",
  "completed",
  "failed",
  "changed",
  "found",
]
  .map((column) => `run.${column}`)
  .join(", ");

/* Runs are locked in the order of their ids to avoid deadlocks, because other batches of rows count in them too. */

/**
 * SQL: CTEs that count fetched snapshots, and end runs that have none left. `counted` returns the runs after the update.
 * @param rows CTE of the snapshots, with `run_id` and `state` (done or failed)
 */
export const countFetched = (rows: string) => `
  runs AS (
    SELECT id FROM run WHERE id IN (SELECT run_id FROM ${rows}) ORDER BY id FOR NO KEY UPDATE
  ), counted AS (
    UPDATE run SET
      completed = run.completed + n.completed, failed = run.failed + n.failed,
      state = CASE WHEN run.state = 'running' AND run.completed + n.completed >= run.total THEN 'finished' ELSE run.state END,
      finished_at = CASE WHEN run.state = 'running' AND run.completed + n.completed >= run.total THEN now() ELSE run.finished_at END
    FROM runs JOIN (SELECT run_id, count(*)::int AS completed, count(*) FILTER (WHERE state = 'failed')::int AS failed FROM ${rows} GROUP BY run_id) n ON n.run_id = runs.id
    WHERE run.id = runs.id
    RETURNING ${progressColumns}
  )`;

/**
 * SQL: CTEs that count the results of comparisons; `counted` as in `countFetched`.
 * @param counts CTE with `run_id` and `n`, the difference in the number of changed snapshots, which may be negative
 */
export const countChanged = (counts: string) => `
  runs AS (
    SELECT id FROM run WHERE id IN (SELECT run_id FROM ${counts}) ORDER BY id FOR NO KEY UPDATE
  ), counted AS (
    UPDATE run SET changed = greatest(0, run.changed + c.n) FROM runs JOIN ${counts} c ON c.run_id = runs.id WHERE run.id = runs.id
    RETURNING ${progressColumns}
  )`;

/** SQL: sets a run's total to the number of rows of a CTE. @param run parameter with the run's id */
export const setTotal = (run: string, rows: string) =>
  `UPDATE run SET total = (SELECT count(*) FROM ${rows}) WHERE id = ${run} RETURNING total`;

/** What deleted snapshots had added to the counters of their run. */
export interface RunShare {
  run_id: string;
  total: number;
  completed: number;
  failed: number;
  changed: number;
}

const lower = `
  WITH gone AS (
    SELECT * FROM jsonb_to_recordset($1::jsonb) AS g (run_id uuid, total int, completed int, failed int, changed int)
  ), locked AS (
    SELECT id FROM run WHERE id IN (SELECT run_id FROM gone) AND state = 'running' ORDER BY id FOR NO KEY UPDATE
  )
  UPDATE run SET
    total = run.total - g.total, completed = run.completed - g.completed, failed = run.failed - g.failed, changed = greatest(0, run.changed - g.changed),
    state = CASE WHEN run.completed - g.completed >= run.total - g.total THEN 'finished' ELSE run.state END,
    finished_at = CASE WHEN run.completed - g.completed >= run.total - g.total THEN now() ELSE run.finished_at END
  FROM gone g JOIN locked ON locked.id = g.run_id WHERE run.id = g.run_id
  RETURNING ${progressColumns}`;

const correct = `
  WITH gone AS (
    SELECT * FROM jsonb_to_recordset($1::jsonb) AS g (run_id uuid, total int, completed int, failed int, changed int)
  ), locked AS (
    SELECT id FROM run WHERE id IN (SELECT run_id FROM gone) ORDER BY id FOR NO KEY UPDATE
  )
  UPDATE run SET total = run.total - g.total, completed = run.completed - g.completed, failed = run.failed - g.failed,
    changed = greatest(0, run.changed - g.changed)
  FROM gone g JOIN locked ON locked.id = g.run_id WHERE run.id = g.run_id`;

/** Subtracts snapshots from runs that are over and counted one page twice. */
export async function correctRuns(tx: Queryable, shares: readonly RunShare[]): Promise<void> {
  if (shares.length > 0) await tx.query(correct, [JSON.stringify(shares)]);
}

/**
 * Subtracts deleted snapshots from running runs; a run that is over keeps its numbers as history.
 * @returns the runs whose counters changed
 */
export async function lowerRuns(tx: Queryable, shares: readonly RunShare[]): Promise<RunProgress[]> {
  return shares.length === 0 ? [] : tx.query<RunProgress>(lower, [JSON.stringify(shares)]);
}
