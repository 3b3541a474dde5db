import type { BulkDiffEntry } from "@web-tester/contracts/entities/compare";
import { limits } from "@web-tester/contracts/limits";
import { call } from "../../../api/client.js";
import { toPatch } from "./patch.js";

/** Two snapshots of a page, and its address. */
export interface Pair {
  readonly a: string;
  readonly b: string;
  readonly url: string;
}

/** How many comparisons are requested at a time. */
const atOnce = 4;

/**
 * Makes one patch of the source of many pages, each with its address as path.
 * @param onProgress is called with the number of pages in it so far
 * @returns `partial`: how many comparisons are incomplete
 * @throws AbortError when `signal` aborts, ApiError where a comparison cannot be loaded
 */
export async function patchOf(
  pairs: AsyncIterable<Pair>,
  signal: AbortSignal,
  onProgress: (pages: number) => void,
): Promise<{ text: string; pages: number; partial: number }> {
  const texts: string[] = [];
  let [pages, partial, index] = [0, 0, 0];
  const names = new Set<string>();
  const waiting = new Set<Promise<void>>();
  let failure: unknown;
  const add = async (at: number, { a, b, url }: Pair) => {
    const diff = await call("getDiffHunks", { query: { a, b, diffType: "lines", as: "source" }, signal });
    if (diff.truncated) partial += 1;
    const name = uniqueName(pathInPatch(url), names);
    if (diff.hunks.length > 0) texts[at] = toPatch(diff, `a/${name}`, `b/${name}`);
    pages += 1;
    onProgress(pages);
  };
  for await (const pair of pairs) {
    signal.throwIfAborted();
    const work: Promise<void> = add(index, pair)
      .catch((error: unknown) => {
        failure ??= error;
      })
      .finally(() => waiting.delete(work));
    index += 1;
    waiting.add(work);
    if (waiting.size >= atOnce) await Promise.race(waiting);
    if (failure !== undefined) break;
  }
  await Promise.all(waiting);
  if (failure !== undefined) throw failure;
  return { text: texts.filter((text) => text !== undefined).join(""), pages, partial };
}

/** Yields the pages of a bulk diff that differ, in its order. */
export async function* pairsOfBulk(objectId: string, idx1: number, idx2: number, signal: AbortSignal) {
  for (let offset = 0; ;) {
    const query = { idx1, idx2, limit: limits.bulkDiffPageSize, offset, html: "false" as const };
    const { diffs, diffCount, hasMore } = await call("getBulkDiff", { params: { id: objectId }, query, signal });
    yield* diffs.flatMap(pairOf);
    offset += diffs.length;
    if (!hasMore || diffs.length === 0 || offset >= diffCount) return;
  }
}

const pairOf = ({ skipped, snapshot1, snapshot2, instanceUrl }: BulkDiffEntry): Pair[] =>
  skipped || snapshot1 === null || snapshot2 === null ? [] : [{ a: snapshot1.id, b: snapshot2.id, url: instanceUrl }];

/** Yields the pages of a run that changed. */
export async function* pairsOfRun(runId: string, signal: AbortSignal): AsyncGenerator<Pair> {
  for (let cursor: string | undefined; ;) {
    const query = { kind: "changed" as const, cursor };
    const { items, nextCursor } = await call("listReviewPages", { params: { id: runId }, query, signal });
    for (const { compared_with: a, snapshot_id: b, instance } of items)
      if (a !== null) yield { a, b, url: instance.url };
    if (nextCursor === null) return;
    cursor = nextCursor;
  }
}

/** Converts an address to a path that `git apply` accepts: host, path, and a file name where the address ends in a folder. */
export function pathInPatch(url: string): string {
  const { host, pathname, search } = new URL(url);
  const path = `${pathname}${search}`.replace(/\/$/, "/index.html");
  const named = search === "" && !/\.[a-z0-9]+$/i.test(path) ? `${path}.html` : path;
  return `${host}${named}`
    .split("/")
    .map((part) => part.replaceAll(/[^\w.~%=&,+@-]/g, "_").replace(/^\.+$/, "_"))
    .filter((part) => part !== "")
    .join("/");
}

function uniqueName(name: string, taken: Set<string>): string {
  let unique = name;
  for (let number = 2; taken.has(unique); number += 1) unique = `${name}.${number}`;
  taken.add(unique);
  return unique;
}
