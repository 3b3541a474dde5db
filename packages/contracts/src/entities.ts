import { z } from "zod";
import { limits } from "./limits.js";

/** Ids are UUIDv7 strings; anything else cannot name a row. */
export const id = z.uuid().describe("UUIDv7");
const timestamp = z.iso.datetime({ offset: true }).describe("ISO 8601");
const count = z.int().nonnegative();

export const authType = z.enum(["basic", "bearer", "header"]);
export type AuthType = z.infer<typeof authType>;
export const fetchMode = z.enum(["auto", "http", "browser"]);
export type FetchMode = z.infer<typeof fetchMode>;
export const diffType = z.enum(["lines", "words", "chars"]);
export type DiffType = z.infer<typeof diffType>;
export const diffView = z.enum(["unified", "split"]);
export type DiffView = z.infer<typeof diffView>;

/** How far a crawl goes from the object's URL; the path rule is the default. */
export const crawlScope = z.enum(["path", "host", "domain", "prefixes"]);
export type CrawlScope = z.infer<typeof crawlScope>;
/** Why an address that a crawl met was not visited; `pages` and `depth` are budgets. */
export const skipReason = z.enum(["excluded", "out-of-scope", "denied", "trap", "pages", "depth"]);
export type SkipReason = z.infer<typeof skipReason>;
/** Which budget ended a crawl. */
export const budgetName = z.enum(["pages", "time", "bytes"]);
export type BudgetName = z.infer<typeof budgetName>;

/** What a run does: the unit of work that has a progress bar. */
export const runKind = z.enum([
  "crawl",
  "sitemaps",
  "snapshot-all",
  "snapshot-one",
  "delete-instances",
  "delete-snapshots",
  "delete-object",
]);
export type RunKind = z.infer<typeof runKind>;
export const runState = z.enum(["running", "finished", "cancelled"]);
export type RunState = z.infer<typeof runState>;

/** `created`: a row without a fetch asked for yet; `done` and `failed` are final, `cancelled` too. */
export const snapshotState = z.enum(["created", "queued", "running", "done", "failed", "cancelled"]);
export type SnapshotState = z.infer<typeof snapshotState>;

/** How a snapshot compares with the one before it; `pending` until the differ has looked. */
export const changeKind = z.enum(["pending", "first", "unchanged", "changed"]);
export type ChangeKind = z.infer<typeof changeKind>;

/** The state of an instance as its newest snapshot tells it, in the order that lists show. */
export const instanceStatus = z.enum([
  "failed",
  "running",
  "changed",
  "first",
  "unchanged",
  "fetched",
  "queued",
  "none",
]);
export type InstanceStatus = z.infer<typeof instanceStatus>;

/** `completed` counts finished work, failures included, never exceeds `total`, and ends equal to it. */
export const progress = z
  .object({
    completed: count,
    total: count,
    failed: count,
    running: z.boolean(),
    runId: id.nullable().describe("The run these numbers are of; null where there was none yet"),
  })
  .meta({ id: "Progress" });
export type Progress = z.infer<typeof progress>;

export const objectProgress = z
  .object({ snapshotAll: progress, crawl: progress, sitemaps: progress, deletion: progress })
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
    changed: count.describe("Snapshots of this run that differ from the one before"),
    found: count.describe("Crawls: pages that are instances"),
    found_new: count.describe("Crawls: instances that were not known before"),
    ended_by: budgetName.nullable().describe("The budget that a crawl hit, null where it came to its own end"),
    created_at: timestamp,
    finished_at: timestamp.nullable(),
  })
  .meta({ id: "Run" });
export type Run = z.infer<typeof run>;

/** One bar of an object's history: a finished fetch run. */
export const runSummary = z
  .object({ id, finished_at: timestamp, total: count, changed: count, failed: count })
  .meta({ id: "RunSummary" });
export type RunSummary = z.infer<typeof runSummary>;

export const testObject = z
  .object({
    id,
    name: z.string(),
    url: z.string(),
    created_at: timestamp,
    sitemaps: z.array(z.string()),
    auth_enabled: z.boolean(),
    auth_type: authType,
    auth_username: z.string().describe("Basic: user name. Header: header name. Bearer: unused"),
    auth_password_set: z.boolean().describe("Whether a secret is stored; the secret itself never comes back"),
    exclude_list: z.array(z.string()),
    asset_snapshots: z.boolean(),
    fetch_mode: fetchMode,
    ignore_robots: z.boolean().describe("Crawl what robots.txt denies; for one's own site"),
    request_delay_ms: count.describe("Least time between two requests to the site"),
    scope: crawlScope,
    scope_prefixes: z.array(z.string()).describe("For scope prefixes: full URLs, or paths on the object's own origin"),
    drop_params: z
      .array(z.string())
      .describe("Query parameters that make no other page (tracking); a trailing * matches any rest"),
    crawl_pages_max: count,
    crawl_depth_max: count,
    crawl_minutes_max: count,
    crawl_mib_max: count,
    instances_total: count,
    snapshots_total: count,
    max_snapshots: count.describe("Largest number of finished snapshots of one instance"),
    status_counts: z.object({ changed: count, failed: count }).describe("Instances by their newest snapshot"),
    history: z.array(runSummary).describe("The newest finished fetch runs, oldest first"),
    progress: objectProgress,
    deleting: z.boolean(),
  })
  .meta({ id: "TestObject" });
