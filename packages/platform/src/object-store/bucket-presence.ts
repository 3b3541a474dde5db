import { AppError } from "@web-tester/contracts/errors";
import type { Installation } from "./object-store.js";

/** Object that marks a bucket, below its prefix, or a folder as a store; never part of a listing. */
export const markerKey = "store";

/** A longer object is not a mark that names an installation. */
export const markMaxBytes = 64 * 1024;

const markText =
  "Here Web Tester keeps the contents of pages. It waits when this object is missing: leave it where it is.\n" +
  "To let another installation take this place over, stop this one and replace this object by an empty one.\n";

/**
 * Writes a mark.
 * @param installation whose store it is; null: of whoever uses it next
 */
export const markOf = (installation: string | null): Buffer =>
  Buffer.from(installation === null ? markText : `${markText}Installation: ${installation}\n`);

/** Returns the installation that a mark names; null where it names none, like those of earlier versions and those that operators write. */
export const installationOf = (mark: Uint8Array): string | null =>
  /^Installation: ([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/m.exec(Buffer.from(mark).toString("latin1"))?.[1] ??
  null;

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
  mayBeAway(hasContents: boolean): void;
  /** See `ObjectStore.belongsTo`. */
  belongsTo(installation: Installation): void;
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
    if (mark !== null) throw foreign(place, "object");
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
    mayBeAway(hasContents) {
      canBeAway = true;
      mustBeThere ||= hasContents;
    },
    belongsTo: (installation) => void (own ??= installation),
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

/** @param kind of thing that the mark is */
export const foreign = (place: string, kind: "object" | "file") =>
  new AppError(
    "unavailable",
    `The object store is not there: ${place} is the store of another installation, with another database. Correct STORAGE_URL or DATABASE_URL. If this installation is to take the place over, stop the other one and replace the ${kind} ${markerKey} there by an empty one.`,
  );
