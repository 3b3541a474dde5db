import type { ComparedPart, ComparedSide } from "@web-tester/contracts/entities/comparison";
import type { Run } from "@web-tester/contracts/entities/run";
import type { TestObject } from "@web-tester/contracts/entities/object";
import { type Call, CannotRun, wordsOf } from "../client.js";
import { findObject, findOrAdd } from "../find-object.js";
import { waitForRun } from "../progress.js";
import type { Session } from "../session.js";
import { runsOf } from "../runs-of.js";
import { followOther, startRun } from "../start-run.js";
import { fetchedSite, readAgainst } from "./against.js";
import { cutOff } from "./cut-off.js";
import { type CheckResult, type FailKind, findingsOf, outcomeOf } from "./findings.js";
import { leaveOutLookAlikes } from "./look-alike.js";
import { readFindings } from "./read-findings.js";

/** The parts of pages that can be compared. */
export const checkedParts = ["text", "source", "files", "status", "visual"] as const;
export type CheckedPart = (typeof checkedParts)[number];

export interface CheckOptions {
  /** A test object by its name or id, or an address, which is registered if it is unknown. */
  object: string;
  /** What to compare with, as written on the command line. */
  against: string;
  crawl: boolean;
  fetch: boolean;
  /** The most pages that a crawl finds; null: as set for the object. */
  maxPages: number | null;
  /** Label of the fetch; null for none. */
  label: string | null;
  /** Null: all parts except `visual`. */
  only: ReadonlySet<CheckedPart> | null;
  failOn: ReadonlySet<FailKind>;
  commit: string | null;
  branch: string | null;
  pipelineUrl: string | null;
}

/** Fetches a site, compares it, and returns what has to be reviewed. @throws CannotRun */
export async function runCheck(options: CheckOptions, session: Session): Promise<CheckResult> {
  const call = await session.call();
  // without a fetch a site that nobody knows has nothing to compare
  const object = await (options.fetch ? findOrAdd : findObject)(call, options.object);
  const against = await readAgainst(call, object.id, options.against);
  const check = await call("startCheck", {
    params: { id: object.id },
    body: {
      ...{ against: options.against, fail_on: [...options.failOn] },
      ...{ commit: options.commit, branch: options.branch, pipeline_url: options.pipelineUrl },
    },
  });
  const said: string[] = [];
  try {
    const from = "side" in against ? against.side : await otherSite(against.site, { ...options, said }, session);
    const fetched = await collect(object, { ...options, said }, session);
    const to: ComparedSide =
      fetched !== null && from.type !== "object" ? { type: "run", run_id: fetched } : { type: "latest" };
    const { runId } = await call("startComparison", {
      params: { id: object.id },
      body: { from, to, ...(options.only === null ? {} : { only: partsOf(options.only) }) },
    });
    const named = () => call("updateCheck", { params: { id: check.id }, body: { run_id: runId } });
    const isDrawn = options.only?.has("visual") === true;
    // with `visual` the comparison is named only after pages that look the same are left out: until then too many pages would seem to wait
    if (!isDrawn) await named();
    await wait(session, runId, "Compare");
    if (isDrawn) {
      await leaveOutLookAlikes(call, runId, session.progress);
      await named();
    }
    return await resultOf(options, session, { checkId: check.id, object, runId, said });
  } catch (error) {
    const why = session.signal.aborted ? "It was stopped." : wordsOf(error);
    await session.leave(check.id, why);
    throw error;
  }
}

async function resultOf(
  options: CheckOptions,
  session: Session,
  { checkId, object, runId, said }: { checkId: string; object: TestObject; runId: string; said: string[] },
): Promise<CheckResult> {
  const call = await session.call();
  const { review, found } = await readFindings(call, runId);
  if (review.run.total === 0)
    throw new CannotRun(
      `Nothing was compared: “${object.name}” has no pages, now or before. Fetch it, or check why its pages are not found.`,
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
    cut_off: said,
  };
}

