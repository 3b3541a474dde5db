import type { ComparedPart, ComparedSide } from "@web-tester/contracts/entities/comparison";
import type { TestObject } from "@web-tester/contracts/entities/object";
import { CannotRun } from "../client.js";
import { findOrAdd } from "../find-object.js";
import { waitForRun } from "../progress.js";
import type { Session } from "../session.js";
import { runsOf } from "../runs-of.js";
import { followOther, startRun } from "../start-run.js";
import { readAgainst } from "./against.js";
import { type CheckResult, type FailKind, findingsOf, outcomeOf } from "./findings.js";
import { leaveOutLookAlikes } from "./look-alike.js";
import { readFindings } from "./read-findings.js";

/** What of pages may be compared. */
export const checkedParts = ["text", "source", "files", "status", "visual"] as const;
export type CheckedPart = (typeof checkedParts)[number];

export interface CheckOptions {
  /** A test object by its name or id, or an address, which is registered where it is unknown. */
  object: string;
  /** As it is written on the command line. */
  against: string;
  crawl: boolean;
  fetch: boolean;
  /** Pages that a crawl finds at most; null: as the object says. */
  maxPages: number | null;
  /** Of the fetch; null for none. */
  label: string | null;
  /** Null: all but how pages look. */
  only: ReadonlySet<CheckedPart> | null;
  failOn: ReadonlySet<FailKind>;
  commit: string | null;
  branch: string | null;
  pipelineUrl: string | null;
}

/** Fetches a site, compares it, and says what somebody has to look at. @throws CannotRun */
export async function runCheck(options: CheckOptions, session: Session): Promise<CheckResult> {
  const call = await session.call();
  const object = await findOrAdd(call, options.object);
  const against = await readAgainst(call, object.id, options.against);
  const check = await call("startCheck", {
    params: { id: object.id },
    body: {
      ...{ against: options.against, fail_on: [...options.failOn] },
      ...{ commit: options.commit, branch: options.branch, pipeline_url: options.pipelineUrl },
    },
  });
  try {
    const from = "side" in against ? against.side : await otherSite(against.site, options, session);
    const fetched = await collect(object, options, session);
    const to: ComparedSide =
      fetched !== null && from.type !== "object" ? { type: "run", run_id: fetched } : { type: "latest" };
    const { runId } = await call("startComparison", {
      params: { id: object.id },
      body: { from, to, ...(options.only === null ? {} : { only: partsOf(options.only) }) },
    });
    const named = () => call("updateCheck", { params: { id: check.id }, body: { run_id: runId } });
    const isDrawn = options.only?.has("visual") === true;
    // until pages that look the same are left out, more of them seem to wait than do
    if (!isDrawn) await named();
    await wait(session, runId, "Compare");
    if (isDrawn) {
      await leaveOutLookAlikes(call, runId, session.progress);
      await named();
    }
    return await resultOf(options, session, { checkId: check.id, object, runId });
  } catch (error) {
    const why = session.signal.aborted ? "It was stopped." : error instanceof Error ? error.message : String(error);
    await session.leave(check.id, why);
    throw error;
  }
}

async function resultOf(
  options: CheckOptions,
  session: Session,
  { checkId, object, runId }: { checkId: string; object: TestObject; runId: string },
): Promise<CheckResult> {
  const call = await session.call();
  const { review, found } = await readFindings(call, runId);
  if (review.run.total === 0)
    throw new CannotRun(
      `Nothing was compared: no page of “${object.name}” is there, and none was before. Fetch it, or see why its pages are not found.`,
    );
  const findings = findingsOf(found, session.base);
  const failOn = [...options.failOn];
  return {
    ...{ id: checkId, run_id: runId, findings },
    object: { id: object.id, name: object.name, url: object.url },
    against: options.against,
    review: session.base === null ? "" : `${session.base}/runs/${runId}/review`,
    total: review.run.total,
    unchanged: review.counts.unchanged,
    fail_on: failOn,
    outcome: outcomeOf(findings, failOn),
  };
}

/** How a page looks is in its source and its files. */
function partsOf(only: ReadonlySet<CheckedPart>): ComparedPart[] {
  const all: readonly ComparedPart[] = ["text", "source", "files", "status"];
  return all.filter((part) => only.has(part) || (only.has("visual") && (part === "source" || part === "files")));
}

/** The other site as it is now: registered and fetched where it has nothing yet. */
async function otherSite(url: string, options: CheckOptions, session: Session): Promise<ComparedSide> {
  const other = await findOrAdd(await session.call(), url);
  await collect(other, { ...options, label: null }, session);
  return { type: "object", testobject_id: other.id };
}

/** Finds and fetches the pages of a site, as far as that was asked for. @returns its fetch; null for none */
async function collect(
  { id, name }: TestObject,
  { crawl, fetch, label, maxPages }: Pick<CheckOptions, "crawl" | "fetch" | "label" | "maxPages">,
  session: Session,
): Promise<string | null> {
  const call = await session.call();
  const params = { id };
  if (maxPages !== null) await call("updateTestObject", { params, body: { crawl_pages_max: maxPages } });
  if (fetch && !crawl) await waitForFirstCrawl(session, id, `Crawl ${name}`);
  const { items } = await call("listTestInstances", { params, query: { limit: 1 } });
  // a site of which nothing is known yet is looked at in any case
  if (crawl || (fetch && items.length === 0)) {
    const crawling = await startRun(session, "crawl", id, `Crawl ${name}`);
    if (crawling !== null) await wait(session, crawling, `Crawl ${name}`);
  }
  if (!fetch) return null;
  const runId = await startRun(session, "snapshotAll", id, `Fetch ${name}`);
  if (runId === null) throw new CannotRun(`“${name}” has no pages: the crawl found none.`);
  if (label !== null) await call("updateRun", { params: { id: runId }, body: { label } });
  await wait(session, runId, `Fetch ${name}`);
  return runId;
}

/** Of a site of which all pages were never fetched, those that a crawl has found so far are not the site: what it finds next would be new in every check. */
async function waitForFirstCrawl(session: Session, objectId: string, what: string): Promise<void> {
  const call = await session.call();
  for await (const { state } of runsOf(call, objectId, { kind: "snapshot-all" })) if (state === "finished") return;
  for (const kind of ["crawl", "sitemaps"] as const) {
    // one of a kind at a time, which is the newest one
    const { items } = await call("listRuns", { params: { id: objectId }, query: { limit: 1, kind } });
    if (items[0]?.state === "running") return followOther(session, items[0].id, what);
  }
}

async function wait(session: Session, runId: string, what: string): Promise<void> {
  session.onRun(runId);
  await waitForRun(await session.call(), runId, what, session.progress, session.signal);
  session.onRun(null);
}
