import { AppError } from "@web-tester/contracts/errors";
import type { SearchScope } from "@web-tester/contracts/entities";
import type { Database } from "@web-tester/platform/db/database";
import type { Needle } from "@web-tester/platform/search/needle";
import { candidateFrames } from "@web-tester/platform/search/section";
import type { ObjectStore } from "@web-tester/platform/storage/object-store";
import type { LoadedPack, PackCache } from "./pack-cache.js";
import type { ScanPool } from "./scan-pool.js";
import { type ContentKey, countProblems, type PackRow, selectPacks, selectWaiting } from "./select-packs.sql.js";

/** Which contents of an object hold the phrase, and how often. */
export interface ContentMatches {
  counts: Map<ContentKey, number>;
  /** Why not everything was searched, in words; null: it was. */
  partial: string | null;
}

export interface FindDeps {
  db: Database;
  store: Pick<ObjectStore, "read">;
  packs: PackCache;
  pool: ScanPool;
}

export interface Finding {
  objectId: string;
  scope: SearchScope;
  needle: Needle;
  /** By `performance.now()`: what is not looked at by then is left out. */
  deadline: number;
  signal: AbortSignal;
  /** Called as the search goes on, in documents; `found` are those of the last step. */
  onProgress?: (searched: number, total: number, found: ReadonlyMap<ContentKey, number>) => void;
}

/** Contents in no pack that one search reads at most: indexing is never far behind for longer than it takes to say so. */
const waitingMax = 2_000;
const contentsPerTask = 16;
/** A pack that is merged away in the middle of a search makes it begin again. */
const triesMax = 5;

/**
 * Looks through an object's packs, those parts of them that may hold the phrase, and through what is in no pack yet.
 * @throws AppError unavailable
 */
export async function findContents(deps: FindDeps, finding: Finding): Promise<ContentMatches> {
  for (let attempt = 1; ; attempt += 1) {
    const matches = await findOnce(deps, finding);
    if (matches !== null) return matches;
    if (attempt === triesMax)
      throw new AppError("unavailable", "The search index is being rearranged. Search again in a moment.");
  }
}

/** Null where a pack was replaced meanwhile. */
async function findOnce(deps: FindDeps, finding: Finding): Promise<ContentMatches | null> {
  const { db, pool } = deps;
  const { objectId, scope, needle, onProgress } = finding;
  const waiting = await selectWaiting(db, objectId, waitingMax + 1);
  const unseen = waiting.length > waitingMax;
  const tail = waiting.slice(0, waitingMax);
  const [packs, problems] = await Promise.all([
    selectPacks(db, objectId, scope, needle.rows),
    countProblems(db, objectId),
  ]);
  const counts = new Map<ContentKey, number>();
  const total = packs.reduce((sum, pack) => sum + pack.documents, 0) + tail.length;
  let searched = 0;
  let gone = false;
  let late = false;
  const report = (documents: number, found: ReadonlyMap<ContentKey, number>): void => {
    searched += documents;
    for (const [key, count] of found) counts.set(key, count);
    onProgress?.(searched, total, found);
  };
  const steps: (() => Promise<void>)[] = [];
  for (let start = 0; start < tail.length; start += contentsPerTask) {
    const part = tail.slice(start, start + contentsPerTask);
    steps.push(async () => report(part.length, await searchContents(deps, finding, part)));
  }
  let ruledOut = 0;
  for (const pack of packs) {
    const frames = pack.rows === null ? null : candidateFrames(pack.rows, pack.rowBytes, pack.frames);
    if (frames?.length === 0) ruledOut += pack.documents;
    else
      steps.push(async () => {
        const found = await searchPack(deps, finding, pack, frames);
        if (found === null) gone = true;
        else report(pack.documents, found);
      });
  }
  if (ruledOut > 0) report(ruledOut, new Map());
  let next = 0;
  await Promise.all(
    Array.from({ length: pool.threads }, async () => {
      for (let step = steps[next++]; step !== undefined && !gone; step = steps[next++]) {
        finding.signal.throwIfAborted();
        if (performance.now() >= finding.deadline) {
          late = true;
          return;
        }
        await step();
      }
    }),
  );
  if (gone) return null;
  return { counts, partial: words({ late, searched, total, unseen, problems }) };
}

async function searchPack(
  { packs, pool }: FindDeps,
  { scope, needle }: Finding,
  row: PackRow,
  candidates: number[] | null,
): Promise<Map<ContentKey, number> | null> {
  const pack = await packs.load(row.id, scope);
  if (pack === null) return null;
  const numbers = candidates === null || needle.straddles ? pack.frameEnds.keys() : candidates;
  const { positions, counts } = await pool.run({
    kind: "pack",
    section: {
      documents: row.documents,
      frameChunks: pack.frameChunks,
      sequences: pack.sequences,
      frames: new Map([...numbers].map((number) => [number, frameOf(pack, number)])),
    },
    needle: needle.bytes,
    straddles: needle.straddles,
    near: candidates,
  });
  const found = new Map<ContentKey, number>();
  positions.forEach((position, index) => found.set(pack.keyOf(position), counts[index] ?? 0));
  return found;
}

function frameOf(pack: LoadedPack, number: number): Uint8Array {
  return pack.body.subarray(pack.frameEnds[number - 1] ?? 0, pack.frameEnds[number]);
}

async function searchContents(
  { store, pool }: FindDeps,
  { scope, needle }: Finding,
  entries: readonly { hash: Buffer; charset: string }[],
): Promise<Map<ContentKey, number>> {
  const read = await Promise.all(
    entries.map(async ({ hash, charset }) => ({
      key: `${hash.toString("hex")}:${charset}`,
      charset,
      // one that cannot be read is left out here, and reported when it is packed
      bytes: await store.read(hash).catch((error: unknown) => {
        if (error instanceof AppError && !error.retryable) return null;
        throw error;
      }),
    })),
  );
  const readable = read.flatMap(({ key, charset, bytes }) => (bytes === null ? [] : [{ key, charset, bytes }]));
  const { counts } = await pool.run({
    kind: "contents",
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

function words({
  late,
  searched,
  total,
  unseen,
  problems,
}: {
  late: boolean;
  searched: number;
  total: number;
  unseen: boolean;
  problems: number;
}): string | null {
  const number = (value: number) => value.toLocaleString("en-US");
  const parts = [
    late
      ? `The time for this search was up after ${number(searched)} of ${number(total)} page versions. Search one page only, or for a longer text.`
      : "",
    unseen ? "Many pages were fetched lately and are not all searched yet. Search again in a few minutes." : "",
    problems > 0
      ? `${number(problems)} page ${problems === 1 ? "version" : "versions"} cannot be read from the object store and ${problems === 1 ? "was" : "were"} not searched.`
      : "",
  ].filter((part) => part !== "");
  return parts.length === 0 ? null : parts.join(" ");
}
