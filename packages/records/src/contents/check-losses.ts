import type { Queryable } from "@web-tester/platform/database/database";
import { firstHash } from "./remove-contents.js";
import { markFound } from "./stored-contents.js";
import { ContentLost, type ObjectStore } from "@web-tester/platform/object-store/object-store";

const lost = `
  SELECT hash FROM content WHERE hash > $1 AND NOT stored AND stored_size > 0 ORDER BY hash LIMIT $2`;
/** The most contents that are checked in one round: if a store lost everything, this is the number of requests to it per round. */
const perRound = 5_000;

export interface LossCheck {
  db: Queryable;
  store: Pick<ObjectStore, "has" | "read">;
  /** Aborting it ends the round early, between two contents. */
  signal: AbortSignal;
  /** The most contents that are checked in one round. */
  limit?: number;
}

/**
 * Looks again for contents that were marked as lost, because a store may come back, or somebody may restore files. Contents that can be
 * read whole are marked as stored.
 * @returns a function that does one round, beginning where the last one ended, and returns how many were found
 */
export function createLossCheck({ db, store, signal, limit = perRound }: LossCheck): () => Promise<number> {
  let after: Buffer = firstHash;
  return async () => {
    const rows = await db.query<{ hash: Buffer }>(lost, [after, limit]);
    after = rows.length < limit ? firstHash : (rows.at(-1)?.hash ?? firstHash);
    let found = 0;
    for (const { hash } of rows) {
      if (signal.aborted) break;
      if ((await isWhole(store, hash)) && (await markFound(db, hash.toString("hex")))) found += 1;
    }
    return found;
  };
}

async function isWhole(store: Pick<ObjectStore, "has" | "read">, hash: Buffer): Promise<boolean> {
  // asking is cheaper than reading, and most are still missing
  if (!(await store.has(hash))) return false;
  try {
    await store.read(hash);
    return true;
  } catch (error) {
    if (error instanceof ContentLost) return false;
    throw error;
  }
}
