import { z } from "zod";
import { testInstanceListItem } from "../entities/instance.js";
import { testObject } from "../entities/object.js";
import { authType, crawlScope, fetchMode, httpUrl, id } from "../entities/vocabulary.js";
import { budgets, limits } from "../limits.js";
import { byId, endpoint, started } from "./endpoint.js";
const lines = (max: number, what: string) =>
  z
    .array(z.string().trim())
    .transform((list) => list.filter((line) => line !== ""))
    .refine((list) => list.length <= max, `At most ${max} ${what}`);

const excludeList = lines(limits.excludePatternsMax, "exclude patterns").refine(
  (list) => list.every((pattern) => pattern.length <= limits.excludePatternMaxChars),
  `An exclude pattern may have at most ${limits.excludePatternMaxChars} characters`,
);

/** Endpoints: objects. */
export const objectsEndpoints = {
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
    summary:
      "Change options of a test object; a secret that is left out stays as it is, an empty one is removed. A crawl that is running keeps the rules that it began with",
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
        keep_days: z.int().min(1).max(limits.keepDaysMax).nullable(),
        keep_snapshots: z.int().min(1).max(limits.keepSnapshotsMax).nullable(),
        keep_changed_only: z.boolean(),
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
} as const;
