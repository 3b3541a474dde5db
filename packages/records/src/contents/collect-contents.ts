import { every } from "@web-tester/platform/lifecycle/every";
import type { Database } from "@web-tester/platform/database/database";
import {
  firstHash,
  noteLeft,
  noteStrays,
  noteUnused,
  type Removal,
  removalLeaseMs,
  removeNoted,
  type Step,
} from "./remove-contents.js";
import { listGraceMs, sweepFileLists } from "../assets/file-lists.js";
import { forgetOldAssets } from "../assets/forget-assets.js";
import { collectHunkTexts } from "../changes/collect-hunks.js";
import { collectChangedFiles } from "../changes/files-of-change.js";
import { compareFound } from "../changes/queue-changes.js";
import { retryFound } from "../search/search-entries.js";
import type { ObjectStore } from "@web-tester/platform/object-store/object-store";
import { createLossCheck } from "./check-losses.js";
import { createLossSearch, type FoundLosses, type LossSearch } from "./find-losses.js";

export interface Collection {
  db: Database;
  store: Pick<ObjectStore, "delete" | "list">;
  /** Bytes that were written or announced less than this many milliseconds ago are never removed. */
  graceMs: number;
  /** Aborting it ends the collection early, between two batches. */
  signal: AbortSignal;
  /** Called once for bytes that the store refuses to remove. */
  onRefused?: (message: string, error: unknown) => void;
}

const batchRows = 200;
const deletesAtOnce = 16;
/** A removal begins at most this long after it was noted, so that the store has the rest of the lease to finish it. */
const beginWithinMs = removalLeaseMs / 3;

/**
 * Collects content that nothing refers to any more. One transaction deletes the row and notes the bytes for removal; then the bytes are
 * removed, then the notes. Bytes that the store refuses to remove keep their note and are retried the next time, and so are all others if
 * the process is killed at any point. The base of a removed content follows when nothing else is based on it. A keyframe whose own
 * snapshots are gone stays while a version needs it; that takes no more bytes than the version without a base would, since no version is
 * based on another one. Ends early while a backup runs, or another collector is at work.
 * @returns how many contents were removed
 */
export async function collectUnused(collection: Collection): Promise<number> {
  const { db, graceMs } = collection;
  // the files of a list are released with it
  await sweepFileLists(db, Math.min(graceMs, listGraceMs), collection.signal);
  const left = await walk(collection, () => noteLeft(db, batchRows));
  let { removed } = left;
  for (let mayGoOn = left.mayGoOn; mayGoOn;) {
    const found = await walk(collection, (after) => noteUnused(db, after, graceMs, batchRows));
    removed += found.removed;
    // their bases may be unused now, so another walk follows
    mayGoOn = found.mayGoOn && found.removed > 0;
  }
  return removed;
}

/** `mayGoOn`: false when the collection has to end: it was aborted, a backup or another collector is at work, or the store refuses everything. */
interface Walked {
  removed: number;
  mayGoOn: boolean;
}

async function walk(collection: Collection, take: (after: Buffer) => Promise<Step | null>): Promise<Walked> {
  let removed = 0;
  for (let after: Buffer | null = firstHash; after !== null;) {
    if (collection.signal.aborted) return { removed, mayGoOn: false };
    const beginBefore = performance.now() + beginWithinMs;
    const step: Step | null = await take(after);
    if (step === null) return { removed, mayGoOn: false };
    const outcome = await removeBytes(collection, step.hashes, beginBefore);
    removed += outcome?.removed ?? 0;
    if (outcome === null || outcome.refused.length === batchRows) return { removed, mayGoOn: false };
    after = step.next;
  }
  return { removed, mayGoOn: true };
}

/** @returns null while a backup or another collector is at work */
async function removeBytes(
  { db, store, onRefused }: Collection,
  noted: readonly Buffer[],
  beginBefore: number,
): Promise<Removal | null> {
  if (noted.length === 0) return { removed: 0, refused: [] };
  const outcome = await removeNoted(db, noted, async (hashes) => {
    const results: { hash: Buffer; error: unknown }[] = [];
    const left = [...hashes];
    await Promise.all(
      Array.from({ length: deletesAtOnce }, async () => {
        for (let hash = left.pop(); hash !== undefined && performance.now() < beginBefore; hash = left.pop()) {
          const error = await store.delete(hash).then(
            () => null,
            (reason: unknown) => reason ?? new Error("no reason was given"),
          );
          results.push({ hash, error });
        }
      }),
    );
    return results;
  });
  const news = outcome?.refused.filter(({ isNews }) => isNews) ?? [];
  const [first] = news;
  if (first !== undefined)
    onRefused?.(
      `the object store does not remove ${news.length} contents that nothing refers to, ${first.hash.toString("hex")} first; it is asked again every time`,
      first.error,
    );
  return outcome;
}

