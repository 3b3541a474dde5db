import { markFound, markLost } from "./stored-contents.js";
import type { Queryable } from "@web-tester/platform/database/database";
import { ContentLost, type ObjectStore } from "@web-tester/platform/object-store/object-store";

const knownMax = 10_000;

/**
 * Wraps a store so that losses are recorded: content that is missing or damaged when it is read, or whose base is, is marked as lost, so
 * that the next fetch writes it again. Content that reads whole again is marked as found. Readers get the same results and errors as
 * without the wrapper.
 * @param onLost called once for each loss; also when a mark cannot be written
 */
export function recordLosses(
  db: Queryable,
  store: ObjectStore,
  onLost: (message: string, error: unknown) => void,
): ObjectStore {
  /** Hashes in hex that this process found lost; losses found by other processes are checked by the collector. */
  const known = new Set<string>();
  const note = async (error: ContentLost, asked: Buffer): Promise<void> => {
    for (const hash of new Set([asked.toString("hex"), ...lostIn(error)])) {
      if (known.size < knownMax) known.add(hash);
      if (await markLost(db, hash)) onLost(`the stored content ${hash} cannot be read`, error);
    }
  };
  const noteWhole = async (hash: string): Promise<void> => {
    known.delete(hash);
    await markFound(db, hash);
  };
  return {
    ...store,
    async read(hash) {
      try {
        const content = await store.read(hash);
        if (known.size > 0 && known.has(hash.toString("hex")))
          await noteWhole(hash.toString("hex")).catch((fault: unknown) =>
            onLost("a content that is there again could not be noted", fault),
          );
        return content;
      } catch (error) {
        if (error instanceof ContentLost)
          await note(error, hash).catch((fault: unknown) => onLost("a lost content could not be noted", fault));
        throw error;
      }
    },
  };
}

/** Returns the hashes in hex of lost contents: the error's own, and that of a lost base, which is its cause. */
function lostIn(error: unknown): string[] {
  return error instanceof ContentLost ? [error.hash.toString("hex"), ...lostIn(error.cause)] : [];
}
