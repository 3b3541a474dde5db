import { messages } from "@web-tester/contracts/messages";
import { type Bus, type Delivery, done, type Outcome } from "@web-tester/platform/bus/bus";
import type { Database } from "@web-tester/platform/db/database";
import {
  loadPendingChanges,
  type PendingChange,
  recordChanges,
  type RecordedChange,
} from "@web-tester/platform/db/moves/change-record";
import { fetchProgress } from "@web-tester/platform/db/moves/run-progress";
import { chunkRows } from "@web-tester/platform/work/chunk";
import type { Comparer } from "./comparer.js";

/** Of one message. */
const comparisonsAtOnce = 4;

export interface RecordChangesDeps {
  db: Database;
  bus: Bus;
  comparer: Comparer;
  /** New content may wait to be made searchable. */
  onRecorded(): void;
}

/**
 * Handler of `diff`: compares finished snapshots with the finished one before each and records kind and counts. Equal
 * hashes cost no comparison. Comparing twice writes once, so no lease is needed.
 */
export function createRecordChanges({
  db,
  bus,
  comparer,
  onRecorded,
}: RecordChangesDeps): (body: { snapshotIds: string[] }, delivery: Delivery) => Promise<Outcome> {
  const { maxInFlight } = messages.diff;

  return async ({ snapshotIds }, delivery) => {
    const pending = await loadPendingChanges(db, snapshotIds);
    if (pending.length === 0) return done;
    const timer = setInterval(delivery.working, delivery.ackWaitMs / 4);
    try {
      const results = await compareAll(pending, comparer);
      const recorded = await recordChanges(db, results);
      onRecorded();
      announce(bus, pending, results, new Set(recorded.moved));
      for (const run of recorded.runs) bus.publishEvent(fetchProgress(run));
      await bus.publish(
        chunkRows(recorded.stale, maxInFlight).flatMap((chunk) => {
          const first = chunk[0];
          return first === undefined
            ? []
            : [
                {
                  name: "diff" as const,
                  body: { snapshotIds: chunk.map((row) => row.id) },
                  dedupeId: `${first.id}:${first.generation}`,
                },
              ];
        }),
      );
    } finally {
      clearInterval(timer);
    }
    return done;
  };
}

/** However many changes one message has, few pairs of documents are in memory, and none waits for a thread for long. */
async function compareAll(pending: readonly PendingChange[], comparer: Comparer): Promise<RecordedChange[]> {
  const results: RecordedChange[] = [];
  const waiting = [...pending];
  const work = async () => {
    for (let change = waiting.shift(); change !== undefined; change = waiting.shift())
      results.push(await compareWithPrevious(change, comparer));
  };
  await Promise.all(Array.from({ length: comparisonsAtOnce }, work));
  return results;
}

async function compareWithPrevious(change: PendingChange, comparer: Comparer): Promise<RecordedChange> {
  const blank = {
    id: change.id,
    generation: change.generation,
    previousId: change.previousId,
    added: 0,
    removed: 0,
    coarse: false,
  };
  if (change.previousHash === null) return { ...blank, kind: "first" };
  if (change.previousHash === change.hash) return { ...blank, kind: "unchanged" };
  const counts = await comparer.count(
    { sha256: change.previousHash, charset: change.previousCharset ?? "utf-8" },
    { sha256: change.hash, charset: change.charset ?? "utf-8" },
  );
  return { ...blank, kind: "changed", ...counts };
}

function announce(
  bus: Bus,
  pending: readonly PendingChange[],
  results: readonly RecordedChange[],
  moved: ReadonlySet<string>,
): void {
  const byId = new Map(results.map((result) => [result.id, result]));
  for (const [testobjectId, changes] of Map.groupBy(pending, (change) => change.objectId)) {
    const recorded = changes.flatMap((change) => {
      const result = byId.get(change.id);
      return result === undefined || !moved.has(change.id)
        ? []
        : [
            {
              testinstanceId: change.instanceId,
              snapshotId: change.id,
              kind: result.kind,
              linesAdded: result.added,
              linesRemoved: result.removed,
            },
          ];
    });
    if (recorded.length > 0) bus.publishEvent({ type: "snapshot:changed", testobjectId, changes: recorded });
  }
}
