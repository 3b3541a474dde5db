import type { Sign } from "../http/actor.js";
import type { BulkDiffEntry } from "@web-tester/contracts/entities/compare";
import type { PageFact } from "@web-tester/contracts/entities/vocabulary";
import { AppError } from "@web-tester/contracts/errors";
import { limits } from "@web-tester/contracts/limits";
import type { ObjectStore } from "@web-tester/platform/object-store/object-store";
import { thumbnailAddress } from "../assets/asset-address.js";
import { readHtml } from "../snapshots/read-html.js";
import type { BulkRow, BulkSide } from "./select-bulk.sql.js";

/**
 * An instance as a bulk diff answers it.
 * @param store where the HTML of pairs that differ is read; null: it is left out
 * @param sign the API's, which addresses are signed with; null where none is set
 * @throws AppError content_missing, content_damaged, unavailable
 */
export async function toBulkEntry(
  row: BulkRow,
  indices: { idx1: number; idx2: number },
  store: ObjectStore | null,
  sign: Sign,
): Promise<BulkDiffEntry> {
  const skipReason = skipReasonOf(row, indices);
  const from = skipReason === null ? store : null;
  const [snapshot1, snapshot2] = await Promise.all([toSide(row.one, from, sign), toSide(row.other, from, sign)]);
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

/** The snapshots of the pairs that differ, by key; each once. */
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

/** For answers that carry the HTML elsewhere, or not at all. */
export function leaveHtmlOut({ snapshot1, snapshot2 }: BulkDiffEntry): void {
  if (snapshot1 !== null) snapshot1.html = null;
  if (snapshot2 !== null) snapshot2.html = null;
}

/** Why a pair is not compared, in words; null where it is. */
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
