import type { ChangeGroup, ReviewKind, ReviewPage, RunReview } from "@web-tester/contracts/entities/review";
import type { Call } from "../client.js";
import type { Found } from "./findings.js";

const groupsAtOnce = 200;
const pagesAtOnce = 1_000;
const shownKinds: readonly ReviewKind[] = ["changed", "new", "gone", "failed"];

/** Reads all findings of a comparison. */
export async function readFindings(call: Call, runId: string): Promise<{ review: RunReview; found: Found }> {
  const params = { id: runId };
  const review = await call("getReview", { params, query: { limit: groupsAtOnce } });
  const groups: ChangeGroup[] = [...review.groups];
  while (groups.length < review.groups_total) {
    const part = await call("getReview", { params, query: { limit: groupsAtOnce, offset: groups.length } });
    if (part.groups.length === 0) break;
    groups.push(...part.groups);
  }
  const pages: ReviewPage[] = [];
  for (const kind of shownKinds) pages.push(...(await pagesOf(call, runId, { kind })));
  return { review, found: { groups, pages, settled: await settledOf(call, runId, groups, pages) } };
}

/** Returns the fingerprints of kinds of change without a verdict whose pages were all settled one by one. */
async function settledOf(
  call: Call,
  runId: string,
  groups: readonly ChangeGroup[],
  pages: readonly ReviewPage[],
): Promise<Set<string>> {
  const settled = new Set<string>();
  if (!pages.some(({ kind, said }) => kind === "changed" && said !== null)) return settled;
  for (const { fingerprint, said } of groups) {
    if (said !== null) continue;
    const open = (await pagesOf(call, runId, { fingerprint })).some(
      (page) => page.said === null || page.said.verdict === "problem",
    );
    if (!open) settled.add(fingerprint);
  }
  return settled;
}

export async function pagesOf(
  call: Call,
  runId: string,
  of: { kind: ReviewKind } | { fingerprint: string },
): Promise<ReviewPage[]> {
  const pages: ReviewPage[] = [];
  for (let cursor: string | undefined; ;) {
    const part = await call("listReviewPages", {
      params: { id: runId },
      query: { ...of, limit: pagesAtOnce, ...(cursor === undefined ? {} : { cursor }) },
    });
    pages.push(...part.items);
    if (part.nextCursor === null) return pages;
    cursor = part.nextCursor;
  }
}
