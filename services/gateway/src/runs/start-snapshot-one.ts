import { AppError } from "@web-tester/contracts/errors";
import { jobWords } from "@web-tester/contracts/job-lines";
import type { Bus } from "@web-tester/platform/bus/bus";
import { startUrl } from "@web-tester/urls/page-url";
import { partitionOf } from "@web-tester/platform/bus/partition";
import type { Database, Queryable } from "@web-tester/platform/database/database";
import { fetchProgress } from "@web-tester/records/runs/run-progress";
import type { Logger } from "@web-tester/platform/log/logger";
import { notFound } from "../http/not-found.js";
import { announce } from "../http/announce.js";
import { ensureInstance, objectOfInstance } from "@web-tester/records/instances/create-instances";
import { isGoing } from "@web-tester/records/removals/plan-removal";
import { createSnapshot, queueSnapshot, snapshotToFetch } from "@web-tester/records/snapshots/queue-one";
import { insertRun, type Starter } from "@web-tester/records/runs/start-run";
import { lockForStart } from "./start-run.js";
import { fetchMessage } from "./start-snapshot-all.js";

/** A queued snapshot, to be announced after the commit. */
interface Queued {
  objectId: string;
  snapshotId: string;
  runId: string;
  host: string;
  partition: number;
  url: string;
}

/**
 * Creates or reuses the instance at the object's own address and queues a snapshot of it.
 * @throws AppError not_found, conflict
 */
export async function startSnapshotOne(
  db: Database,
  bus: Bus,
  log: Logger,
  objectId: string,
  by: Starter,
): Promise<{ testinstanceId: string; testsnapshotId: string }> {
  const started = await db.transaction(async (tx) => {
    const object = await lockForStart(tx, objectId, "snapshot-one");
    // normalised as a crawl would do it, or there would be two instances of one page
    const address = startUrl(object.url, object.dropParams);
    const url = new URL(address);
    const instanceId = await ensureInstance(tx, objectId, address, url.pathname + url.search);
    await requireStaying(tx, instanceId);
    const snapshotId = await createSnapshot(tx, instanceId);
    if (snapshotId === null) throw notFound("instance", instanceId);
    return { instanceId, queued: await queue(tx, objectId, snapshotId, address, by) };
  });
  await tell(bus, log, started.queued);
  return { testinstanceId: started.instanceId, testsnapshotId: started.queued.snapshotId };
}

/**
 * Creates a snapshot row for an instance; its fetch is asked for separately.
 * @throws AppError not_found, conflict
 */
export function createOne(db: Database, instanceId: string): Promise<string> {
  return db.transaction(async (tx) => {
    const objectId = await objectOfInstance(tx, instanceId);
    if (objectId === null) throw notFound("instance", instanceId);
    await lockForStart(tx, objectId, "snapshot-one");
    await requireStaying(tx, instanceId);
    const snapshotId = await createSnapshot(tx, instanceId);
    if (snapshotId === null) throw notFound("instance", instanceId);
    return snapshotId;
  });
}

/**
 * Queues the fetch of a snapshot that was created before; asking again changes nothing.
 * @throws AppError not_found, conflict
 */
export async function fetchOne(
  db: Database,
  bus: Bus,
  log: Logger,
  snapshotId: string,
  by: Starter,
): Promise<{ testsnapshotId: string; runId: string | null }> {
  const asked = await db.transaction(async (tx) => {
    const known = await snapshotToFetch(tx, snapshotId);
    if (known === null) throw notFound("snapshot", snapshotId);
    // a queued row is never locked here, because fetchers skip locked rows
    if (known.state === "created") await lockForStart(tx, known.test_object_id, "snapshot-one");
    // read again: of two callers at the same time the second has waited above for the first
    const snapshot = known.state === "created" ? await snapshotToFetch(tx, snapshotId) : known;
    if (snapshot === null) throw notFound("snapshot", snapshotId);
    if (snapshot.state !== "created") return { runId: snapshot.run_id, queued: null };
    const queued = await queue(tx, snapshot.test_object_id, snapshotId, snapshot.url, by);
    return { runId: queued.runId, queued };
  });
  if (asked.queued !== null) await tell(bus, log, asked.queued);
  return { testsnapshotId: snapshotId, runId: asked.runId };
}

/** Checks that a page is not about to be deleted, since a new snapshot would be deleted with it. */
async function requireStaying(tx: Queryable, instanceId: string): Promise<void> {
  if (await isGoing(tx, instanceId))
    throw new AppError(
      "conflict",
      "This page is about to be deleted. Undo that, or wait until it is done and try again.",
    );
}

async function queue(tx: Queryable, objectId: string, snapshotId: string, url: string, by: Starter): Promise<Queued> {
  const { host } = new URL(url);
  const partition = partitionOf(host);
  const runId = await insertRun(tx, objectId, "snapshot-one", 1, { by });
  if (!(await queueSnapshot(tx, snapshotId, runId, partition))) throw notFound("snapshot", snapshotId);
  return { objectId, snapshotId, runId, host, partition, url };
}

async function tell(
  bus: Bus,
  log: Logger,
  { objectId, snapshotId, runId, host, partition, url }: Queued,
): Promise<void> {
  bus.publishEvent(
    fetchProgress({
      id: runId,
      test_object_id: objectId,
      kind: "snapshot-one",
      state: "running",
      total: 1,
      completed: 0,
      failed: 0,
      changed: 0,
      found: 0,
    }),
  );
  bus.logLine(runId, "info", jobWords("snapshot-queued", { url }));
  await announce(bus, log, fetchMessage("now", { host, partition }, [{ id: snapshotId }]));
}
