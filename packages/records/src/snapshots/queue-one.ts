import type { Queryable } from "@web-tester/platform/database/database";

const instanceOfObject = `
  INSERT INTO test_instance (test_object_id, url, name) VALUES ($1, $2, $3)
  ON CONFLICT (test_object_id, url) DO UPDATE SET name = test_instance.name
  RETURNING id`;

/** Makes the instance of an address, or finds it. @returns its id */
export async function ensureInstance(tx: Queryable, objectId: string, url: string, name: string): Promise<string> {
  const [row] = await tx.query<{ id: string }>(instanceOfObject, [objectId, url, name]);
  if (row === undefined) throw new Error("INSERT … RETURNING gave no row");
  return row.id;
}

const create = `
  WITH numbered AS (
    UPDATE test_instance SET last_number = last_number + 1, snapshots_total = snapshots_total + 1 WHERE id = $1 RETURNING id, last_number
  )
  INSERT INTO test_snapshot (test_instance_id, number, lane) SELECT id, last_number, 'now' FROM numbered RETURNING id`;

/** Makes a snapshot row whose fetch nobody asked for yet. @returns its id, or null where there is no such instance */
export async function createSnapshot(tx: Queryable, instanceId: string): Promise<string | null> {
  const [row] = await tx.query<{ id: string }>(create, [instanceId]);
  return row?.id ?? null;
}

/*
 * Status 6 is queued. An instance shows its newest snapshot that was asked for, so a row made earlier than that one and
 * fetched later changes nothing there.
 */
const queueOne = `
  WITH moved AS (
    UPDATE test_snapshot SET state = 'queued', run_id = $2, lane = 'now', partition = $3, queued_at = now()
    WHERE id = $1 AND state = 'created' RETURNING id, test_instance_id
  ), shown AS (
    UPDATE test_instance i SET status = 6, last_snapshot_id = m.id, last_snapshot_at = now()
    FROM moved m WHERE i.id = m.test_instance_id AND (i.last_snapshot_id IS NULL OR i.last_snapshot_id < m.id)
  )
  SELECT id FROM moved`;

/**
 * Moves a created snapshot to queued, for a run of its own.
 * @returns false where there is no such snapshot any more, or it was queued before: then nobody would ever end the run
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

/** @returns the object an instance belongs to, or null */
export async function objectOfInstance(tx: Queryable, instanceId: string): Promise<string | null> {
  const [row] = await tx.query<{ test_object_id: string }>(`SELECT test_object_id FROM test_instance WHERE id = $1`, [
    instanceId,
  ]);
  return row?.test_object_id ?? null;
}
