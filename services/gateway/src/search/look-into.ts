import type { SearchScope } from "@web-tester/contracts/entities/search";
import { AppError } from "@web-tester/contracts/errors";
import type { Database } from "@web-tester/platform/database/database";
import type { Needle } from "@web-tester/search-index/needle";
import type { FrameMatches } from "@web-tester/search-index/segment-reader";
import type { ObjectStore } from "@web-tester/platform/object-store/object-store";
import type { PackCache } from "./pack-cache.js";
import type { ScanPool } from "./scan-pool.js";
import { charsetOfKey, type ContentKey, hashOfKey } from "./select-contents.sql.js";
import type { SurveyedPack } from "./survey.js";

export interface LookDeps {
  db: Database;
  store: Pick<ObjectStore, "read">;
  packs: PackCache;
  pool: ScanPool;
}

/** What is looked for. */
export interface Looked {
  scope: SearchScope;
  needle: Needle;
  /** By pack what was found in some of its frames: no frame is read twice for one search. */
  known: Map<string, FrameMatches>;
}

/** Contents with the phrase, and how often. */
export type Counts = ReadonlyMap<ContentKey, number>;

/** Null where the pack was replaced meanwhile. */
export async function lookIntoPack(
  { packs, pool }: LookDeps,
  { scope, needle, known }: Looked,
  { id, candidates, only }: SurveyedPack,
): Promise<Counts | null> {
  const pack = await packs.load(id, scope);
  if (pack === null) return null;
  const { positions, counts, frames } = await pool.scan({
    section: pack.section,
    sought: { needle: needle.bytes, straddles: needle.straddles, candidates, only, known: known.get(id) },
  });
  if (frames !== undefined) known.set(id, frames);
  const found = new Map<ContentKey, number>();
  positions.forEach((position, index) => found.set(pack.keyOf(position), counts[index] ?? 0));
  return found;
}

/** Reads the contents themselves. */
export async function lookIntoContents(
  { store, pool }: LookDeps,
  { scope, needle }: Looked,
  keys: readonly ContentKey[],
): Promise<Counts> {
  const read = await Promise.all(
    keys.map(async (key) => ({
      key,
      charset: charsetOfKey(key),
      // one that cannot be read is left out here, and reported when it is packed
      bytes: await store.read(Buffer.from(hashOfKey(key), "hex")).catch((error: unknown) => {
        if (error instanceof AppError && !error.retryable) return null;
        throw error;
      }),
    })),
  );
  const readable = read.flatMap(({ key, charset, bytes }) => (bytes === null ? [] : [{ key, charset, bytes }]));
  const { counts } = await pool.count({
    contents: readable.map(({ bytes, charset }) => ({ bytes, charset })),
    needle: needle.bytes,
    scope,
  });
  return new Map(
    readable.flatMap(({ key }, index): [ContentKey, number][] => {
      const count = counts[index] ?? 0;
      return count === 0 ? [] : [[key, count]];
    }),
  );
}
