import type { Queryable } from "@web-tester/platform/database/database";
import type { RunProgress } from "../runs/run-progress.js";

/*
 * The object first (docs/architecture.md, "Order of locks"): whoever gives a page a snapshot holds it too, so every row that
 * the statements below do not see yet was refused, and none comes up between them and goes uncounted with its page.
 */
const lockObject = `
  SELECT id FROM test_object WHERE id = (SELECT test_object_id FROM test_instance WHERE id = $1) FOR NO KEY UPDATE`;

const lockSnapshots = `SELECT id FROM test_snapshot WHERE test_instance_id = $1 ORDER BY id FOR UPDATE`;

/*
 * A statement of its own, as the differ does not lock snapshots: here it is waited for, and what it wrote meanwhile is what is
 * given back. A subquery beside the deletion of the snapshot would still see what was before.
 */
const deleteChanges = `
  DELETE FROM change WHERE snapshot_id = ANY($1) RETURNING snapshot_id AS id, state = 'done' AND kind = 'changed' AS changed`;

const deleteSnapshots = `DELETE FROM test_snapshot WHERE test_instance_id = $1 RETURNING id, run_id, state`;

const deleteInstance = `DELETE FROM test_instance WHERE id = $1 RETURNING id`;

/** A run that goes on counts the rows that there are; one that is over keeps its numbers as history. */
const lowerRuns = `
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
  RETURNING run.id, run.test_object_id, run.kind, run.state, run.total, run.completed, run.failed, run.changed, run.found`;

interface GoneSnapshot {
  run_id: string | null;
  state: string;
  /** Counts among the changed ones of its run. */
  changed: boolean;
}

/** Deletes an instance with its snapshots, in a transaction. @returns the runs whose counters moved, or null where there is no such instance */
export async function deleteInstanceRows(tx: Queryable, id: string): Promise<RunProgress[] | null> {
  await tx.query(lockObject, [id]);
  const snapshots = await tx.query<{ id: string }>(lockSnapshots, [id]);
  const changes = await tx.query<{ id: string; changed: boolean }>(deleteChanges, [snapshots.map((row) => row.id)]);
  const changed = new Set(changes.flatMap((row) => (row.changed ? [row.id] : [])));
  const rows = await tx.query<{ id: string; run_id: string | null; state: string }>(deleteSnapshots, [id]);
  const gone = rows.map((row) => ({ ...row, changed: changed.has(row.id) }));
  const [instance] = await tx.query(deleteInstance, [id]);
  if (instance === undefined) return null;
  const shares = sharesOf(gone);
  return shares.length === 0 ? [] : tx.query<RunProgress>(lowerRuns, [JSON.stringify(shares)]);
}

/** What deleted snapshots counted in their runs. */
export interface RunShare {
  run_id: string;
  total: number;
  completed: number;
  failed: number;
  changed: number;
}

export function sharesOf(gone: readonly GoneSnapshot[]): RunShare[] {
  const shares = new Map<string, RunShare>();
  for (const { run_id: runId, state, changed } of gone) {
    if (runId === null) continue;
    const share = shares.get(runId) ?? { run_id: runId, total: 0, completed: 0, failed: 0, changed: 0 };
    shares.set(runId, share);
    share.total++;
    if (state === "done" || state === "failed" || state === "cancelled") share.completed++;
    if (state === "failed") share.failed++;
    if (changed) share.changed++;
  }
  // one order for all, so that two deletions never wait for one another
  return [...shares.values()].sort((one, other) => (one.run_id < other.run_id ? -1 : 1));
}
