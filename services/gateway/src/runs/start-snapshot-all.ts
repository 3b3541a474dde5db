import { pagesPerFetchMax } from "@web-tester/contracts/messages";
import type { Bus, OutgoingWork } from "@web-tester/platform/bus/bus";
import type { Database } from "@web-tester/platform/database/database";
import type { Logger } from "@web-tester/platform/log/logger";
import { chunkByHost } from "@web-tester/platform/database/chunk";
import { announce } from "../http/announce.js";
import { queueAll, snapshotsOfRun } from "@web-tester/records/snapshots/queue-all";
import { insertRun } from "@web-tester/records/runs/start-run";
import { lockForStart } from "./start-run.js";

const pieceSize = 5_000;

/**
 * Queues a snapshot of every instance of an object.
 * @param hostConcurrency messages in flight per host: decides how many rows a message carries
 * @throws AppError not_found, conflict
 */
export async function startSnapshotAll(
  db: Database,
  bus: Bus,
  log: Logger,
  hostConcurrency: number,
  objectId: string,
): Promise<{ created: number; runId: string | null }> {
  const started = await db.transaction(async (tx) => {
    const object = await lockForStart(tx, objectId, "snapshot-all");
    const [any] = await tx.query(`SELECT 1 FROM test_instance WHERE test_object_id = $1 LIMIT 1`, [objectId]);
    if (any === undefined) return null;
    const runId = await insertRun(tx, objectId, "snapshot-all", 0);
    return { runId, created: await queueAll(tx, objectId, runId, new URL(object.url).host) };
  });
  if (started === null) return { created: 0, runId: null };
  bus.publishEvent({
    type: "snapshotAll:queued",
    testobjectId: objectId,
    runId: started.runId,
    created: started.created,
  });
  bus.logLine(started.runId, "info", `${started.created} snapshots queued`);
  for await (const piece of snapshotsOfRun(db, started.runId, pieceSize)) {
    const messages = chunkByHost(piece, hostConcurrency, pagesPerFetchMax).flatMap(({ rows, ...at }) =>
      fetchMessage("bulk", at, rows),
    );
    // the caller shall not wait for a bus that is away once per piece
    if (!(await announce(bus, log, messages))) break;
  }
  return { created: started.created, runId: started.runId };
}

/** @param rows snapshots of one host that were never published before */
export function fetchMessage(
  lane: "now" | "bulk",
  { host, partition }: { host: string; partition: number },
  rows: readonly { id: string }[],
): OutgoingWork[] {
  const first = rows[0];
  if (first === undefined) return [];
  const body = { snapshotIds: rows.map((row) => row.id), host };
  return [{ name: "fetch", lane, partition, body, dedupeId: `${first.id}:0` }];
}
