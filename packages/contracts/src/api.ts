import { z } from "zod";
import {
  authType,
  bulkDiff,
  crawlReport,
  crawlScope,
  diffHunks,
  diffType,
  fetchMode,
  httpUrl,
  id,
  pairDiff,
  reportGroup,
  run,
  snapshotAsset,
  stats,
  testInstance,
  testInstanceListItem,
  testObject,
  testSnapshot,
} from "./entities.js";
import { budgets, limits } from "./limits.js";
import type { ErrorCode } from "./errors.js";

/**
 * One row of the endpoint table. The gateway's routes, the OpenAPI document and the browser's client are made from it;
 * path parameters are written `{name}`. Each value is parsed with its schema before a handler sees it.
 */
export interface Endpoint<
  P extends z.ZodType = z.ZodType,
  Q extends z.ZodType = z.ZodType,
  B extends z.ZodType = z.ZodType,
  R extends z.ZodType = z.ZodType,
> {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  readonly path: string;
  readonly summary: string;
  readonly params: P;
  readonly query: Q;
  readonly body: B;
  readonly response: R;
  readonly errors: readonly ErrorCode[];
}

const none = z.strictObject({});
const noBody = z.unknown();
const byId = z.object({ id });

function endpoint<
  R extends z.ZodType,
  P extends z.ZodType = typeof none,
  Q extends z.ZodType = z.ZodObject,
  B extends z.ZodType = typeof noBody,
>(
  row: Pick<Endpoint, "method" | "path" | "summary"> & {
    params?: P;
    query?: Q;
    body?: B;
    response: R;
    errors?: readonly ErrorCode[];
  },
): Endpoint<P, Q, B, R> {
  const anyQuery = z.object({});
  return {
    errors: [],
    ...row,
    params: (row.params ?? none) as P,
    query: (row.query ?? anyQuery) as unknown as Q,
    body: (row.body ?? noBody) as B,
  };
}

const lines = (max: number, what: string) =>
  z
    .array(z.string().trim())
    .transform((list) => list.filter((line) => line !== ""))
    .refine((list) => list.length <= max, `At most ${max} ${what}`);

const excludeList = lines(limits.excludePatternsMax, "exclude patterns").refine(
  (list) => list.every((pattern) => pattern.length <= limits.excludePatternMaxChars),
  `An exclude pattern may have at most ${limits.excludePatternMaxChars} characters`,
);

const started = z.object({ runId: id, total: z.int() }).meta({ id: "Started" });
const snapshotRef = z.object({
  instance1: z.string().optional(),
  instance2: z.string().optional(),
  snapshot1: z.string().optional(),
  snapshot2: z.string().optional(),
  a: z.string().optional(),
  b: z.string().optional(),
});