/**
 * Removes stray bytes, which have no row: left by a worker that died between writing bytes and row, or by an answer that was too large for
 * a message. Walks the whole store.
 * @param losses is told what the walk comes to, and when it has come to the end
 * @returns how many objects were removed
 */
export async function collectStrays(collection: Collection, losses?: FoundLosses): Promise<number> {
  const { db, store, graceMs, signal } = collection;
  let removed = 0;
  let old: Buffer[] = [];
  const flush = async (): Promise<void> => {
    const hashes = old;
    old = [];
    const beginBefore = performance.now() + beginWithinMs;
    const noted = await noteStrays(db, hashes);
    if (noted !== null) removed += (await removeBytes(collection, noted, beginBefore))?.removed ?? 0;
  };
  const youngest = Date.now() - graceMs;
  for await (const object of store.list()) {
    if (signal.aborted) return removed;
    await losses?.listed(object);
    if (object.modifiedAt.getTime() < youngest) old.push(object.hash);
    if (old.length >= batchRows) await flush();
  }
  if (old.length > 0) await flush();
  await losses?.end();
  return removed;
}

export interface CollectorOptions extends Omit<Collection, "signal" | "onRefused" | "store"> {
  store: Pick<ObjectStore, "delete" | "list" | "has" | "read">;
  everyMs: number;
  /** Walking the store is more expensive than asking the database, so it is done once in this many rounds. */
  straysEvery: number;
  onCollected(message: string): void;
  onError(message: string, error: unknown): void;
}

/** Collects every `everyMs`, on any number of replicas. @returns a function that stops it */
export function startCollector({
  everyMs,
  straysEvery,
  onCollected,
  onError,
  ...rest
}: CollectorOptions): () => Promise<void> {
  const stopping = new AbortController();
  const collection = { ...rest, signal: stopping.signal, onRefused: onError };
  const checkLosses = createLossCheck(collection);
  let round = 0;
  const said = saying(onCollected, onError);
  const repeating = every(
    everyMs,
    async () => {
      const isWalk = round++ % straysEvery === 0;
      await said("removing unused content", async () => {
        const removed = (await collectUnused(collection)) + (isWalk ? await walkStore(collection, onCollected) : 0);
        return removed > 0 ? `${removed} contents that nothing refers to were removed` : null;
      });
      await said("looking for lost content", async () => {
        const found = await checkLosses();
        return found > 0 ? `${found} contents that had been lost are there again` : null;
      });
      // after the check, and also for what a fetch or an import has stored again
      await said("making found content searchable", () => quietly(retryFound(rest.db)));
      await said("comparing found content", () => quietly(compareFound(rest.db)));
      // as expensive as a walk, and nobody waits for it
      if (isWalk) {
        await said("removing kinds of change that no page has", () =>
          quietly(collectHunkTexts(rest.db, stopping.signal)),
        );
        await said("removing lists of changed files that no page has", () => quietly(collectChangedFiles(rest.db)));
      }
      await said("forgetting files of sites", () => quietly(forgetOldAssets(rest.db, stopping.signal)));
    },
    (error) => onError("removing unused content failed", error),
  );
  return async () => {
    stopping.abort();
    await repeating.stop();
  };
}

/** Removes stray bytes, and compares what the store lists with what is noted as stored. @returns how many objects were removed */
async function walkStore(collection: Collection & LossSearch, tell: (message: string) => void): Promise<number> {
  const { listed, end } = createLossSearch(collection);
  return collectStrays(collection, {
    listed,
    async end() {
      const lost = await end();
      if (lost > 0)
        tell(
          `${lost} contents are missing or damaged in the object store: the next fetch of their pages stores them again`,
        );
      return lost;
    },
  });
}

/** Returns a function that runs one part of a round, and reports its result or failure. */
function saying(onDone: (words: string) => void, onError: CollectorOptions["onError"]) {
  return async (what: string, work: () => Promise<string | null>): Promise<void> => {
    try {
      const words = await work();
      if (words !== null) onDone(words);
    } catch (error) {
      onError(`${what} failed`, error);
    }
  };
}

async function quietly(work: Promise<unknown>): Promise<null> {
  await work;
  return null;
}
