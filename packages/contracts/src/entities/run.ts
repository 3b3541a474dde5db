import { startedBy } from "./schedule.js";
import { z } from "zod";
import { id, timestamp, count, runKind, rulesRunKind, runState, budgetName } from "./vocabulary.js";

/** `completed` counts finished work, failed work included. It is never more than `total`, and equal to it at the end. */
export const progress = z
  .object({
    completed: count,
    total: count,
    failed: count,
    running: z.boolean(),
    runId: id.nullable().describe("The run these numbers are of; null where there was none yet"),
    kind: rulesRunKind.optional().describe("Of the bar `rules`: whether rules are evaluated or noise is searched for"),
  })
  .meta({ id: "Progress" });
export type Progress = z.infer<typeof progress>;
export const objectProgress = z
  .object({ snapshotAll: progress, crawl: progress, sitemaps: progress, rules: progress, deletion: progress })
  .meta({ id: "ObjectProgress" });
export type ObjectProgress = z.infer<typeof objectProgress>;
export const run = z
  .object({
    id,
    testobject_id: id,
    kind: runKind,
    state: runState,
    total: count,
    completed: count,
    failed: count,
    stopped: count.describe("Pages that it did not get to because it was stopped; `completed` includes them"),
    changed: count.describe("Snapshots of this run that differ from the one before"),
    found: count.describe("Crawls: pages that are instances"),
    found_new: count.describe("Crawls: instances that were not known before"),
    ended_by: budgetName.nullable().describe("The budget that a crawl hit, null where it came to its own end"),
    started_by: startedBy.describe("Who began it: a person in the browser, a program, the command line, or a schedule"),
    started_name: z
      .string()
      .nullable()
      .describe(
        "The token or person that it was; null: a schedule, the product itself, or nobody was asked for a token",
      ),
    label: z.string().nullable().describe("What somebody called this fetch, such as `release 1.4`"),
    created_at: timestamp,
    finished_at: timestamp.nullable(),
  })
  .meta({ id: "Run" });
export type Run = z.infer<typeof run>;
/** Details of a 409 answer: the running run that does not allow another one to start. */
export const runConflict = z.object({ runId: id, kind: runKind, startedAt: timestamp, completed: count, total: count });
export type RunConflict = z.infer<typeof runConflict>;
/** Details of a 404 answer about the review of a run that has none, because it neither fetched nor compared. */
export const unreviewedRun = z.object({ runId: id, kind: runKind, testobject_id: id });
export type UnreviewedRun = z.infer<typeof unreviewedRun>;
/** One bar of an object's history: a finished fetch run. */
export const runSummary = z
  .object({ id, finished_at: timestamp, total: count, changed: count, failed: count })
  .meta({ id: "RunSummary" });
export type RunSummary = z.infer<typeof runSummary>;
/** The names of the lists in a crawl's report. */
export const reportGroup = z.enum([
  "found",
  "new",
  "gone",
  "redirected",
  "canonical",
  "excluded",
  "denied",
  "out-of-scope",
  "failed",
  "not-html",
  "budget",
  "trap",
  "too-long",
  "sitemap",
]);
export type ReportGroup = z.infer<typeof reportGroup>;
export const reportItem = z
  .object({
    url: z.string(),
    http_status: z.int().nullable(),
    reason: z.string().nullable().describe("Why, in words; null where the group says it all"),
    reason_code: z
      .string()
      .nullable()
      .describe("What kind of failure it is, as error_code of a snapshot; null where it is none"),
    target: z.string().nullable().describe("Where a redirect or a canonical link leads"),
    found_on: z.string().nullable().describe("The page that the crawl found the link on"),
    carriers: count
      .nullable()
      .describe(
        "Broken links: how many pages carry the link; null where that is not known (yet). listCarriers names them",
      ),
    instance_id: id.nullable(),
  })
  .meta({ id: "CrawlReportItem" });
export type ReportItem = z.infer<typeof reportItem>;
/** A page with a broken link. */
export const carrierItem = z
  .object({ url: z.string(), instance_id: id.nullable(), name: z.string().nullable() })
  .meta({ id: "CarrierItem" });
export type CarrierItem = z.infer<typeof carrierItem>;
export const carrierList = z
  .object({
    url: z.string().describe("The broken link"),
    total: count.describe("Pages that carry it"),
    known: z.boolean().describe("False while the crawl runs, and for a moment after: then it is not known yet"),
    items: z.array(carrierItem),
    hasMore: z.boolean(),
  })
  .meta({ id: "CarrierList" });
export type CarrierList = z.infer<typeof carrierList>;
export const crawlReport = z
  .object({
    run,
    counts: z.record(reportGroup, count),
    ended: z.string().nullable().describe("Why the crawl ended before it had seen everything, in words"),
    complete: z.boolean().describe("False where so many addresses were left out that not all of them are listed"),
    lists: z
      .enum(["kept", "removed"])
      .describe("Whether the lists are still kept: those of old runs are removed, their counts stay"),
    carriers_known: z.boolean().describe("False while the pages that carry broken links are still being looked up"),
    group: reportGroup.nullable(),
    items: z.array(reportItem),
    hasMore: z.boolean(),
  })
  .meta({ id: "CrawlReport" });
export type CrawlReport = z.infer<typeof crawlReport>;

/** What was done on one day, and what it found. */
export const runDay = z
  .object({
    day: z.iso.date(),
    fetches: count.describe("Fetches of all pages, or of those of a path"),
    crawls: count.describe("Crawls and readings of sitemaps"),
    changed: count.describe("Changed pages of these fetches; a page that changed twice counts twice"),
    failed: count.describe("Failed pages of these fetches"),
    run_id: id.nullable().describe("The last fetch of the day"),
  })
  .meta({ id: "RunDay" });
export type RunDay = z.infer<typeof runDay>;

/** Addresses of a crawl that differ in one place only. */
export const crawlShape = z
  .object({
    pattern: z.string().describe("An exclude pattern that meets them"),
    differs_in: z.string().describe("Where they differ, as people read it: `?title=Special:…`"),
    count,
    samples: z.array(z.string()),
  })
  .meta({ id: "CrawlShape" });
export type CrawlShape = z.infer<typeof crawlShape>;
/** An exclude pattern that matches no known address. */
export const excludeMiss = z
  .object({
    pattern: z.string(),
    why: z
      .enum(["end", "beginning", "middle", "query", "case", "nothing"])
      .describe(
        "What it does not reach; `case`: letters are compared as they are written; `nothing`: no address is like it",
      ),
    instead: z.string().nullable().describe("A pattern that meets some"),
    count: count.describe("How many it would meet"),
  })
  .meta({ id: "ExcludeMiss" });
export type ExcludeMiss = z.infer<typeof excludeMiss>;
