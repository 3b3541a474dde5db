import { markFound, markLost } from "./stored-contents.js";
import type { Queryable } from "@web-tester/platform/database/database";
import { ContentLost, type ObjectStore } from "@web-tester/platform/object-store/object-store";

const knownMax = 10_000;

/**
 * The store, with losses noted: content that is read and is missing or damaged, or cannot be read because what it rests on
 * is, will be written anew by whoever fetches it next. Where it reads whole again, that is noted too. The reader is told as ever.
 * @param onLost is told once of each; `error` also where the note cannot be written
 */
export function recordLosses(
  db: Queryable,
  store: ObjectStore,
  onLost: (message: string, error: unknown) => void,
): ObjectStore {
  /** Hashes in hex that this process found lost; others are looked for by the collector. */
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

/** Hashes in hex: what a content rests on names itself in the cause. */
function lostIn(error: unknown): string[] {
  return error instanceof ContentLost ? [error.hash.toString("hex"), ...lostIn(error.cause)] : [];
}