export type TestObject = z.infer<typeof testObject>;

/** One tick of an instance's history. `size`: changed lines, 0 where nothing changed. */
export const historyTick = z
  .object({ snapshot_id: id, status: instanceStatus, size: count })
  .meta({ id: "HistoryTick" });
export type HistoryTick = z.infer<typeof historyTick>;

export const testInstanceListItem = z
  .object({
    id,
    name: z.string(),
    url: z.string(),
    created_at: timestamp,
    snapshots_total: count,
    status: instanceStatus,
    http_status: z.int().nullable(),
    error: z.string().nullable().describe("Why the newest snapshot failed"),
    lines_added: count,
    lines_removed: count,
    last_snapshot_at: timestamp.nullable(),
    history: z.array(historyTick).describe("Newest snapshots, oldest first, at most 14"),
  })
  .meta({ id: "TestInstanceListItem" });
export type TestInstanceListItem = z.infer<typeof testInstanceListItem>;

export const testSnapshotSummary = z
  .object({
    id,
    testinstance_id: id,
    number: z.int().positive().describe("Position among the snapshots of the instance, 1 = oldest"),
    created_at: timestamp,
    fetched_at: timestamp.nullable(),
    state: snapshotState,
    change: changeKind.nullable(),
    lines_added: count,
    lines_removed: count,
    compared_with: id.nullable(),
    coarse: z.boolean().describe("The change counts are an upper bound: a limit of the differ was hit"),
    http_status: z.int().nullable(),
    final_url: z.string().nullable(),
    html_bytes: count.nullable(),
    html_sha256: z.string().nullable(),
    error_code: z.string().nullable(),
    error: z.string().nullable(),
    warning: z.string().nullable().describe("What was odd about a snapshot that was taken all the same"),
    attempts: count,
    duration_ms: count.nullable(),
  })
  .meta({ id: "TestSnapshotSummary" });
export type TestSnapshotSummary = z.infer<typeof testSnapshotSummary>;

export const testSnapshot = testSnapshotSummary
  .extend({
    html: z.string(),
    headers: z.string().describe("JSON text, default '{}'; a header that came several times has a list"),
    redirects: z.array(z.object({ url: z.string(), status: z.int() })),
    charset: z.string().nullable(),
    testinstance: z.object({ id, name: z.string(), url: z.string() }),
    testobject: z.object({ id, name: z.string(), asset_snapshots: z.boolean() }),
  })
  .meta({ id: "TestSnapshot" });
export type TestSnapshot = z.infer<typeof testSnapshot>;

export const testInstance = z
  .object({
    id,
    name: z.string(),
    url: z.string(),
    created_at: timestamp,
    status: instanceStatus,
    testobject: z.object({ id, name: z.string(), url: z.string(), asset_snapshots: z.boolean() }),
    testsnapshots: z
      .array(testSnapshotSummary)
      .describe("Newest first, at most 100 unless paged; their HTML is loaded on opening"),
    snapshots_total: count,
  })
  .meta({ id: "TestInstance" });
export type TestInstance = z.infer<typeof testInstance>;

export const snapshotAsset = z
  .object({
    id,
    url: z.string(),
    local_path: z.string().nullable(),
    content_type: z.string(),
    content_len: count,
    error: z.string().nullable().describe("Why the asset is missing"),
  })
  .meta({ id: "SnapshotAsset" });
export type SnapshotAsset = z.infer<typeof snapshotAsset>;

export const stats = z
  .object({
    db: z.object({ bytes: count, provider: z.string() }),
    log: z.object({ bytes: count, path: z.string() }),
    assets: z.object({ bytes: count, path: z.string() }),
  })
  .meta({ id: "Stats" });
export type Stats = z.infer<typeof stats>;

/** `marks` are the changed ranges inside `text`, in UTF-16 code units, end exclusive, ascending; `noEol`: no newline follows this last line. */
export const diffLine = z.object({
  kind: z.enum(["context", "removed", "added"]),
  text: z.string(),
  marks: z.array(z.tuple([z.int(), z.int()])).optional(),
  noEol: z.literal(true).optional(),
});
export type DiffLine = z.infer<typeof diffLine>;

