import type { ComparedSide } from "@web-tester/contracts/entities/comparison";
import type { ReviewKind, ReviewPage } from "@web-tester/contracts/entities/review";
import { type Call, CannotRun } from "../client.js";
import { findObject } from "../find-object.js";
import { type Screen, waitForRun } from "../progress.js";
import { sideOf } from "./against.js";
import { type CheckResult, type FailKind, findingsOf, outcomeOf } from "./findings.js";

export interface CheckOptions {
  object: string;
  /** As it is written on the command line. */
  against: string;
  crawl: boolean;
  fetch: boolean;
  /** Of the fetch; null for none. */
  label: string | null;
  failOn: ReadonlySet<FailKind>;
}

interface CheckParts {
  call: Call;
  screen: Screen;
  signal: AbortSignal;
  /** Where the screens are, without a slash at its end. */
  base: string;
  /** Is told what runs now, so that it can be stopped. */
  onRun(runId: string | null): void;
}

const groupsMax = 200;
const pagesAtOnce = 1_000;
const shownKinds: readonly ReviewKind[] = ["changed", "new", "gone", "failed"];

/** Fetches a site, compares it, and says what somebody has to look at. @throws CannotRun */
export async function runCheck(
  options: CheckOptions,
  { call, screen, signal, base, onRun }: CheckParts,
): Promise<CheckResult> {
  const { id, name, url } = await findObject(call, options.object);
  const from = await sideOf(call, options.against);
  const wait = async (runId: string, what: string) => {
    onRun(runId);
    await waitForRun(call, { objectId: id, runId }, what, screen, signal);
    onRun(null);
  };
  const params = { id };
  if (options.crawl) await wait((await call("crawl", { params })).runId, "Crawl");
  let to: ComparedSide = { type: "latest" };
  if (options.fetch) {
    const { runId } = await call("snapshotAll", { params });
    if (runId === null) throw new CannotRun(`“${name}” has no pages yet. Add --crawl to find them.`);
    if (options.label !== null) await call("updateRun", { params: { id: runId }, body: { label: options.label } });
    await wait(runId, "Fetch");
    if (from.type !== "object") to = { type: "run", run_id: runId };
  }
  const { runId } = await call("startComparison", { params, body: { from, to } });
  await wait(runId, "Compare");
  const ofRun = { id: runId };
  const review = await call("getReview", { params: ofRun, query: { limit: groupsMax } });
  const pages = (await Promise.all(shownKinds.map((kind) => allPages(call, runId, kind)))).flat();
  const findings = findingsOf(review, pages, base);
  return {
    object: { id, name, url },
    against: options.against,
    review: `${base}/runs/${runId}/review`,
    total: review.run.total,
    unchanged: review.counts.unchanged,
    findings,
    outcome: outcomeOf(findings, options.failOn),
  };
}

async function allPages(call: Call, runId: string, kind: ReviewKind): Promise<ReviewPage[]> {
  const pages: ReviewPage[] = [];
  for (let cursor: string | undefined; ;) {
    const part = await call("listReviewPages", {
      params: { id: runId },
      query: { kind, limit: pagesAtOnce, ...(cursor === undefined ? {} : { cursor }) },
    });
    pages.push(...part.items);
    if (part.nextCursor === null) return pages;
    cursor = part.nextCursor;
  }
}
