import { AppError } from "@web-tester/contracts/errors";

/** Object that marks a bucket, below its prefix, as this store; never part of a listing. The drivers of folders take no notice of it. */
export const markerKey = "store";

/** For so long a look at the marker is believed when something is written or removed, so that not every write costs a second request. */
const believedMs = 5_000;

/** What a guard has to be able to ask of its bucket. */
export interface PresenceOptions {
  hasMarker: () => Promise<boolean>;
  writeMarker: () => Promise<void>;
  /** Whether there is any object whose key `objectKey` makes. */
  hasObjects: () => Promise<boolean>;
  /** Describes the place in errors. */
  place: string;
}

/** Guards a bucket that may have been emptied or exchanged, or whose address may be wrong. Does nothing before `mayBeAway`. */
export interface BucketPresence {
  /** See `ObjectStore.mayBeAway`. */
  mayBeAway(hasContents: boolean): void;
  /** To be called when something was not found, before that is believed. @throws AppError unavailable where the store is not there */
  require(): Promise<void>;
  /** To be called before the store is used; marks it if it has no marker. @throws AppError unavailable where the store is not there */
  use(): Promise<void>;
}

/**
 * Recognizes a store by its marker. A store of an earlier version has none and is recognized by its objects instead, then marked. Whoever has seen the
 * marker goes by it alone: what is written while somebody empties the bucket does not make a store of it.
 */
export function createBucketPresence({ hasMarker, writeMarker, hasObjects, place }: PresenceOptions): BucketPresence {
  let canBeAway = false;
  let mustBeThere = false;
  let marked = false;
  let believedUntil = -Infinity;
  let using: Promise<void> | undefined;

  const noteMarked = () => {
    marked = mustBeThere = true;
    believedUntil = performance.now() + believedMs;
  };
  const requireThere = async () => {
    if (!canBeAway) return;
    if (await hasMarker()) return noteMarked();
    believedUntil = -Infinity;
    if (marked || (mustBeThere && !(await hasObjects()))) throw absent(place);
  };
  const look = async () => {
    await requireThere();
    if (marked) return;
    await writeMarker();
    noteMarked();
  };
  return {
    mayBeAway(hasContents) {
      canBeAway = true;
      mustBeThere ||= hasContents;
    },
    require: requireThere,
    async use() {
      if (canBeAway && performance.now() >= believedUntil) await (using ??= look().finally(() => (using = undefined)));
    },
  };
}

const absent = (place: string) =>
  new AppError(
    "unavailable",
    `The object store is not there: ${place} is not marked as one, and what was kept in it is missing. Correct STORAGE_URL, or restore the store; if it is lost for good, write an object named ${markerKey} there, and pages are stored anew as they are fetched.`,
  );
