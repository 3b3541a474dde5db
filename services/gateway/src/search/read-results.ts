import type { SearchResult } from "@web-tester/contracts/entities/search";
import type { Queryable } from "@web-tester/platform/database/database";
import type { Counts } from "./look-into.js";
import { type ContentKey, hashOfKey } from "./select-contents.sql.js";
import {
  type Place,
  type ResultRow,
  selectByContent,
  selectIndexes,
  selectStretch,
  selectWithin,
  type Where,
} from "./select-results.sql.js";

/**
 * Up to this many contents with up to this many snapshots are looked up directly; for more, the instances are walked through in the
 * order of results.
 */
const fewContents = 500;
const fewSnapshots = 20_000;
/** How many instances are in the first stretch; each further stretch has four times as many, up to `mostInstances`. */
const firstInstances = 16;
const firstInstancesMax = 256;
const mostInstances = 4_096;
/** The most rows that one statement returns. */
const rowsMax = 2_000;

/** A page of results, and the place where the next one begins. */
export interface ResultPage {
  items: SearchResult[];
  next: Place | null;
}

/**
 * Reads results ordered by their instances' URLs, each instance's latest snapshot first.
 * @param counts matches by content
 */
export async function readResults(
  db: Queryable,
  where: Where,
  counts: Counts,
  after: Place | null,
  limit: number,
): Promise<ResultPage> {
  const hashes = hashesOf(counts);
  const page = new PageBuilder(limit);
  if (hashes.length === 0) return page.done(db, where);
  if (hashes.length <= fewContents) {
    const wanted = Math.min(limit + 1, rowsMax);
    for (let place = after; ;) {
      const rows = await selectByContent(db, where, hashes, place, wanted, fewSnapshots);
      if (rows === null) break;
      if (page.add(rows, counts) || rows.length < wanted) return page.done(db, where);
      place = placeOf(rows) ?? place;
    }
  }
  await walk(db, where, after, page, () => Promise.resolve(counts), Infinity);
  return page.done(db, where);
}

/**
 * Walks through the instances in the order of results until a page is full.
 * @param countIn counts matches in these contents; null gives up
 * @param stretchesMax gives up after this many stretches
 * @returns null where it gave up
 */
export async function walkResults(
  db: Queryable,
  where: Where,
  after: Place | null,
  limit: number,
  countIn: (contents: readonly ContentKey[]) => Promise<Counts | null>,
  stretchesMax: number,
): Promise<ResultPage | null> {
  const page = new PageBuilder(limit);
  return (await walk(db, where, after, page, countIn, stretchesMax)) ? page.done(db, where) : null;
}

async function walk(
  db: Queryable,
  where: Where,
  after: Place | null,
  page: PageBuilder,
  countIn: (contents: readonly ContentKey[]) => Promise<Counts | null>,
  stretchesMax: number,
): Promise<boolean> {
  const wanted = Math.min(page.limit + 1, rowsMax);
  // at an index each instance has at most one result, otherwise it has several
  let instances = where.index === null ? firstInstances : Math.min(Math.max(firstInstances, wanted), firstInstancesMax);
  let place = after;
  for (let turn = 0; turn < stretchesMax; turn += 1) {
    const stretch = await selectStretch(db, where, place, instances);
    if (stretch === null) return true;
    const counted = await countIn(stretch.contents);
    if (counted === null) return false;
    const counts = new Map(
      stretch.contents.flatMap((key): [ContentKey, number][] => {
        const count = counted.get(key);
        return count === undefined ? [] : [[key, count]];
      }),
    );
    const hashes = hashesOf(counts);
    for (let more = hashes.length > 0; more;) {
      const rows = await selectWithin(db, where, hashes, place, stretch.last, wanted);
      if (page.add(rows, counts)) return true;
      more = rows.length === wanted;
      place = placeOf(rows) ?? place;
    }
    place = { url: stretch.last, snapshotId: null };
    instances = Math.min(instances * 4, mostInstances);
  }
  return false;
}

function placeOf(rows: readonly ResultRow[]): Place | null {
  const last = rows.at(-1);
  return last === undefined ? null : { url: last.instanceUrl, snapshotId: last.snapshotId };
}

/** The distinct hashes of contents; the same bytes may have been read in several charsets. */
export function hashesOf(counts: Counts): Buffer[] {
  return [...new Set([...counts.keys()].map(hashOfKey))].map((hex) => Buffer.from(hex, "hex"));
}

class PageBuilder {
  private readonly found: { row: ResultRow; matchCount: number }[] = [];

  constructor(readonly limit: number) {}

  /**
   * Adds rows that have matches.
   * @returns whether the page is full, with at least one more result behind it
   */
  add(rows: readonly ResultRow[], counts: Counts): boolean {
    for (const row of rows) {
      const matchCount = counts.get(row.key);
      if (matchCount === undefined) continue;
      this.found.push({ row, matchCount });
      if (this.found.length > this.limit) return true;
    }
    return false;
  }

  async done(db: Queryable, { index }: Where): Promise<ResultPage> {
    const shown = this.found.slice(0, this.limit);
    const indexes =
      index === null && shown.length > 0
        ? await selectIndexes(
            db,
            shown.map(({ row }) => row.snapshotId),
          )
        : new Map<string, number>();
    return {
      items: shown.map(({ row, matchCount }) => toResult(row, matchCount, index ?? indexes.get(row.snapshotId) ?? 0)),
      next: this.found.length > this.limit ? placeOf(shown.map(({ row }) => row)) : null,
    };
  }
}

function toResult(row: ResultRow, matchCount: number, index: number): SearchResult {
  return {
    testInstanceId: row.instanceId,
    testInstanceName: row.instanceName,
    testInstanceUrl: row.instanceUrl,
    snapshotId: row.snapshotId,
    snapshotIndex: index,
    snapshotNumber: row.number,
    snapshotCreatedAt: new Date(row.createdAt).toISOString(),
    matchCount,
  };
}
