import { every } from "@web-tester/platform/lifecycle/every";
import type { Database, Queryable } from "@web-tester/platform/database/database";
import {
  bringsMore,
  lockPacking,
  objectsWaiting,
  setProblem,
  sweepEntries,
  unsearchable,
  type WaitingEntry,
  waitingEntries,
  waitingMax,
} from "@web-tester/records/search/search-entries";
import {
  deletePacks,
  giveUpPack,
  insertSearchPack,
  keepSections,
  objectsOutdated,
  packSizes,
  segmentsOf,
} from "@web-tester/records/search/search-segments";
import type { ObjectStore } from "@web-tester/platform/object-store/object-store";
import { markLost } from "@web-tester/records/contents/stored-contents";
import { planMerge } from "../pure/merge-plan.js";
import type { PackBuilder } from "../steps/pack-builder.js";
import { ContentReading, endWithin, PackReading } from "../steps/pack-parts.js";

/** The most contents that one pack is made of. */
const batchBytes = 16 * 1024 * 1024;
const batchRows = 4_000;
/**
 * Work starts when no contents came in for this long, so that those that come together share a pack; after `pauseMaxMs` in
 * any case.
 */
const pauseMs = 1_000;
const pauseMaxMs = 10_000;
const sweepEveryMs = 60 * 60_000;

export interface IndexingDeps {
  db: Database;
  store: Pick<ObjectStore, "read" | "write" | "has">;
  builder: PackBuilder;
  /** Between two checks for work when nothing calls `wake`. */
  everyMs: number;
  onError(message: string, error: unknown): void;
}

export interface Indexing {
  /** To be called when there may be something to do. @param contents the most contents that may have come in */
  wake(contents: number): void;
  stop(): Promise<void>;
}

/**
 * Makes contents searchable, in the background of any number of replicas: waiting contents are packed, small packs merged
 * into larger ones, and contents that no snapshot has any more are removed. Rows say what is left to do, so it can be
 * interrupted anywhere; a pack and its entries are written in one transaction.
 */
export function startIndexing(deps: IndexingDeps): Indexing {
  const { db, everyMs, onError } = deps;
  // at the start too, as a replica may never live as long as the time between two sweeps
  let sweptAt = -Infinity;
  /** Objects that got new packs, perhaps not merged yet; if the process ends, the sweep finds them. */
  const toMerge = new Set<string>();

  const look = async (signal: AbortSignal): Promise<void> => {
    for (const objectId of await objectsOutdated(db)) await mergePacks(deps, objectId, signal);
    await packWaiting(deps, toMerge, signal);
    if (Date.now() - sweptAt < sweepEveryMs) return;
    sweptAt = Date.now();
    await sweepAll(deps, signal);
  };
  const repeating = every(everyMs, look, (error) => onError("making contents searchable failed", error));
  repeating.nudge();
  let soon: ReturnType<typeof setTimeout> | undefined;
  let wokenAt: number | null = null;
  let cameIn = 0;
  const begin = () => {
    wokenAt = null;
    cameIn = 0;
    repeating.nudge();
  };
  return {
    wake: (contents) => {
      clearTimeout(soon);
      cameIn += contents;
      if (cameIn >= waitingMax.contents) {
        begin();
        return;
      }
      wokenAt ??= performance.now();
      const leftMs = Math.max(0, wokenAt + pauseMaxMs - performance.now());
      soon = setTimeout(begin, Math.min(pauseMs, leftMs));
      soon.unref();
    },
    stop: async () => {
      clearTimeout(soon);
      await repeating.stop();
    },
  };
}

/**
 * Packs the waiting contents; once there are none, merges once and checks again. Searches read waiting contents directly,
 * and no content waits for more than one merge.
 */
async function packWaiting(deps: IndexingDeps, toMerge: Set<string>, signal: AbortSignal): Promise<void> {
  do {
    // another replica may hold the lock: then it packs the rest, and merges
    for (let any = true; any && !signal.aborted;) {
      any = false;
      for (const objectId of await objectsWaiting(deps.db)) {
        if (signal.aborted || !(await packNext(deps, objectId))) continue;
        any = true;
        toMerge.add(objectId);
      }
    }
  } while (!signal.aborted && (await mergeOne(deps, toMerge)));
}

/**
 * Merges once. @param toMerge objects with nothing left to merge are removed from it @returns whether there was something
 * to merge
 */
