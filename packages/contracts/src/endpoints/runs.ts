import { z } from "zod";
import { timeZone } from "../entities/schedule.js";
import { carrierList, crawlReport, crawlShape, excludeMiss, reportGroup, run, runDay } from "../entities/run.js";
import { settingSchemas } from "../object-settings.js";
import { fetchSelection } from "../entities/removal.js";
import { count, id, runKinds } from "../entities/vocabulary.js";
import { limits } from "../limits.js";
import { byId, endpoint, started } from "./endpoint.js";
import { nameText, visibleText } from "../visible-text.js";

const daysQuery = z.object({
  days: z.coerce.number().int().min(1).max(366).default(90),
  time_zone: timeZone.default("UTC").describe("Whose days are meant"),
});

/** Calls that start, show and stop runs: crawls, sitemap crawls and fetches. */
export const runsEndpoints = {
  listRuns: endpoint({
    method: "GET",
    role: "viewer",
    path: "/api/testobjects/{id}/runs",
    summary: "Runs of a test object, newest first",
    params: byId,
    query: z.object({
      limit: z.coerce.number().int().min(1).max(100).default(20),
      label: nameText().trim().min(1).max(limits.runLabelMaxChars).optional().describe("Only those with this label"),
      kind: runKinds.optional().describe("Only those of this kind; several with commas between: snapshot-all,crawl"),
      cursor: id.optional().describe("nextCursor of the page before"),
    }),
    response: z.object({ items: z.array(run), nextCursor: id.nullable() }),
    errors: ["not_found"],
  }),
  getRun: endpoint({
    method: "GET",
    role: "viewer",
    path: "/api/runs/{id}",
    summary:
      "A run: how far it is, and what it found. Pages of a fetch are compared a moment after they are fetched: once it has finished and `pending` is 0, `changed` is all that it found",
    params: byId,
    response: run.extend({ pending: count.describe("Snapshots of it that are fetched and still to be compared") }),
    errors: ["not_found"],
  }),
  listRunDays: endpoint({
    method: "GET",
    role: "viewer",
    path: "/api/testobjects/{id}/days",
    summary:
      "What was done on each of the last days, and what it found; days of which nothing is to be said are left out",
    params: byId,
    query: daysQuery,
    response: z.object({ items: z.array(runDay) }),
    errors: ["not_found", "invalid_input"],
  }),
  listAllDays: endpoint({
    method: "GET",
    role: "viewer",
    path: "/api/days",
    summary: "The same of all test objects together",
    query: daysQuery,
    response: z.object({ items: z.array(runDay) }),
    errors: ["invalid_input"],
  }),
  updateRun: endpoint({
    method: "PATCH",
    role: "reviewer",
    path: "/api/runs/{id}",
    summary: "Label a run, or take its label; retention keeps the snapshots of labelled fetches",
    params: byId,
    body: z.strictObject({
      label: visibleText(limits.runLabelMaxChars, "Enter a label").nullable(),
    }),
    response: run,
    errors: ["not_found", "invalid_input"],
  }),
  crawl: endpoint({
    method: "POST",
    role: "operator",
    path: "/api/testobjects/{id}/crawl",
    summary: "Find the pages of the site by following links",
    params: byId,
    response: started,
    errors: ["not_found", "conflict"],
  }),
  runSitemaps: endpoint({
    method: "POST",
    role: "operator",
    path: "/api/testobjects/{id}/run-sitemaps",
    summary: "Find pages through the object's sitemaps; without any, through those that robots.txt names",
    params: byId,
    response: started,
    errors: ["not_found", "conflict"],
  }),
  getRunReport: endpoint({
    method: "GET",
    role: "viewer",
    path: "/api/runs/{id}/report",
    summary: "What a crawl found and left out: counts, and one group's list",
    params: byId,
    query: z.object({
      group: reportGroup.optional(),
      limit: z.coerce.number().int().min(1).max(1000).default(limits.reportPageSize),
      offset: z.coerce.number().int().min(0).default(0),
    }),
    response: crawlReport,
    errors: ["not_found"],
  }),
  listCrawlShapes: endpoint({
    method: "GET",
    role: "viewer",
    path: "/api/runs/{id}/shapes",
    summary: "What most addresses of a crawl have in common, which may be a trap, with patterns that exclude them",
    params: byId,
    response: z.object({ total: z.int().describe("Addresses that the crawl knows"), items: z.array(crawlShape) }),
    errors: ["not_found"],
  }),
  previewCrawlExcludes: endpoint({
    method: "POST",
    role: "viewer",
    path: "/api/runs/{id}/exclude-preview",
    summary: "Which addresses of a crawl more exclude patterns would leave out; nothing is changed",
    params: byId,
    body: z.object({ exclude_list: settingSchemas.exclude_list }),
    response: z.object({
      total: z.int().describe("Addresses that the crawl knows, without its first"),
      excluded: z.int(),
      waiting: z.int().describe("Of `excluded`, those that were not visited yet"),
      items: z.array(z.string()).describe("The first ten"),
      misses: z.array(excludeMiss),
    }),
    errors: ["not_found", "invalid_input"],
  }),
  excludeInCrawl: endpoint({
    method: "POST",
    role: "operator",
    path: "/api/runs/{id}/excludes",
    summary:
      "Add exclude patterns to a crawl that is running, and to its object: what waits and matches is not visited",
    params: byId,
    body: z.object({ exclude_list: settingSchemas.exclude_list }),
    response: run,
    errors: ["not_found", "invalid_input", "conflict"],
  }),
  listCarriers: endpoint({
    method: "GET",
    role: "viewer",
    path: "/api/runs/{id}/carriers",
    summary: "The pages that carry one broken link of a crawl",
    params: byId,
    query: z.object({
      url: z
        .string({ error: "Say which broken link is meant: url=…" })
        .min(1, "Say which broken link is meant: url=…")
        .max(limits.urlMaxChars)
        .describe("The broken link, as the report lists it"),
      limit: z.coerce.number().int().min(1).max(1000).default(limits.reportPageSize),
      offset: z.coerce.number().int().min(0).default(0),
    }),
    response: carrierList,
    errors: ["not_found", "invalid_input"],
  }),
  snapshotAll: endpoint({
    method: "POST",
    role: "operator",
    path: "/api/testobjects/{id}/snapshot-all",
    summary: "Fetch a snapshot of every instance",
    params: byId,
    response: z.object({ created: z.int(), runId: id.nullable() }),
    errors: ["not_found", "conflict"],
  }),
  snapshotSelected: endpoint({
    method: "POST",
    role: "operator",
    path: "/api/testobjects/{id}/snapshot-selected",
    summary: "Fetch a snapshot of some instances, or of those that a stopped fetch did not get to",
    params: byId,
    body: fetchSelection,
    response: z.object({ created: z.int(), runId: id.nullable() }),
    errors: ["not_found", "conflict", "invalid_input"],
  }),
  snapshotOne: endpoint({
    method: "POST",
    role: "operator",
    path: "/api/testobjects/{id}/snapshot-one",
    summary: "Make or reuse the instance of the object's own URL and fetch it",
    params: byId,
    response: z.object({ testinstanceId: id, testsnapshotId: id }),
    errors: ["not_found", "conflict"],
  }),
  cancelRun: endpoint({
    method: "POST",
    role: "operator",
    path: "/api/runs/{id}/cancel",
    summary: "Stop a crawl or fetch; what is finished stays",
    params: byId,
    response: run,
    errors: ["not_found", "conflict"],
  }),
} as const;
