import { AppError } from "@web-tester/contracts/errors";
import { markerKey } from "./bucket-mark.js";
import type { Installation } from "./object-store.js";

/** For so long a look at the mark is believed when something is written or removed, so that not every write costs a second request. */
const believedMs = 5_000;

/** What a guard has to be able to ask of its bucket. */
export interface PresenceOptions {
  /** Returns which installation the mark names, if any; null where there is no mark. */
  readMark: () => Promise<{ installation: string | null } | null>;
  writeMark: (installation: string | null) => Promise<void>;
  /** Whether there is any object whose key `objectKey` makes. */
  hasObjects: () => Promise<boolean>;
  /** Describes the place in errors. */
  place: string;
}

/** Guards a bucket that may have been emptied or exchanged, or whose address may be wrong. Does nothing before `mayBeAway`. */
export interface BucketPresence {
  /** See `ObjectStore.mayBeAway`. */
  mayBeAway(hasContents: boolean, installation?: Installation): void;
  /** To be called when something was not found, before that is believed. @throws AppError unavailable where the store is not there */
  require(): Promise<void>;
  /** To be called before the store is used; marks it if it has no mark. @throws AppError unavailable where the store is not there */
  use(): Promise<void>;
}

/**
 * Recognizes a store by its mark. A mark that names no installation is of an earlier version, or of an operator who lets this installation
 * take the place over: it is replaced. A store of a still earlier version has no mark and is recognized by its objects instead, then marked.
 * Whoever has seen a mark, or knows from the database that there was one, goes by it alone: what is written while somebody empties the
 * bucket does not make a store of it.
 */
export function createBucketPresence({ readMark, writeMark, hasObjects, place }: PresenceOptions): BucketPresence {
  let canBeAway = false;
  let mustBeThere = false;
  let wasMarked = false;
  let isOurs = false;
  let own: Installation | undefined;
  let believedUntil = -Infinity;
  let using: Promise<void> | undefined;

  const noteMarked = (installation: string | null) => {
    wasMarked = mustBeThere = true;
    isOurs = own === undefined || installation === own.id;
    // until the bucket and the database name each other, each use looks
    const isSettled = isOurs && own?.hasMarked !== false;
    believedUntil = isSettled ? performance.now() + believedMs : -Infinity;
  };
  const requireThere = async () => {
    if (!canBeAway) return;
    const mark = await readMark();
    if (mark !== null && isOf(mark, own)) return noteMarked(mark.installation);
    believedUntil = -Infinity;
    if (mark !== null) throw foreign(place);
    isOurs = false;
    if (wasMarked || (await isAbsent(own?.hasMarked === true))) throw absent(place);
  };
  /* Where no mark is: an installation that has marked its bucket accepts only an empty one, and only if it keeps nothing. */
  const isAbsent = async (hasMarked: boolean) =>
    hasMarked ? mustBeThere || (await hasObjects()) : mustBeThere && !(await hasObjects());
  const look = async () => {
    await requireThere();
    if (!isOurs) await writeMark(own?.id ?? null);
    if (own?.hasMarked === false) {
      await own.noteMarked();
      own = { ...own, hasMarked: true };
    }
    noteMarked(own?.id ?? null);
  };
  return {
    mayBeAway(hasContents, installation) {
      canBeAway = true;
      mustBeThere ||= hasContents;
      own ??= installation;
    },
    require: requireThere,
    async use() {
      if (canBeAway && performance.now() >= believedUntil) await (using ??= look().finally(() => (using = undefined)));
    },
  };
}

const isOf = ({ installation }: { installation: string | null }, own: Installation | undefined): boolean =>
  installation === null || own === undefined || installation === own.id;

const absent = (place: string) =>
  new AppError(
    "unavailable",
    `The object store is not there: ${place} is not marked as one, though pages were stored. Correct STORAGE_URL, or restore the store. If this is its place, or it is lost for good, write an object named ${markerKey} there: what is missing is stored anew when its pages are fetched.`,
  );

const foreign = (place: string) =>
  new AppError(
    "unavailable",
    `The object store is not there: ${place} is the store of another installation, with another database. Correct STORAGE_URL or DATABASE_URL. If this installation is to take the place over, stop the other one and replace the object ${markerKey} there by an empty one.`,
  );
