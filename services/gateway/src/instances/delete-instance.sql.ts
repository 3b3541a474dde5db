import type { Queryable } from "@web-tester/platform/db/database";
import type { RunProgress } from "@web-tester/platform/db/moves/run-progress";

/** Order of locks, the same as when snapshots finish: snapshots, instance, runs. */
const deleteSnapshots = `
  DELETE FROM test_snapshot s WHERE test_instance_id = $1
  RETURNING run_id, state, (SELECT kind FROM change c WHERE c.snapshot_id = s.id) AS change`;

const deleteInstance = `DELETE FROM test_instance WHERE id = $1 RETURNING id`;

/** A run that goes on counts the rows that there are; one that is over keeps its numbers as history. */
const lowerRuns = `
  WITH gone AS (
    SELECT * FROM jsonb_to_recordset($1::jsonb) AS g (run_id uuid, total int, completed int, failed int, changed int)
  )
  UPDATE run SET
    total = run.total - g.total, completed = run.completed - g.completed, failed = run.failed - g.failed, changed = greatest(0, run.changed - g.changed),
    state = CASE WHEN run.completed - g.completed >= run.total - g.total THEN 'finished' ELSE run.state END,
    finished_at = CASE WHEN run.completed - g.completed >= run.total - g.total THEN now() ELSE run.finished_at END
  FROM gone g WHERE run.id = g.run_id AND run.state = 'running'
  RETURNING run.id, run.test_object_id, run.kind, run.state, run.total, run.completed, run.failed, run.changed, run.found`;

interface GoneSnapshot {
  run_id: string | null;
  state: string;
  change: string | null;
}

/** Deletes an instance with its snapshots, in a transaction. @returns the runs whose counters moved, or null where there is no such instance */
export async function deleteInstanceRows(tx: Queryable, id: string): Promise<RunProgress[] | null> {
  const gone = await tx.query<GoneSnapshot>(deleteSnapshots, [id]);
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
  for (const { run_id: runId, state, change } of gone) {
    if (runId === null) continue;
    const share = shares.get(runId) ?? { run_id: runId, total: 0, completed: 0, failed: 0, changed: 0 };
    shares.set(runId, share);
    share.total++;
    if (state === "done" || state === "failed" || state === "cancelled") share.completed++;
    if (state === "failed") share.failed++;
    if (change === "changed") share.changed++;
  }
  // one order for all, so that two deletions never wait for one another
  return [...shares.values()].sort((one, other) => (one.run_id < other.run_id ? -1 : 1));
}
