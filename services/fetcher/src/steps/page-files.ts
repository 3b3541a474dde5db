import { LRUCache } from "lru-cache";
import type { Database } from "@web-tester/platform/database/database";
import {
  digestList,
  type FinishedAsset,
  type FoundFiles,
  keepFileLists,
  listGraceMs,
  listKey,
  touchFileLists,
} from "@web-tester/records/assets/file-lists";

/** The files of a page: those found, or those of an earlier snapshot, all of which are unchanged. */
export type PageFiles =
  | { kind: "found"; files: readonly FinishedAsset[] }
  | { kind: "as-before"; listId: string; filesHash: string | null };

/** The files of a page of an object; null where none were looked for. */
export interface FilesOfPage {
  objectId: string;
  files: PageFiles | null;
}

/** Writes lists of files, before the snapshots that refer to them are recorded. */
export interface ListKeeper {
  /** @returns the list of each page; undefined where that of an earlier snapshot no longer exists */
  keep(pages: readonly FilesOfPage[]): Promise<({ id: string | null } | undefined)[]>;
}

const rememberedMax = 5_000;

export function createListKeeper(db: Database): ListKeeper {
  // a list that gets here is protected for at least half of its grace time
  const announced = new LRUCache<string, string>({ max: rememberedMax, ttl: listGraceMs / 6 });
  return {
    async keep(pages) {
      const named = pages.map(({ objectId, files }) =>
        files?.kind === "found" ? { objectId, digest: digestList(files.files), files: files.files } : null,
      );
      const fresh = new Map<string, FoundFiles>();
      for (const found of named) if (found !== null && !announced.has(listKey(found))) fresh.set(listKey(found), found);
      const earlier = new Set(
        pages.flatMap(({ files }) =>
          files?.kind === "as-before" && !announced.has(files.listId) ? [files.listId] : [],
        ),
      );
      if (fresh.size > 0) for (const [key, id] of await keepFileLists(db, [...fresh.values()])) announced.set(key, id);
      if (earlier.size > 0) for (const id of await touchFileLists(db, [...earlier])) announced.set(id, id);
      return pages.map(({ files }, index) => {
        const found = named[index] ?? null;
        // an object that was deleted gets no list, and no snapshot either
        if (found !== null) return { id: announced.get(listKey(found)) ?? null };
        if (files?.kind !== "as-before") return { id: null };
        return announced.has(files.listId) ? { id: files.listId } : undefined;
      });
    },
  };
}
