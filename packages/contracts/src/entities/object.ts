import { z } from "zod";
import { id, timestamp, count, authType, fetchMode, crawlScope } from "./vocabulary.js";
import { objectProgress, runSummary } from "./run.js";

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
    browser_problem: z
      .string()
      .nullable()
      .describe(
        "Why pages of this object cannot be loaded in a browser now, in words; null where they can or need not",
      ),
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
    keep_days: count.nullable().describe("Snapshots older than this many days are removed; null: no age is too old"),
    keep_snapshots: count.nullable().describe("Snapshots kept of each page at most; null: any number"),
    keep_changed_only: z.boolean().describe("Remove snapshots that are unchanged; the newest of a page always stays"),
    retention_waits_until: timestamp
      .nullable()
      .describe("These rules remove nothing before that, because an import brought history that they would remove"),
    removed: z
      .object({ by_age: count, by_count: count, unchanged: count, last_at: timestamp.nullable() })
      .describe("Snapshots that these rules removed so far, by reason"),
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
