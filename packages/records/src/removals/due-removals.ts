import type { RemovalKind } from "@web-tester/contracts/entities/removal";
import type { Queryable } from "@web-tester/platform/database/database";
import { deleteInstanceRows } from "../instances/delete-instance.js";
import type { RunProgress } from "../runs/run-progress.js";
import { settleAfterDeletion } from "../runs/settle-run.js";

/** A removal whose undo time is over. */
export interface DueRemoval {
  id: string;
  objectId: string;
  kind: RemovalKind;
}

/** Instances that one transaction deletes. */
const instancesPerBatch = 25;

/** @returns the removal that has been due for longest, or null */
export async function nextDueRemoval(db: Queryable): Promise<DueRemoval | null> {
  const [row] = await db.query<DueRemoval>(
    `SELECT id, test_object_id AS "objectId", kind FROM removal WHERE due_at <= now() ORDER BY due_at LIMIT 1`,
  );
  return row ?? null;
}

const begin = `
  UPDATE removal SET begun = true WHERE id = $1 AND test_object_id = (SELECT id FROM test_object WHERE id = $2 FOR NO KEY UPDATE) RETURNING id`;

/**
 * Deletes the next instances of a removal, in a transaction; concurrent calls are serialised. After a crash the next call continues with
 * the instances that are left.
 * @returns the runs whose counters changed, and whether the removal is complete
 */
export async function removeNextInstances(
  tx: Queryable,
  { id, objectId }: DueRemoval,
): Promise<{ runs: RunProgress[]; over: boolean }> {
  const [begun] = await tx.query(begin, [id, objectId]);
  if (begun === undefined) return { runs: [], over: true };
  const next = await tx.query<{ id: string }>(
    `SELECT id FROM test_instance WHERE removal_id = $1 ORDER BY id LIMIT ${instancesPerBatch}`,
    [id],
  );
  const runs = new Map<string, RunProgress>();
  for (const instance of next)
    for (const run of (await deleteInstanceRows(tx, instance.id)) ?? []) runs.set(run.id, run);
  const over = next.length < instancesPerBatch;
  if (over) {
    await tx.query(`DELETE FROM removal WHERE id = $1`, [id]);
    await settleAfterDeletion(tx, objectId);
  }
  return { runs: [...runs.values()], over };
}

/** Deletes the row of a removal whose deletion begins in the same transaction. @returns false when it was undone meanwhile */
export async function takeRemoval(tx: Queryable, id: string): Promise<boolean> {
  return (await tx.query(`DELETE FROM removal WHERE id = $1 RETURNING id`, [id])).length > 0;
}

/** Postpones a removal, because another deletion is in the way. */
export async function postponeRemoval(db: Queryable, id: string, seconds: number): Promise<void> {
  await db.query(`UPDATE removal SET due_at = now() + make_interval(secs => $2) WHERE id = $1`, [id, seconds]);
}
