import { changesPerMessageMax } from "@web-tester/contracts/messages";
import type { Queryable } from "@web-tester/platform/database/database";
import { countChanged } from "../runs/run-counters.js";
import { lostRows, type Recoverable } from "../leases/lost-rows.js";

/** SQL: queues the comparison of snapshots with the ones before them. @param snapshots SELECT of ids of finished snapshots */
export const queueChanges = (snapshots: string) =>
  `INSERT INTO change (snapshot_id) ${snapshots} ON CONFLICT DO NOTHING`;

/** Finds comparisons that lost their message. They have no lease, because comparing twice writes once. */
export const recoverChanges: Recoverable<"diff"> = {
  name: "diff",
  requeueExpired: async () => 0,
  ...lostRows({ table: "change", key: "snapshot_id", waiting: "state = 'queued'" }),
  rowsPerMessage: changesPerMessageMax,
  body: (snapshotIds) => ({ snapshotIds }),
};

const requeue = `
  WITH again AS (
    UPDATE change c SET state = 'queued', generation = c.generation + 1, queued_at = now() FROM test_snapshot s
    WHERE c.snapshot_id = $1 AND s.id = c.snapshot_id
    RETURNING s.run_id, old.state = 'done' AND old.kind = 'changed' AND old.significant AS was_counted
  ), counts AS (
    SELECT run_id, -1 AS n FROM again WHERE was_counted AND run_id IS NOT NULL
  ), ${countChanged("counts")}
  SELECT count(*) FROM counted`;

/** Has a snapshot compared again, for another one is before it now; the message is sent by whoever looks for lost ones. */
export async function requeueChange(tx: Queryable, snapshotId: string): Promise<void> {
  await tx.query(requeue, [snapshotId]);
}

/*
 * A statement of its own: it waits for the differ, which does not lock snapshots, and returns what that wrote
 * meanwhile. A subquery beside the deletion of the snapshot would still see the rows from before.
 */
const deleteAll = `
  DELETE FROM change WHERE snapshot_id = ANY($1) RETURNING snapshot_id AS id, state = 'done' AND kind = 'changed' AND significant AS changed`;

/** Deletes the comparisons of snapshots that are locked. @returns those that counted as changed */
export async function deleteChanges(tx: Queryable, snapshotIds: readonly string[]): Promise<Set<string>> {
  const rows = await tx.query<{ id: string; changed: boolean }>(deleteAll, [snapshotIds]);
  return new Set(rows.flatMap((row) => (row.changed ? [row.id] : [])));
}

const orphans = `
  SELECT c.snapshot_id, c.previous_id FROM change c JOIN test_snapshot s ON s.id = c.snapshot_id
  WHERE s.test_instance_id = ANY($1) AND c.previous_id = ANY($2)`;

const adopt = `
  UPDATE change c SET previous_id = a.previous_id
  FROM jsonb_to_recordset($1::jsonb) AS a (snapshot_id uuid, previous_id uuid) WHERE c.snapshot_id = a.snapshot_id`;

/** A removed snapshot with the result of its comparison. */
export interface RemovedSnapshot {
  id: string;
  test_instance_id: string;
  kind: string | null;
  previous_id: string | null;
}

/**
 * Gives comparisons whose previous snapshot was removed another one of equal content: an unchanged snapshot has the
 * content of the one before it. Where there is none, the comparison keeps no previous snapshot.
 */
export async function passOverRemoved(tx: Queryable, removed: readonly RemovedSnapshot[]): Promise<void> {
  const byId = new Map(removed.map((snapshot) => [snapshot.id, snapshot]));
  const left = await tx.query<{ snapshot_id: string; previous_id: string }>(orphans, [
    [...new Set(removed.map((snapshot) => snapshot.test_instance_id))],
    [...byId.keys()],
  ]);
  const adopted = left.map(({ snapshot_id: snapshotId, previous_id: previousId }) => {
    let at: string | null = previousId;
    for (let link = byId.get(at); link !== undefined; link = at === null ? undefined : byId.get(at))
      at = link.kind === "unchanged" ? link.previous_id : null;
    return { snapshot_id: snapshotId, previous_id: at };
  });
  if (adopted.length > 0) await tx.query(adopt, [JSON.stringify(adopted)]);
}
