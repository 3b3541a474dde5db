import type { MessageName } from "@web-tester/contracts/messages";
import type { Bus, OutgoingWork } from "../bus/bus.js";
import type { Database } from "../db/database.js";
import { chunkRows } from "./chunk.js";

/** A row that has waited for its message; `generation` is already the raised one. */
export interface LostRow {
  id: string;
  generation: number;
  /** Whom its work asks (`URL.host`), where work is bounded by that. */
  host?: string;
}

/** How one kind of work is found again. Statements are in the kind's own file. */
export interface Recoverable<N extends MessageName> {
  name: N;
  /** Gives rows whose lease ran out back to queued. @returns how many */
  requeueExpired(db: Database): Promise<number>;
  /** Addresses that have rows queued for longer than `olderThanMs`. */
  waiting(db: Database, olderThanMs: number): Promise<{ lane: string | null; partition: number | null }[]>;
  /** Raises the generation of the waiting rows of one address and gives them back, at most `limit`. */
  takeLost(
    db: Database,
    address: { lane: string | null; partition: number | null },
    olderThanMs: number,
    limit: number,
  ): Promise<LostRow[]>;
  /** @param host of all of these rows, where they have one */
  body(ids: string[], host?: string): OutgoingWork<N>["body"];
  /** Where it is not `rowsPerMessageMax`. */
  rowsPerMessage?: number;
}

export interface ReconcilerOptions {
  db: Database;
  bus: Bus;
  hostConcurrency: number;
  everyMs: number;
  onError(message: string, error: unknown): void;
  /** Is told of rows that had lost their message or their worker, and the same in words. */
  onRecovered(work: MessageName, why: "lost" | "expired", rows: number, message: string): void;
}

const lostPerPass = 10_000;

/**
 * Finds the two ways in which work gets lost, every `everyMs` on any replica: a row still queued while its consumer has
 * nothing pending and nothing in flight (crash between commit and publish, damaged or deleted stream) is published
 * again; a running row whose lease ran out goes back to queued. A long queue is therefore never published twice.
 * @returns a function that stops it
 */
export function startReconciler<N extends MessageName>(
  work: Recoverable<N>,
  options: ReconcilerOptions,
): () => Promise<void> {
  let stopping = false;
  let current: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    current = current.then(async () => {
      if (stopping) return;
      try {
        await reconcileOnce(work, options);
      } catch (error) {
        options.onError(`looking for lost ${work.name} work failed`, error);
      }
    });
  }, options.everyMs);
  return async () => {
    stopping = true;
    clearInterval(timer);
    await current;
  };
}

/** One pass. @returns how many rows were published again */
export async function reconcileOnce<N extends MessageName>(
  work: Recoverable<N>,
  options: Omit<ReconcilerOptions, "onError">,
): Promise<number> {
  const { db, bus } = options;
  const expired = await work.requeueExpired(db);
  if (expired > 0)
    options.onRecovered(
      work.name,
      "expired",
      expired,
      `${expired} rows whose ${work.name} worker fell silent are queued again`,
    );
  let published = 0;
  for (const { lane, partition } of await work.waiting(db, options.everyMs)) {
    const address = { ...(lane === null ? {} : { lane }), ...(partition === null ? {} : { partition }) };
    const load = await bus.load(work.name, address);
    if (load.pending > 0 || load.inFlight > 0) continue;
    const lost = await work.takeLost(db, { lane, partition }, options.everyMs, lostPerPass);
    await bus.publish(
      [...Map.groupBy(lost, (row) => row.host).values()]
        .flatMap((rows) => chunkRows(rows, options.hostConcurrency, work.rowsPerMessage))
        .flatMap((chunk): OutgoingWork[] => {
          const first = chunk[0];
          return first === undefined
            ? []
            : [
                {
                  name: work.name,
                  ...address,
                  body: work.body(
                    chunk.map((row) => row.id),
                    first.host,
                  ),
                  dedupeId: `${first.id}:${first.generation}`,
                },
              ];
        }),
    );
    published += lost.length;
  }
  if (published > 0)
    options.onRecovered(
      work.name,
      "lost",
      published,
      `${published} rows without a ${work.name} message were published again`,
    );
  return published;
}
