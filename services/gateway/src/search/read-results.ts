import type { SearchResult } from "@web-tester/contracts/entities";
import type { Queryable } from "@web-tester/platform/db/database";
import type { ContentKey } from "./select-packs.sql.js";
import { type Place, type ResultRow, selectByContent, selectByInstance, type Where } from "./select-results.sql.js";

/** Up to so many contents are looked up by themselves; for more, the instances are gone through in their order. */
const fewContents = 500;
/**
 * The first stretch is read whole and sorted out here: of a common phrase it fills the page, and thousands of hashes need not
 * travel to the database.
 */
const unsortedPerResult = 4;
const firstWeight = 2_000;
const weightMax = 500_000;
/** Rows that one statement brings at most. */
const rowsMax = 2_000;

/** A page of results, and where the next one begins. */
export interface ResultPage {
  items: SearchResult[];
  next: Place | null;
}

/** Results by instance (URL), each instance's latest snapshot first. @param counts matches by content */
export async function readResults(
  db: Queryable,
  where: Where,
  counts: ReadonlyMap<ContentKey, number>,
  after: Place | null,
  limit: number,
): Promise<ResultPage> {
  const items: SearchResult[] = [];
  for await (const row of eachRow(db, where, counts, after, limit + 1)) {
    const matchCount = counts.get(row.key);
    if (matchCount === undefined || (where.index !== null && row.index !== where.index)) continue;
    const last = items.at(-1);
    if (items.length === limit && last !== undefined)
      return { items, next: { url: last.testInstanceUrl, snapshotId: last.snapshotId } };
    items.push(toResult(row, matchCount));
  }
  return { items, next: null };
}

async function* eachRow(
  db: Queryable,
  where: Where,
  counts: ReadonlyMap<ContentKey, number>,
  after: Place | null,
  wanted: number,
): AsyncGenerator<ResultRow> {
  const hashes = hashesOf(counts);
  if (hashes.length === 0) return;
  const limit = Math.min(wanted, rowsMax);
  if (hashes.length <= fewContents) {
    for (let place = after; ;) {
      const rows = await selectByContent(db, where, hashes, place, limit);
      yield* rows;
      const last = rows.at(-1);
      if (last === undefined || rows.length < limit) return;
      place = { url: last.instanceUrl, snapshotId: last.snapshotId };
    }
  }
  for (let place = after, weight = firstWeight; ; weight = Math.min(weight * 4, weightMax)) {
    const whole = weight === firstWeight;
    const most = whole ? Math.min(limit * unsortedPerResult, rowsMax) : limit;
    const { rows, last } = await selectByInstance(db, where, whole ? null : hashes, place, most, weight);
    yield* rows;
    if (last === null) return;
    const cutOff = rows.length === most ? rows.at(-1) : undefined;
    place =
      cutOff === undefined
        ? { url: last, snapshotId: null }
        : { url: cutOff.instanceUrl, snapshotId: cutOff.snapshotId };
  }
}

/** Distinct contents; one content may have been read in several charsets. */
export function hashesOf(counts: ReadonlyMap<ContentKey, number>): Buffer[] {
  return [...new Set([...counts.keys()].map((key) => key.slice(0, 64)))].map((hex) => Buffer.from(hex, "hex"));
}

function toResult(row: ResultRow, matchCount: number): SearchResult {
  return {
    testInstanceId: row.instanceId,
    testInstanceName: row.instanceName,
    testInstanceUrl: row.instanceUrl,
    snapshotId: row.snapshotId,
    snapshotIndex: row.index,
    snapshotNumber: row.number,
    snapshotCreatedAt: new Date(row.createdAt).toISOString(),
    matchCount,
  };
}
