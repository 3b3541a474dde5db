import { jobWords } from "@web-tester/contracts/job-lines";
import type { MessageName } from "@web-tester/contracts/messages";
import type { Address, Bus, OutgoingWork } from "@web-tester/platform/bus/bus";
import type { Database } from "@web-tester/platform/database/database";
import { every } from "@web-tester/platform/lifecycle/every";
import type { Recoverable } from "@web-tester/records/leases/lost-rows";
import type { OnError } from "./error-log.js";
import { chunkRows } from "@web-tester/records/runs/chunk-rows";

export interface ReconcilerOptions {
  db: Database;
  bus: Bus;
  hostConcurrency: number;
  everyMs: number;
  onError: OnError;
  /** Called for rows that had lost their message or their worker; `message` says the same in words. */
  onRecovered(work: MessageName, why: "lost" | "expired", rows: number, message: string): void;
}

const lostPerPass = 10_000;
/** A message may take this many passes to arrive: rows are committed first, and publishing a long queue takes a while. */
const passesOnTheWay = 4;
/** Idle runs are looked for only every this many passes, because that reads many rows of large runs. */
const passesPerSweep = 4;

/**
 * Finds lost work, every `everyMs` on each replica. A row that is queued and has no message (a crash between commit and publish, a damaged
 * or deleted stream) is published again. A running row whose lease ran out goes back to queued. Every few passes, runs that nothing else
 * would end are ended. Which queued rows have no message? If the consumer has nothing pending and nothing in flight: all of them. If other
 * work flows: those that no message in flight names and that have waited longer than the oldest pending message, because messages are
 * delivered in the order in which they were published, and the message of a row is published soon after it (within `passesOnTheWay`). So
 * the rows of a queue that is an hour long are not published twice.
 * @returns a function that stops the reconciler
 */
export function startReconciler<N extends MessageName>(
  work: Recoverable<N>,
  options: ReconcilerOptions,
): () => Promise<void> {
  let passes = 0;
  const repeating = every(
    options.everyMs,
    async () => {
      await reconcileOnce(work, options);
      if (++passes % passesPerSweep === 0) await endIdleRuns(work, options);
    },
    (error) => options.onError("looking for lost work failed", error, work.name),
  );
  return () => repeating.stop();
}

/** Makes one pass. @returns how many rows were published again */
export async function reconcileOnce<N extends MessageName>(
  work: Recoverable<N>,
  options: Omit<ReconcilerOptions, "onError">,
): Promise<number> {
  const { db, bus } = options;
  const recovered = (why: "lost" | "expired", rows: number, message: string) => {
    if (rows > 0) options.onRecovered(work.name, why, rows, message);
  };
  const expired = await work.requeueExpired(db);
  recovered("expired", expired, `${expired} rows whose ${work.name} worker fell silent are queued again`);
  let published = 0;
  for (const { lane, partition } of await work.waiting(db, options.everyMs)) {
    const address = { ...(lane === null ? {} : { lane }), ...(partition === null ? {} : { partition }) };
    const found = await whereLost(work.name, address, options);
    if (found === null) continue;
    const lost = await work.takeLost(db, { lane, partition }, found.olderThanMs, lostPerPass, found.except);
    await bus.publish(messagesFor(work, lost, address, options.hostConcurrency));
    published += lost.length;
  }
  recovered("lost", published, `${published} rows without a ${work.name} message were published again`);
  return published;
}

function messagesFor<N extends MessageName>(
  work: Recoverable<N>,
  lost: Awaited<ReturnType<Recoverable<N>["takeLost"]>>,
  address: Address,
  hostConcurrency: number,
): OutgoingWork[] {
  return [...Map.groupBy(lost, (row) => row.host).values()]
    .flatMap((rows) => chunkRows(rows, hostConcurrency, work.rowsPerMessage))
    .flatMap((chunk): OutgoingWork[] => {
      const [first] = chunk;
      if (first === undefined) return [];
      const ids = chunk.map((row) => row.id);
      const dedupeId = `${first.id}:${first.generation}`;
      return [{ name: work.name, ...address, body: work.body(ids, first.host), dedupeId }];
    });
}

/** @returns how long a row of this address must have waited to be sure to have no message, and ids of rows that have one; null if all may have one */
async function whereLost(
  name: MessageName,
  address: Address,
  { bus, everyMs }: Pick<ReconcilerOptions, "bus" | "everyMs">,
): Promise<{ olderThanMs: number; except: string[] } | null> {
  const { pending, inFlight } = await bus.load(name, address);
  if (pending === 0 && inFlight === 0) return { olderThanMs: everyMs, except: [] };
  const held = await bus.outstanding(name, address);
  if (held.pendingForMs === Infinity) return null;
  return {
    olderThanMs: Math.ceil((held.pendingForMs ?? 0) + passesOnTheWay * everyMs),
    except: held.inFlight.flatMap(namedRows),
  };
}

/** The row ids in a message's body, whatever the kind of work. */
function namedRows(body: unknown): string[] {
  const { pageIds, snapshotIds, runId, importId } = body as Partial<
    Record<"pageIds" | "snapshotIds", string[]> & Record<"runId" | "importId", string>
  >;
  return [...(pageIds ?? []), ...(snapshotIds ?? []), ...[runId, importId].filter((id) => id !== undefined)];
}

/** Looks once for runs that nothing else would end, and ends them. */
export async function endIdleRuns<N extends MessageName>(
  work: Recoverable<N>,
  { db, bus }: Pick<ReconcilerOptions, "db" | "bus">,
): Promise<void> {
  for (const event of (await work.endIdle?.(db)) ?? []) {
    bus.publishEvent(event);
    if ("runId" in event && typeof event.runId === "string")
      bus.logLine(event.runId, "warn", jobWords("nothing-left", {}));
  }
}