export const api = {
  listTestObjects: endpoint({
    method: "GET",
    path: "/api/testobjects",
    summary: "All test objects, most urgent first",
    response: z.array(testObject),
  }),
  createTestObject: endpoint({
    method: "POST",
    path: "/api/testobjects",
    summary: "Register a site",
    body: z.object({ name: z.string().trim().min(1, "Enter a name").max(limits.nameMaxChars), url: httpUrl }),
    response: testObject,
    errors: ["invalid_input"],
  }),
  getTestObject: endpoint({
    method: "GET",
    path: "/api/testobjects/{id}",
    summary: "One test object; an empty list where there is none",
    params: z.object({ id: z.string() }),
    response: z.union([testObject, z.tuple([])]),
  }),
  updateTestObject: endpoint({
    method: "PATCH",
    path: "/api/testobjects/{id}",
    summary: "Change options of a test object; a secret that is left out stays as it is, an empty one is removed",
    params: byId,
    body: z
      .object({
        name: z.string().trim().min(1).max(limits.nameMaxChars),
        auth_enabled: z.boolean(),
        auth_type: authType,
        auth_username: z.string().max(limits.secretMaxChars),
        auth_password: z.string().max(limits.secretMaxChars),
        asset_snapshots: z.boolean(),
        fetch_mode: fetchMode,
        exclude_list: excludeList,
        ignore_robots: z.boolean(),
        request_delay_ms: z.int().min(0).max(limits.requestDelayMaxMs),
        scope: crawlScope,
        scope_prefixes: lines(limits.scopePrefixesMax, "prefixes").refine(
          (list) => list.every((prefix) => prefix.startsWith("/") || httpUrl.safeParse(prefix).success),
          "A prefix is a path that begins with / or a full URL",
        ),
        drop_params: lines(limits.dropParamsMax, "parameters").refine(
          (list) => list.every((name) => name.length <= 100 && name !== "*"),
          "A parameter name has at most 100 characters and is not * alone",
        ),
        crawl_pages_max: z.int().min(1).max(budgets.crawlPagesMax),
        crawl_depth_max: z.int().min(0).max(100),
        crawl_minutes_max: z
          .int()
          .min(1)
          .max(7 * 24 * 60),
        crawl_mib_max: z
          .int()
          .min(1)
          .max(1024 * 1024),
        sitemaps: lines(limits.sitemapsMax, "sitemaps").pipe(z.array(httpUrl)),
      })
      .partial(),
    response: testObject,
    errors: ["not_found", "invalid_input"],
  }),
  deleteTestObject: endpoint({
    method: "DELETE",
    path: "/api/testobjects/{id}",
    summary: "Delete a test object with everything it holds",
    params: byId,
    response: started,
    errors: ["not_found"],
  }),
  listTestInstances: endpoint({
    method: "GET",
    path: "/api/testobjects/{id}/testinstances",
    summary: "Instances of a test object, those that need eyes first",
    params: byId,
    query: z.object({
      limit: z.coerce.number().int().min(1).max(limits.instancesFetchLimit).default(limits.instancesPageSize),
      offset: z.coerce.number().int().min(0).default(0),
      status: z.enum(["changed", "failed"]).optional(),
      q: z.string().max(200).optional().describe("Part of the name or URL"),
    }),
    response: z.object({ items: z.array(testInstanceListItem), hasMore: z.boolean(), total: z.int() }),
    errors: ["not_found"],
  }),
  listRuns: endpoint({
    method: "GET",
    path: "/api/testobjects/{id}/runs",
    summary: "Runs of a test object, newest first",
    params: byId,
    query: z.object({ limit: z.coerce.number().int().min(1).max(100).default(20) }),
    response: z.object({ items: z.array(run) }),
    errors: ["not_found"],
  }),
  crawl: endpoint({
    method: "POST",
    path: "/api/testobjects/{id}/crawl",
    summary: "Find the pages of the site by following links",
    params: byId,
    response: started,
    errors: ["not_found", "conflict"],
  }),
  runSitemaps: endpoint({
    method: "POST",
    path: "/api/testobjects/{id}/run-sitemaps",
    summary: "Find pages through the object's sitemaps; without any, through those that robots.txt names",
    params: byId,
    response: started,
    errors: ["not_found", "conflict"],
  }),
  getRunReport: endpoint({
    method: "GET",
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
  previewExcludes: endpoint({
    method: "POST",
    path: "/api/testobjects/{id}/exclude-preview",
    summary: "Which known instances a list of exclude patterns would leave out; nothing is changed",
    params: byId,
    body: z.object({ exclude_list: excludeList }),
    response: z.object({
      total: z.int(),
      excluded: z.int(),
      items: z.array(z.object({ id, url: z.string(), pattern: z.string() })),
    }),
    errors: ["not_found", "invalid_input"],
  }),
  snapshotAll: endpoint({
    method: "POST",
    path: "/api/testobjects/{id}/snapshot-all",
    summary: "Fetch a snapshot of every instance",
    params: byId,
    response: z.object({ created: z.int(), runId: id.nullable() }),
    errors: ["not_found", "conflict"],
  }),
  snapshotOne: endpoint({
    method: "POST",
    path: "/api/testobjects/{id}/snapshot-one",
    summary: "Make or reuse the instance of the object's own URL and fetch it",
    params: byId,
    response: z.object({ testinstanceId: id, testsnapshotId: id }),
    errors: ["not_found", "conflict"],
  }),
  cancelRun: endpoint({
    method: "POST",
    path: "/api/runs/{id}/cancel",
    summary: "Stop a crawl or fetch; what is finished stays",
    params: byId,
    response: run,
    errors: ["not_found", "conflict"],
  }),
  deleteAll: endpoint({
    method: "POST",
    path: "/api/testobjects/{id}/delete-all",
    summary: "Delete all instances with their snapshots",
    params: byId,
    response: started,
    errors: ["not_found", "conflict"],
  }),
  deleteSnapshots: endpoint({
    method: "POST",
    path: "/api/testobjects/{id}/delete-snapshots",
    summary: "Delete all snapshots, keep the instances",
    params: byId,
    response: started,
    errors: ["not_found", "conflict"],
  }),
  getTestInstance: endpoint({
    method: "GET",
    path: "/api/testinstances/{id}",
    summary: "One instance with its snapshots",
    params: byId,
    query: z.object({
      limit: z.coerce.number().int().min(1).max(1000).default(100),
      offset: z.coerce.number().int().min(0).default(0),
    }),
    response: testInstance,
    errors: ["not_found"],
  }),
  deleteTestInstance: endpoint({
    method: "DELETE",
    path: "/api/testinstances/{id}",
    summary: "Delete an instance with its snapshots",
    params: byId,
    response: z.object({ deleted: z.int() }),
    errors: ["not_found"],
  }),
  createTestSnapshot: endpoint({
    method: "POST",
    path: "/api/testsnapshots",
    summary: "Make a snapshot row; its fetch is asked for separately",
    body: z.object({ testinstance_id: id }),
    response: testSnapshot,
    errors: ["not_found", "conflict"],
  }),
  fetchTestSnapshot: endpoint({
    method: "POST",
    path: "/api/testsnapshots/{id}",
    summary: "Ask for the fetch of a snapshot that was made before; asking twice does it once",
    params: byId,
    query: z.object({ action: z.literal("fetch") }),
    response: z.object({ testsnapshotId: id, runId: id.nullable() }),
    errors: ["not_found", "conflict"],
  }),
  getTestSnapshot: endpoint({
    method: "GET",
    path: "/api/testsnapshots/{id}",
    summary: "One snapshot, or with _action=assets the list of its assets",
    params: byId,
    query: z.object({ _action: z.literal("assets").optional() }),
    response: z.union([testSnapshot, z.array(snapshotAsset)]),
    errors: ["not_found", "content_missing", "content_damaged"],
  }),
  getSnapshotLines: endpoint({
    method: "GET",
    path: "/api/testsnapshots/{id}/lines",
    summary: "A range of lines of a snapshot's HTML, 1-based and inclusive",
    params: byId,
    query: z.object({ from: z.coerce.number().int().min(1), to: z.coerce.number().int().min(1) }),
    response: z.object({ from: z.int(), lines: z.array(z.string()) }),
    errors: ["not_found", "invalid_input"],
  }),
  getDiff: endpoint({
    method: "GET",
    path: "/api/diff",
    summary:
      "Two snapshots to compare, by snapshot ids or by instances with snapshot ids or zero-based indices (0 = latest)",
    query: snapshotRef,
    response: pairDiff,
    errors: ["not_found", "invalid_input"],
  }),
  getDiffHunks: endpoint({
    method: "GET",
    path: "/api/diff/hunks",
    summary: "The difference of two snapshots as hunks",
    query: snapshotRef.extend({
      diffType: diffType.default("lines"),
      context: z.coerce.number().int().min(0).max(limits.maxContextLines).default(limits.defaultContextLines),
    }),
    response: diffHunks,
    errors: ["not_found", "invalid_input", "unavailable"],
  }),
  getBulkDiff: endpoint({
    method: "GET",
    path: "/api/testobjects/{id}/bulk-diff",
    summary: "Every instance's snapshots at two zero-based indices (0 = latest), those that differ first",
    params: byId,
    query: z.object({
      idx1: z.coerce.number().int().min(0).max(limits.bulkDiffIndexMax),
      idx2: z.coerce.number().int().min(0).max(limits.bulkDiffIndexMax),
      limit: z.coerce.number().int().min(1).max(limits.bulkDiffMaxPageSize).default(limits.bulkDiffPageSize),
      offset: z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER).default(0),
      html: z
        .enum(["true", "false"])
        .default("true")
        .describe("false: leave the HTML of both sides out, for callers that ask for hunks"),
    }),
    response: bulkDiff,
    errors: ["not_found", "invalid_input", "payload_too_large", "content_missing", "content_damaged"],
  }),
  getStats: endpoint({ method: "GET", path: "/api/stats", summary: "Sizes of the three stores", response: stats }),
  clearLogs: endpoint({
    method: "POST",
    path: "/api/stats/clear-logs",
    summary: "Empty the job log",
    response: z.object({ ok: z.literal(true) }),
    errors: ["unavailable"],
  }),
  getConfig: endpoint({
    method: "GET",
    path: "/config.json",
    summary: "Where the browser finds the API",
    response: z.object({ host: z.string(), port: z.int(), tls: z.boolean() }),
  }),
} as const;

export type Api = typeof api;
export type EndpointName = keyof Api;
export type Params<N extends EndpointName> = z.infer<Api[N]["params"]>;
export type Query<N extends EndpointName> = z.infer<Api[N]["query"]>;
/** The query as a caller writes it, before defaults and coercion. */
export type QueryInput<N extends EndpointName> = z.input<Api[N]["query"]>;
export type Body<N extends EndpointName> = z.infer<Api[N]["body"]>;
export type BodyInput<N extends EndpointName> = z.input<Api[N]["body"]>;
export type Response<N extends EndpointName> = z.infer<Api[N]["response"]>;
/** What a handler gets: every part parsed. */
export interface Input<N extends EndpointName> {
  params: Params<N>;
  query: Query<N>;
  body: Body<N>;
}
