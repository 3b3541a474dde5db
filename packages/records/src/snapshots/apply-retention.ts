import type { Database } from "@web-tester/platform/database/database";
import { every } from "@web-tester/platform/lifecycle/every";
import { beginTrimming, markTrimmed, objectsToTrim, type Removed } from "../objects/retention-rules.js";
import { removeOutdatedSnapshots } from "./retention.js";

export interface Trimming {
  db: Database;
  /** Aborting it ends the round early, between two batches. */
  signal: AbortSignal;
  /** The most pages and snapshots of one transaction. */
  batch?: { pages: number; rows: number };
  /** Called once for every object that lost something. */
  onRemoved(objectId: string, removed: Removed): void;
}

/** A transaction with so few rows is short, and blocks nobody for long. */
const usualBatch = { pages: 200, rows: 2_000 };

/**
 * Removes the snapshots that the retention rules of their objects do not keep: too old, more than are kept of a page, or unchanged if only
 * changes are kept. A crash at any point is harmless: the next round continues with what is left, and what was removed is counted in the
 * same transaction. The collector removes their bytes later, the sweep their text from the search.
 */
export async function applyRetention(trimming: Trimming): Promise<void> {
  for (const objectId of await objectsToTrim(trimming.db)) {
    if (trimming.signal.aborted) return;
    await trimObject(trimming, objectId);
  }
}

async function trimObject({ db, signal, batch = usualBatch, onRemoved }: Trimming, objectId: string): Promise<void> {
  const begin = await beginTrimming(db, objectId);
  const sum: Removed = { byAge: 0, byCount: 0, unchanged: 0 };
  let busy = 0;
  for (let cursor: { after: string } | null = { after: "" }; cursor !== null && !signal.aborted;) {
    const from: { after: string } = cursor;
    const outcome = await db.transaction((tx) => removeOutdatedSnapshots(tx, objectId, from, batch));
    sum.byAge += outcome.removed.byAge;
    sum.byCount += outcome.removed.byCount;
    sum.unchanged += outcome.removed.unchanged;
    busy += outcome.busy;
    cursor = outcome.next;
  }
  if (sum.byAge + sum.byCount + sum.unchanged > 0) onRemoved(objectId, sum);
  // pages that were busy are examined again in the next round
  if (busy === 0 && !signal.aborted && begin !== null) await markTrimmed(db, objectId, begin);
}

export interface RetentionOptions extends Omit<Trimming, "signal"> {
  everyMs: number;
  onError(message: string, error: unknown): void;
}

/** Applies retention rules every `everyMs`, on any number of replicas. @returns a function that stops it */
export function startRetention({ everyMs, onError, ...rest }: RetentionOptions): () => Promise<void> {
  const repeating = every(
    everyMs,
    (signal) => applyRetention({ ...rest, signal }),
    (error) => onError("removing snapshots that need not be kept failed", error),
  );
  return () => repeating.stop();
}
