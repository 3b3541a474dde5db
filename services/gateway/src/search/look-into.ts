import type { SearchScope } from "@web-tester/contracts/entities/search";
import type { Database } from "@web-tester/platform/database/database";
import type { Needle } from "@web-tester/search-index/needle";
import type { FrameMatches } from "@web-tester/search-index/segment-reader";
import type { PackCache } from "./pack-cache.js";
import type { ScanPool } from "./scan-pool.js";
import type { ContentKey } from "./select-contents.sql.js";
import type { PlannedPack } from "./query-plan.js";
import type { TextCache } from "./text-cache.js";

export interface LookDeps {
  db: Database;
  packs: PackCache;
  texts: TextCache;
  pool: ScanPool;
}

/** What is searched for. */
export interface Looked {
  scope: SearchScope;
  needle: Needle;
  /** Matches found so far in some frames, by pack, so that no frame is read twice for one search. */
  known: Map<string, FrameMatches>;
}

/** Contents that contain the phrase, and how often. */
export type Counts = ReadonlyMap<ContentKey, number>;

/** Counts a phrase in a pack's documents; null where the pack was replaced meanwhile. */
export async function lookIntoPack(
  { packs, pool }: LookDeps,
  { scope, needle, known }: Looked,
  { id, candidates, only }: PlannedPack,
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

/** Counts a phrase in contents themselves, without packs. */
export async function lookIntoContents(
  { texts, pool }: LookDeps,
  { scope, needle }: Looked,
  keys: readonly ContentKey[],
): Promise<Counts> {
  const loaded = [...(await texts.load(scope, keys))];
  const { positions, counts } = await pool.count({ texts: loaded.map(([, text]) => text), needle: needle.bytes });
  const found = new Map<ContentKey, number>();
  for (const [index, position] of positions.entries()) {
    const [key] = loaded[position] ?? [];
    if (key !== undefined) found.set(key, counts[index] ?? 0);
  }
  return found;
}
