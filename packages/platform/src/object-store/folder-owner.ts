import type { Installation } from "./object-store.js";
import { foreign, installationOf, markOf } from "./bucket-presence.js";

/** For so long a look at the mark is believed. */
const believedMs = 5_000;

/** Guards a folder that may be the store of another installation. Does nothing before `belongsTo`. */
export interface FolderOwner {
  belongsTo(installation: Installation): void;
  /** @throws AppError unavailable where the folder is the store of another installation */
  requireOurs(): Promise<void>;
  /** Also marks a folder that no installation has marked yet. @throws AppError unavailable as `requireOurs` */
  mark(): Promise<void>;
}

export interface OwnerOptions {
  readMark(): Promise<Buffer | null>;
  writeMark(mark: Buffer): Promise<void>;
  /** Names the folder in errors. */
  place: string;
}

/** Two databases on one folder would each remove as unused what only the other one names: the folder's mark names its installation. */
export function createFolderOwner({ readMark, writeMark, place }: OwnerOptions): FolderOwner {
  let own: Installation | undefined;
  let believedUntil = -Infinity;

  /** Whether the mark names this installation; false where it names none. */
  async function isMarked(id: string): Promise<boolean> {
    if (performance.now() < believedUntil) return true;
    const mark = await readMark();
    const named = mark === null ? null : installationOf(mark);
    if (named !== null && named !== id) throw foreign(place, "file");
    if (named !== null) believedUntil = performance.now() + believedMs;
    return named !== null;
  }
  return {
    belongsTo: (installation) => void (own ??= installation),
    async requireOurs() {
      if (own !== undefined) await isMarked(own.id);
    },
    async mark() {
      if (own !== undefined && !(await isMarked(own.id))) await writeMark(markOf(own.id));
    },
  };
}
