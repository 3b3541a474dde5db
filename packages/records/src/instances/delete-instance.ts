import type { Queryable } from "@web-tester/platform/database/database";
import { deleteChanges } from "../changes/queue-changes.js";
import { lowerRuns, type RunShare } from "../runs/run-counters.js";
import type { RunProgress } from "../runs/run-progress.js";
import { deleteEverySnapshotOf, lockSnapshotsOf } from "../snapshots/end-snapshots.js";

/*
 * The object is locked first (docs/architecture.md, "Order of locks"). Transactions that create snapshots lock it too, so no snapshot can
 * appear that the statements below do not see and that would be left uncounted.
 */
const lockObject = `
  SELECT id FROM test_object WHERE id = (SELECT test_object_id FROM test_instance WHERE id = $1) FOR NO KEY UPDATE`;

const deleteInstance = `DELETE FROM test_instance WHERE id = $1 RETURNING id`;

interface GoneSnapshot {
  run_id: string | null;
  state: string;
  /** Whether its run counts it as changed. */
  changed: boolean;
}

/** Deletes an instance with its snapshots, in a transaction. @returns the runs whose counters changed, or null when there is no such instance */
export async function deleteInstanceRows(tx: Queryable, id: string): Promise<RunProgress[] | null> {
  await tx.query(lockObject, [id]);
  const changed = await deleteChanges(tx, await lockSnapshotsOf(tx, id));
  const rows = await deleteEverySnapshotOf(tx, id);
  const gone = rows.map((row) => ({ ...row, changed: changed.has(row.id) }));
  const [instance] = await tx.query(deleteInstance, [id]);
  if (instance === undefined) return null;
  return lowerRuns(tx, sharesOf(gone));
}

/** Returns what the deleted snapshots had added to the counters of their runs. */
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
  // the same order everywhere, so that two deletions cannot deadlock
  return [...shares.values()].sort((one, other) => (one.run_id < other.run_id ? -1 : 1));
}
