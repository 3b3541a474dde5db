import type { Queryable } from "@web-tester/platform/database/database";

const some = `
  WITH gone AS (
    DELETE FROM test_snapshot WHERE id IN (
      SELECT id FROM test_snapshot WHERE test_instance_id = ANY($1) ORDER BY test_instance_id, id LIMIT $2 FOR UPDATE
    ) RETURNING 1
  )
  SELECT count(*)::int AS gone FROM gone`;

/** @returns how many were deleted; fewer than `limit` means that none are left */
export async function deleteSnapshotsOf(tx: Queryable, instanceIds: readonly string[], limit: number): Promise<number> {
  const [row] = await tx.query<{ gone: number }>(some, [instanceIds, limit]);
  return row?.gone ?? 0;
}

const lock = `SELECT id FROM test_snapshot WHERE test_instance_id = $1 ORDER BY id FOR UPDATE`;

/** Locks an instance's snapshots until the transaction ends. @returns their ids */
export async function lockSnapshotsOf(tx: Queryable, instanceId: string): Promise<string[]> {
  return (await tx.query<{ id: string }>(lock, [instanceId])).map(({ id }) => id);
}

const all = `DELETE FROM test_snapshot WHERE test_instance_id = $1 RETURNING id, run_id, state`;

export interface DeletedSnapshot {
  id: string;
  run_id: string | null;
  state: string;
}

/** Deletes all snapshots of an instance. */
export function deleteEverySnapshotOf(tx: Queryable, instanceId: string): Promise<DeletedSnapshot[]> {
  return tx.query<DeletedSnapshot>(all, [instanceId]);
}

// the fence is raised, so that a worker that holds the row cannot write any more
const cancel = `
  WITH open AS (
    SELECT id FROM test_snapshot WHERE run_id = $1 AND state IN ('queued', 'running') ORDER BY id FOR UPDATE
  ), stopped AS (
    UPDATE test_snapshot s SET state = 'cancelled', fence = s.fence + 1, lease_until = NULL, error_code = 'cancelled', error = $2
    FROM open WHERE s.id = open.id RETURNING s.id
  )
  SELECT count(*)::int AS stopped FROM stopped`;

/** Cancels the unfinished snapshots of a run. @param reason stored with the snapshots @returns how many snapshots */
export async function cancelSnapshots(tx: Queryable, runId: string, reason: string): Promise<number> {
  const [row] = await tx.query<{ stopped: number }>(cancel, [runId, reason]);
  return row?.stopped ?? 0;
}