/** Returns the parts to compare; `visual` needs source and files, because they decide how a page looks. */
function partsOf(only: ReadonlySet<CheckedPart>): ComparedPart[] {
  const all: readonly ComparedPart[] = ["text", "source", "files", "status"];
  return all.filter((part) => only.has(part) || (only.has("visual") && (part === "source" || part === "files")));
}

/** Returns the other site as it is now; it is registered and fetched if necessary, unless nothing is to be fetched. */
async function otherSite(url: string, options: Collecting, session: Session): Promise<ComparedSide> {
  if (!options.fetch && !options.crawl) return fetchedSite(await session.call(), url);
  const other = await findOrAdd(await session.call(), url);
  await collect(other, { ...options, label: null }, session);
  return { type: "object", testobject_id: other.id };
}

interface Collecting extends Pick<CheckOptions, "crawl" | "fetch" | "label" | "maxPages"> {
  /** Gets a sentence for each crawl that ended at a limit. */
  said: string[];
}

/** Crawls and fetches a site as the options say. @returns the id of the fetch; null when nothing was fetched */
async function collect(
  { id, name }: TestObject,
  { crawl, fetch, label, maxPages, said }: Collecting,
  session: Session,
): Promise<string | null> {
  const call = await session.call();
  const params = { id };
  if (maxPages !== null) await call("updateTestObject", { params, body: { crawl_pages_max: maxPages } });
  if (fetch && !crawl) await waitForFirstCrawl(session, id, `Crawl ${name}`);
  const { items } = await call("listTestInstances", { params, query: { limit: 1 } });
  // a site without any pages is crawled in any case
  let crawling: string | null = null;
  if (crawl || (fetch && items.length === 0)) {
    crawling = await startRun(session, "crawl", id, `Crawl ${name}`);
    const ended = crawling === null ? null : await wait(session, crawling, `Crawl ${name}`);
    const cut = ended === null ? null : cutOff(name, ended);
    if (cut !== null) said.push(cut);
  }
  if (!fetch) return null;
  const runId = await startRun(session, "snapshotAll", id, `Fetch ${name}`);
  if (runId === null)
    throw new CannotRun(`“${name}” has no pages: the crawl found none.${await reasonOf(call, crawling)}`);
  if (label !== null) await call("updateRun", { params: { id: runId }, body: { label } });
  await wait(session, runId, `Fetch ${name}`);
  return runId;
}

/** The groups of a crawl's report that may say why it found nothing. */
const leftOut = ["failed", "denied", "not-html", "redirected", "out-of-scope", "excluded"] as const;

/** Says what became of the first address of a crawl that found nothing, such as a server that nobody has started; empty if that is not known. */
async function reasonOf(call: Call, crawlId: string | null): Promise<string> {
  if (crawlId === null) return "";
  for (const group of leftOut) {
    const { items } = await call("getRunReport", { params: { id: crawlId }, query: { group, limit: 1 } });
    const [item] = items;
    if (item?.reason) return ` ${item.url}: ${item.reason}`;
  }
  return "";
}

/** Waits for a first crawl that is still running, if all pages were never fetched: otherwise the pages that it finds later would be new in every check. */
async function waitForFirstCrawl(session: Session, objectId: string, what: string): Promise<void> {
  const call = await session.call();
  for await (const { state } of runsOf(call, objectId, { kind: "snapshot-all" })) if (state === "finished") return;
  for (const kind of ["crawl", "sitemaps"] as const) {
    // only one run of a kind can be running, and it is the newest one
    const { items } = await call("listRuns", { params: { id: objectId }, query: { limit: 1, kind } });
    if (items[0]?.state === "running") return followOther(session, items[0].id, what);
  }
}

async function wait(session: Session, runId: string, what: string): Promise<Run> {
  session.onRun(runId);
  const ended = await waitForRun(await session.call(), runId, what, session.progress, session.signal);
  session.onRun(null);
  return ended;
}
