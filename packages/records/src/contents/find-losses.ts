import type { Queryable } from "@web-tester/platform/database/database";
import { ContentLost, type ListedObject, type ObjectStore } from "@web-tester/platform/object-store/object-store";
import { markLost } from "./stored-contents.js";

/** The most contents that one walk finds lost: if a store lost everything, the next walks find the rest. */
const perWalk = 5_000;

export interface LossSearch {
  db: Queryable;
  store: Pick<ObjectStore, "read">;
  /** Contents that were announced less than this many milliseconds ago are left out: they may have been written since they were listed. */
  graceMs: number;
  signal: AbortSignal;
  limit?: number;
}

/** Compares a walk through the store with the rows. */
export interface FoundLosses {
  /** Takes what the walk comes to. Contents with one first byte should follow one another, as both kinds of store list them: others cost a read each. */
  listed(object: Pick<ListedObject, "hash" | "storedSize">): Promise<void>;
  /** Ends a whole walk. @returns how many contents were found lost */
  end(): Promise<number>;
}

const storedWith = `
  SELECT hash, stored_size AS size FROM content
  WHERE hash >= $1 AND hash < $2 AND stored AND touched_at < now() - $3::int * interval '1 ms' ORDER BY hash`;
const basedOn = `SELECT hash FROM content WHERE base_hash = $1 AND stored ORDER BY hash LIMIT $2`;
const correctSize = `UPDATE content SET stored_size = $2 WHERE hash = $1 AND stored`;

/**
 * Finds lost contents that nobody reads: those that are noted as stored, but that the store does not list, or lists with another length, as
 * after a power cut. They are marked as lost, so that the next fetch writes them again, and so is what is stored as a difference from them.
 * Only what looks wrong is read, and reading decides. A walk costs a statement for each first byte.
 */
export function createLossSearch({ db, store, graceMs, signal, limit = perWalk }: LossSearch): FoundLosses {
  const unseen = new Set(Array.from({ length: 256 }, (_, byte) => byte));
  let current: { byte: number; sizes: Map<string, number> } | null = null;
  let lost = 0;

  /** Whether a content can be read whole; marks it as lost if not. */
  async function isWhole(hash: Buffer): Promise<boolean> {
    try {
      await store.read(hash);
      return true;
    } catch (error) {
      if (!(error instanceof ContentLost)) throw error;
      await markLost(db, hash.toString("hex"));
      lost += 1;
      return false;
    }
  }

  async function look(hash: Buffer, listedSize: number | undefined): Promise<void> {
    if (!(await isWhole(hash))) {
      for (const based of await db.query<{ hash: Buffer }>(basedOn, [hash, limit])) {
        if (lost >= limit || signal.aborted) return;
        await isWhole(based.hash);
      }
    } else if (listedSize !== undefined) await db.query(correctSize, [hash, listedSize]);
  }

  async function compare(byte: number, sizes: ReadonlyMap<string, number>): Promise<void> {
    unseen.delete(byte);
    if (lost >= limit || signal.aborted) return;
    const range = [Buffer.of(byte), byte === 255 ? Buffer.alloc(33, 255) : Buffer.of(byte + 1)];
    for (const { hash, size } of await db.query<{ hash: Buffer; size: number }>(storedWith, [...range, graceMs])) {
      if (lost >= limit || signal.aborted) return;
      const listed = sizes.get(hash.toString("latin1"));
      if (listed !== size) await look(hash, listed);
    }
  }

  return {
    async listed({ hash, storedSize }) {
      const byte = hash[0] ?? 0;
      if (current?.byte !== byte) {
        if (current !== null) await compare(current.byte, current.sizes);
        current = { byte, sizes: new Map() };
      }
      current.sizes.set(hash.toString("latin1"), storedSize);
    },
    async end() {
      if (current !== null) await compare(current.byte, current.sizes);
      current = null;
      for (const byte of unseen) await compare(byte, new Map());
      return lost;
    },
  };
}
