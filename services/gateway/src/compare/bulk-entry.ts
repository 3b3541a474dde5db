import type { Sign } from "../http/actor.js";
import type { BulkDiffEntry } from "@web-tester/contracts/entities/compare";
import type { PageFact } from "@web-tester/contracts/entities/vocabulary";
import { AppError } from "@web-tester/contracts/errors";
import { limits } from "@web-tester/contracts/limits";
import { ContentLost, type ObjectStore } from "@web-tester/platform/object-store/object-store";
import { thumbnailAddress } from "../assets/asset-address.js";
import { readHtml } from "../snapshots/read-html.js";
import type { BulkRow, BulkSide } from "./select-bulk.sql.js";

/**
 * Converts an instance's row to an entry of the bulk diff.
 * @param store where the HTML of pairs that differ is read; null: it is left out
 * @param sign signs the API's addresses
 * @throws AppError unavailable
 */
export async function toBulkEntry(
  row: BulkRow,
  indices: { idx1: number; idx2: number },
  store: ObjectStore | null,
  sign: Sign,
): Promise<BulkDiffEntry> {
  const notCompared = skipReasonOf(row, indices);
  const { sides, lost } = await readSides(row, notCompared === null ? store : null, sign);
  const [snapshot1, snapshot2] = sides;
  const skipReason = notCompared ?? lost;
  return {
    instanceId: row.id,
    instanceName: row.name,
    instanceUrl: row.url,
    skipped: skipReason !== null,
    skipReason,
    changedBeside: row.besides !== null,
    snapshotCount: row.snapshots,
    snapshot1,
    snapshot2,
    assets: row.one?.assets === true && row.other?.assets === true,
    linesAdded: row.added,
    linesRemoved: row.removed,
  };
}

type Sides = [BulkDiffEntry["snapshot1"], BulkDiffEntry["snapshot2"]];

/**
 * Reads both sides, with their HTML where `store` is given.
 * @returns `lost`: why their HTML cannot be read, which must not keep the other pages from being answered; null where it was read or
 * not wanted
 */
async function readSides(
  { one, other }: BulkRow,
  store: ObjectStore | null,
  sign: Sign,
): Promise<{ sides: Sides; lost: string | null }> {
  const read = (from: ObjectStore | null): Promise<Sides> =>
    Promise.all([toSide(one, from, sign), toSide(other, from, sign)]);
  try {
    return { sides: await read(store), lost: null };
  } catch (error) {
    if (!(error instanceof ContentLost)) throw error;
    return { sides: await read(null), lost: error.message };
  }
}

/** The snapshots of the pairs that differ, by key, each once. */
export function pagesOf(
  entries: readonly BulkDiffEntry[],
  withHtml: boolean,
): { pageKeys: string[]; pagesHtml?: { key: string; html: string }[] } {
  const sides = entries.filter(({ skipped }) => !skipped).flatMap(({ snapshot1, snapshot2 }) => [snapshot1, snapshot2]);
  const pages = sides.filter((side) => side !== null);
  const pageKeys = pages.map(({ id }) => id);
  return withHtml
    ? { pageKeys, pagesHtml: pages.map(({ id, html }) => ({ key: id, html: html ?? "" })) }
    : { pageKeys };
}

/** Removes the HTML from an entry, for answers that carry it elsewhere or not at all. */
export function leaveHtmlOut({ snapshot1, snapshot2 }: BulkDiffEntry): void {
  if (snapshot1 !== null) snapshot1.html = null;
  if (snapshot2 !== null) snapshot2.html = null;
}

/** Says why a pair is not compared; null where it is. */
export function skipReasonOf(
  { outcome, snapshots, besides }: Pick<BulkRow, "outcome" | "snapshots" | "besides">,
  { idx1, idx2 }: { idx1: number; idx2: number },
): string | null {
  if (outcome === "differs") return null;
  if (outcome === "identical" && besides !== null)
    return `The HTML is identical; beside it changed ${wordsOf(besides)}`;
  if (outcome === "identical")
    return idx1 === idx2 ? "Identical: both indices name the same snapshot" : "Identical: both snapshots hold the same";
  const needed = Math.max(idx1, idx2) + 1;
  const has =
    snapshots === 0 ? "No finished snapshot" : `Only ${snapshots} finished snapshot${snapshots === 1 ? "" : "s"}`;
  return `${has}, index ${needed} needs ${needed}`;
}

const factWords: Record<PageFact, string> = {
  status: "the status",
  redirect: "the redirect",
  content_type: "the content type",
  csp: "the security policy",
  x_robots_tag: "X-Robots-Tag",
  title: "the title",
  canonical: "the canonical address",
  robots: "robots",
};

function wordsOf({ files, facts }: { files: number; facts: readonly PageFact[] }): string {
  const counted = files === 0 ? [] : [`${files} file${files === 1 ? "" : "s"}`];
  return [...counted, ...facts.map((fact) => factWords[fact])].join(", ");
}

/**
 * Refuses a page whose HTML would not fit into one answer, before any of it is read.
 * @throws AppError payload_too_large
 */
export function checkHtmlSize(rows: readonly Pick<BulkRow, "outcome" | "one" | "other">[]): void {
  let bytes = 0;
  for (const { outcome, one, other } of rows)
    if (outcome === "differs") bytes += (one?.bytes ?? 0) + (other?.bytes ?? 0);
  if (bytes <= limits.bulkDiffHtmlMaxBytes) return;
  const megabytes = (count: number) => `${Math.ceil(count / 1024 / 1024)} MB`;
  throw new AppError(
    "payload_too_large",
    `The HTML of this part of the bulk diff is ${megabytes(bytes)}, more than the ${megabytes(limits.bulkDiffHtmlMaxBytes)} that one answer holds. Ask for fewer instances at once (limit=1), or leave the HTML out (html=false) and read the differences from /api/diff/hunks.`,
  );
}

async function toSide(
  side: BulkSide | null,
  store: ObjectStore | null,
  sign: Sign,
): Promise<BulkDiffEntry["snapshot1"]> {
  if (side === null) return null;
  const { id, number } = side;
  const html = store === null ? null : await readHtml(store, side);
  return { id, number, html, thumbnail: thumbnailAddress(id, sign) };
}
