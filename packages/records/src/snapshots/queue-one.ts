import type { Queryable } from "@web-tester/platform/database/database";
import { numberCreated, showQueued } from "../instances/show-snapshots.js";

const create = `
  WITH numbered AS (
    ${numberCreated("$1")}
  )
  INSERT INTO test_snapshot (test_instance_id, number, lane) SELECT id, last_number, 'now' FROM numbered RETURNING id`;

/** Creates a snapshot row whose fetch is not requested yet. @returns its id, or null when there is no such instance */
export async function createSnapshot(tx: Queryable, instanceId: string): Promise<string | null> {
  const [row] = await tx.query<{ id: string }>(create, [instanceId]);
  return row?.id ?? null;
}

const queueOne = `
  WITH moved AS (
    UPDATE test_snapshot SET state = 'queued', run_id = $2, lane = 'now', partition = $3, queued_at = now()
    WHERE id = $1 AND state = 'created' RETURNING id, test_instance_id
  ), shown AS (
    ${showQueued("moved")}
  )
  SELECT id FROM moved`;

/**
 * Queues a created snapshot for a run of its own.
 * @returns false when the snapshot does not exist any more, or was queued before: then nothing would ever end the run
 */
export async function queueSnapshot(
  tx: Queryable,
  snapshotId: string,
  runId: string,
  partition: number,
): Promise<boolean> {
  return (await tx.query(queueOne, [snapshotId, runId, partition])).length > 0;
}

const selectToFetch = `
  SELECT s.id, s.state, s.run_id, i.test_object_id, i.url
  FROM test_snapshot s JOIN test_instance i ON i.id = s.test_instance_id WHERE s.id = $1`;

export interface SnapshotToFetch {
  id: string;
  state: string;
  run_id: string | null;
  test_object_id: string;
  url: string;
}

export async function snapshotToFetch(tx: Queryable, snapshotId: string): Promise<SnapshotToFetch | null> {
  const [row] = await tx.query<SnapshotToFetch>(selectToFetch, [snapshotId]);
  return row ?? null;
}