async function mergeOne(deps: IndexingDeps, toMerge: Set<string>): Promise<boolean> {
  for (const objectId of toMerge) {
    const more = await bringsMore(deps.db, objectId);
    if (await mergeNext(deps, objectId, more)) return true;
    if (!more) toMerge.delete(objectId);
  }
  return false;
}

/** Packs the next contents of an object. @returns whether there were any, and no other replica held the lock */
async function packNext(deps: IndexingDeps, objectId: string): Promise<boolean> {
  const { db } = deps;
  // it reads and builds while it holds the lock of the object, so a failed transaction is not repeated: the next check comes soon
  return db.transaction(
    async (tx) => {
      if (!(await lockPacking(tx, objectId))) return false;
      const entries = await waitingEntries(tx, objectId, batchRows);
      if (entries.length === 0) return false;
      await packContents(deps, tx, objectId, entries.slice(0, endWithin(entries, batchBytes)));
      return true;
    },
    { once: true },
  );
}

/**
 * Packs contents. Where that fails, halves are packed separately until the content that fails is found: it is left out,
 * with the reason.
 */
async function packContents(
  deps: IndexingDeps,
  tx: Queryable,
  objectId: string,
  entries: readonly WaitingEntry[],
): Promise<void> {
  const { db, store, builder } = deps;
  const reading = new ContentReading(store, entries);
  const found = await builder.build(reading.parts()).then(
    (sections) => ({ sections }),
    (error: unknown) => ({ error }),
  );
  if (reading.failure !== null) throw reading.failure.cause;
  for (const { entry, problem } of reading.problems) await setProblem(tx, objectId, entry, problem);
  if (reading.read.length === 0) return;
  if ("sections" in found) {
    await insertSearchPack(tx, objectId, reading.read, await keepSections(db, store, found.sections));
    return;
  }
  const [first] = reading.read;
  if (entries.length === 1 && first !== undefined) {
    await setProblem(
      tx,
      objectId,
      first,
      `${unsearchable}: ${found.error instanceof Error ? found.error.message : String(found.error)}`,
    );
    return;
  }
  const middle = Math.ceil(entries.length / 2);
  await packContents(deps, tx, objectId, entries.slice(0, middle));
  await packContents(deps, tx, objectId, entries.slice(middle));
}

/** Merges small packs of an object until no merge is worth it. */
async function mergePacks(deps: IndexingDeps, objectId: string, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && (await mergeNext(deps, objectId)));
}

/**
 * Merges once. @param more whether more contents come in @returns whether there was something to do, and no other replica
 * held the lock
 */
function mergeNext({ db, store, builder }: IndexingDeps, objectId: string, more = false): Promise<boolean> {
  return db.transaction(async (tx) => {
    if (!(await lockPacking(tx, objectId))) return false;
    const sizes = await packSizes(tx, objectId);
    const outdated = sizes.filter(({ current }) => !current);
    if (outdated.length > 0) {
      await deletePacks(
        tx,
        outdated.map(({ id }) => id),
      );
      return true;
    }
    const planned = planMerge(sizes, more);
    if (planned === null) return false;
    const reading = new PackReading(tx, store, planned);
    const merged = await builder.merge(reading.parts()).catch((error: unknown) => {
      if (reading.lost === null) throw error;
      return null;
    });
    if (reading.lost !== null) {
      // its contents are packed again by the next step
      await giveUpPack(tx, reading.lost);
      return true;
    }
    if (merged !== null && reading.documents.length > 0)
      await insertSearchPack(tx, objectId, reading.documents, await keepSections(db, store, merged));
    await deletePacks(
      tx,
      planned.map(({ id }) => id),
    );
    return true;
  });
}

async function sweepAll(deps: IndexingDeps, signal: AbortSignal): Promise<void> {
  const objects = await deps.db.query<{ id: string }>(`SELECT id FROM test_object ORDER BY id`);
  for (const { id } of objects) {
    if (signal.aborted) return;
    await sweepEntries(deps.db, id, signal);
    await giveUpLost(deps, id);
    await mergePacks(deps, id, signal);
  }
}

/** Gives up packs whose bytes the object store has lost, so that they are packed again before somebody searches. */
async function giveUpLost({ db, store }: IndexingDeps, objectId: string): Promise<void> {
  for (const { packId, hash } of await segmentsOf(db, objectId)) {
    if (await store.has(hash)) continue;
    await markLost(db, hash.toString("hex"));
    await giveUpPack(db, packId);
  }
}