/** Line numbers are 1-based; `aStart`/`bStart` name the first line of the hunk on each side. */
export const diffHunk = z.object({
  aStart: z.int(),
  aCount: count,
  bStart: z.int(),
  bCount: count,
  lines: z.array(diffLine),
});
export type DiffHunk = z.infer<typeof diffHunk>;

const diffSide = z.object({
  id,
  number: z.int().positive(),
  created_at: timestamp,
  html_bytes: count,
  lines: count.describe("Lines of the whole document"),
});

export const diffHunks = z
  .object({
    by: diffType,
    a: diffSide,
    b: diffSide,
    instance: z.object({ id, name: z.string(), url: z.string() }).describe("The instance of b"),
    testobject: z.object({ id, name: z.string() }),
    identical: z.boolean(),
    coarse: z.boolean().describe("A time, edit or memory limit was hit: correct, but not the smallest difference"),
    added: count.describe("Added units: lines, words or characters, as `by` says"),
    removed: count,
    changes: count.describe("Connected blocks of changed lines"),
    hunks: z.array(diffHunk),
  })
  .meta({ id: "DiffHunks" });
export type DiffHunks = z.infer<typeof diffHunks>;

export const pairDiff = z
  .object({
    snapshot1: z.object({ id, html: z.string() }),
    snapshot2: z.object({ id, html: z.string() }),
    assets: z.boolean().describe("Both snapshots have stored assets"),
    testobject_id: id,
  })
  .meta({ id: "PairDiff" });
export type PairDiff = z.infer<typeof pairDiff>;

const bulkSide = z.object({
  id,
  number: z.int().positive().describe("Position among the snapshots of the instance, 1 = oldest"),
  html: z.string().nullable().describe("Null where the pair is skipped, or where html=false was asked for"),
});

/** One instance of a bulk diff: `snapshot1` is the one at idx1, `snapshot2` the one at idx2; null where there is none. */
export const bulkDiffEntry = z
  .object({
    instanceId: id,
    instanceName: z.string(),
    instanceUrl: z.string(),
    skipped: z.boolean(),
    skipReason: z.string().nullable(),
    snapshotCount: count.describe("Finished snapshots of the instance"),
    snapshot1: bulkSide.nullable(),
    snapshot2: bulkSide.nullable(),
    assets: z.boolean().describe("Both snapshots have stored assets"),
    linesAdded: count
      .nullable()
      .describe("Null where this pair has not been counted: its snapshots do not follow one another"),
    linesRemoved: count.nullable(),
  })
  .meta({ id: "BulkDiffEntry" });
export type BulkDiffEntry = z.infer<typeof bulkDiffEntry>;

/** All instances of an object in one order: pairs that differ, instances with too few snapshots, identical pairs. */
export const bulkDiff = z
  .object({
    testobjectId: id,
    idx1: count,
    idx2: count,
    totalInstances: count,
    diffCount: count.describe("Instances whose two snapshots differ"),
    skippedCount: count.describe("All others: identical ones and those with too few snapshots"),
    identicalCount: count,
    linesAdded: count.nullable().describe("Of all pairs that differ; null where one of them has not been counted"),
    linesRemoved: count.nullable(),
    hasMore: z.boolean(),
    limit: z.int(),
    offset: z.int(),
    diffs: z.array(bulkDiffEntry),
  })
  .meta({ id: "BulkDiff" });
export type BulkDiff = z.infer<typeof bulkDiff>;

export const httpUrl = z
  .string()
  .trim()
  .min(1, "Enter a URL")
  .max(limits.urlMaxChars, `A URL may have at most ${limits.urlMaxChars} characters`)
  .refine(
    (text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol),
    "Enter a full URL that begins with http:// or https://",
  )
  .refine(
    (text) => !URL.canParse(text) || new URL(text).username + new URL(text).password === "",
    "Leave user name and password out of the URL and set them under Options",
  );

/** The lists of a crawl's report. */
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
  "sitemap",
]);
export type ReportGroup = z.infer<typeof reportGroup>;

export const reportItem = z
  .object({
    url: z.string(),
    http_status: z.int().nullable(),
    reason: z.string().nullable().describe("Why, in words; null where the group says it all"),
    target: z.string().nullable().describe("Where a redirect or a canonical link leads"),
    found_on: z.string().nullable().describe("The page that carries the link"),
    instance_id: id.nullable(),
  })
  .meta({ id: "CrawlReportItem" });
export type ReportItem = z.infer<typeof reportItem>;

export const crawlReport = z
  .object({
    run,
    counts: z.record(reportGroup, count),
    ended: z.string().nullable().describe("Why the crawl ended before it had seen everything, in words"),
    complete: z.boolean().describe("False where so many addresses were left out that not all of them are listed"),
    group: reportGroup.nullable(),
    items: z.array(reportItem),
    hasMore: z.boolean(),
  })
  .meta({ id: "CrawlReport" });
export type CrawlReport = z.infer<typeof crawlReport>;
