import { partitions } from "@web-tester/contracts/messages";
import { freePartition, partitionOf } from "@web-tester/platform/bus/partition";
import type { Queryable } from "@web-tester/platform/database/database";
import { isLongGone, numberQueued, numberQueuedOf, pathOf } from "../instances/show-snapshots.js";
import { setTotal } from "../runs/run-counters.js";

const hosts = `SELECT DISTINCT split_part(url, '/', 3) AS host FROM test_instance WHERE test_object_id = $1`;

/*
 * Inserts one snapshot per instance, and updates the instances' counters and the run's total, in a single statement. Addresses of instances
 * are canonical, so the host is the text between the second and the third slash.
 */
const queueNumbered = (numbered: string) => `
  WITH moved AS (
    ${numbered}
  ), made AS (
    INSERT INTO test_snapshot (id, test_instance_id, run_id, number, state, lane, partition, queued_at)
    SELECT m.last_snapshot_id, m.id, $2, m.last_number, 'queued', 'bulk', coalesce(p.partition, $5), now()
    FROM moved m LEFT JOIN unnest($3::text[], $4::int[]) AS p (host, partition) ON p.host = split_part(m.url, '/', 3)
    RETURNING id
  )
  ${setTotal("$2", "made")}`;
const queue = queueNumbered(numberQueued("$1", "$6"));
const queueNamed = queueNumbered(numberQueuedOf("$1"));

/** Whether an object has a page whose path matches. @param path wildcard over path and query; null for any */
export async function hasPages(tx: Queryable, objectId: string, path: string | null): Promise<boolean> {
  const [any] = await tx.query(
    `SELECT 1 FROM test_instance WHERE test_object_id = $1 AND ($2::text IS NULL OR ${pathOf("url")} LIKE $2) AND removal_id IS NULL AND NOT ${isLongGone} LIMIT 1`,
    [objectId, path === null ? null : likePattern(path)],
  );
  return any !== undefined;
}

// any snapshot shows the partition of its run, as most sites have a single host
const busy = `
  SELECT s.partition FROM run r
  CROSS JOIN LATERAL (SELECT partition FROM test_snapshot WHERE run_id = r.id LIMIT 1) s
  WHERE r.state = 'running' AND r.kind = 'snapshot-all' AND r.id <> $1`;

/**
 * Queues a snapshot of every instance for a run, if possible in partitions that other runs do not use. 100,000 instances take a few seconds
 * and no memory in this process.
 * @param path wildcard over path and query of the pages to fetch; null for all
 * @param objectHost determines the partition of instances that are added meanwhile
 * @returns number of snapshots queued
 */
export async function queueAll(
  tx: Queryable,
  objectId: string,
  runId: string,
  objectHost: string,
  path: string | null = null,
): Promise<number> {
  const spread = await spreadHosts(tx, objectId, runId, objectHost);
  const [row] = await tx.query<{ total: number }>(queue, [
    objectId,
    runId,
    ...spread,
    path === null ? null : likePattern(path),
  ]);
  return row?.total ?? 0;
}

/** Queues a snapshot of each named instance of an object. @returns number of snapshots queued */
export async function queueNamedInstances(
  tx: Queryable,
  objectId: string,
  runId: string,
  objectHost: string,
  instanceIds: readonly string[],
): Promise<number> {
  const spread = await spreadHosts(tx, objectId, runId, objectHost);
  const [row] = await tx.query<{ total: number }>(queueNamed, [instanceIds, runId, ...spread]);
  return row?.total ?? 0;
}

/** @returns the hosts of an object's pages, the partition of each, and the partition for any other host */
async function spreadHosts(
  tx: Queryable,
  objectId: string,
  runId: string,
  objectHost: string,
): Promise<[hosts: string[], partitions: number[], other: number]> {
  const known = (await tx.query<{ host: string }>(hosts, [objectId])).map((row) => row.host);
  const others = (await tx.query<{ partition: number }>(busy, [runId])).map((row) => row.partition);
  const own = partitionOf(objectHost);
  // all hosts are shifted by the same amount, so that they collide no more often than without the shift
  const shift = freePartition(own, others) - own;
  const partitionFor = (host: string) => (partitionOf(host) + shift + partitions) % partitions;
  return [known, known.map(partitionFor), partitionFor(objectHost)];
}

/** Converts a wildcard (`*`) to a LIKE pattern. */
const likePattern = (wildcard: string) => wildcard.replaceAll(/[\\%_]/g, "\\$&").replaceAll("*", "%");

// ordered by instance, because the index on run and instance gives that order
const queued = `
  SELECT s.id, s.partition, s.test_instance_id, split_part(i.url, '/', 3) AS host
  FROM test_snapshot s JOIN test_instance i ON i.id = s.test_instance_id
  WHERE s.run_id = $1 AND s.test_instance_id > $2 ORDER BY s.test_instance_id LIMIT $3`;

const firstId = "00000000-0000-0000-0000-000000000000";

interface QueuedRow {
  id: string;
  host: string;
  partition: number;
  test_instance_id: string;
}

/** Yields the snapshots of a run in batches, in the order of its instances, so that no run is ever completely in memory. */
export async function* snapshotsOfRun(db: Queryable, runId: string, pieceSize: number): AsyncGenerator<QueuedRow[]> {
  for (let after = firstId; ;) {
    const piece = await db.query<QueuedRow>(queued, [runId, after, pieceSize]);
    const last = piece.at(-1);
    if (last === undefined) return;
    yield piece;
    after = last.test_instance_id;
  }
}
