import { noteLoss } from "../db/moves/content-touch.js";
import type { Queryable } from "../db/database.js";
import { ContentLost, type ObjectStore } from "../storage/object-store.js";

/**
 * The store, with losses noted: content that is read and is missing or damaged, or cannot be read because what it rests on
 * is, will be written anew by whoever fetches it next. The reader is told as ever.
 * @param onLost is told once of each; `error` also where the note cannot be written
 */
export function noteLosses(
  db: Queryable,
  store: ObjectStore,
  onLost: (message: string, error: unknown) => void,
): ObjectStore {
  const note = async (error: ContentLost, asked: Buffer): Promise<void> => {
    for (const hash of new Set([asked.toString("hex"), ...lostIn(error)]))
      if (await noteLoss(db, hash)) onLost(`the stored content ${hash} cannot be read`, error);
  };
  return {
    ...store,
    async read(hash) {
      try {
        return await store.read(hash);
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
