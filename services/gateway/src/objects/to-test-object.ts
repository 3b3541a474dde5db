import type { TestObject } from "@web-tester/contracts/entities/object";
import type { ObjectProgress, Progress } from "@web-tester/contracts/entities/run";
import { authType, crawlScope, fetchMode } from "@web-tester/contracts/entities/vocabulary";
import type { ObjectRow } from "./select-objects.sql.js";

/** A row as the API shows it: the secret is only said to be there, bars that never ran are at rest. */
export function toTestObject(row: ObjectRow, browserProblem: string | null): TestObject {
  return {
    id: row.id,
    name: row.name,
    url: row.url,
    created_at: new Date(row.created_at).toISOString(),
    sitemaps: row.sitemaps,
    auth_enabled: row.auth_enabled,
    auth_type: authType.parse(row.auth_type),
    auth_username: row.auth_username,
    auth_password_set: row.auth_password_set,
    exclude_list: row.exclude_list,
    asset_snapshots: row.asset_snapshots,
    fetch_mode: fetchMode.parse(row.fetch_mode),
    browser_problem: row.fetch_mode === "http" ? null : browserProblem,
    ignore_robots: row.ignore_robots,
    request_delay_ms: row.request_delay_ms,
    scope: crawlScope.parse(row.scope),
    scope_prefixes: row.scope_prefixes,
    drop_params: row.drop_params,
    crawl_pages_max: row.crawl_pages_max,
    crawl_depth_max: row.crawl_depth_max,
    crawl_minutes_max: row.crawl_minutes_max,
    crawl_mib_max: row.crawl_mib_max,
    keep_days: row.keep_days,
    keep_snapshots: row.keep_snapshots,
    keep_changed_only: row.keep_changed_only,
    retention_waits_until:
      row.retention_waits_until === null ? null : new Date(row.retention_waits_until).toISOString(),
    removed: {
      by_age: row.removed_by_age,
      by_count: row.removed_by_count,
      unchanged: row.removed_unchanged,
      last_at: row.removed_at === null ? null : new Date(row.removed_at).toISOString(),
    },
    instances_total: row.instances_total,
    snapshots_total: row.snapshots_total,
    max_snapshots: row.max_snapshots,
    status_counts: { changed: row.changed, failed: row.failed },
    history: row.history.map((run) => ({ ...run, finished_at: new Date(run.finished_at).toISOString() })).reverse(),
    progress: toProgress(row.runs),
    deleting: row.deleting,
  };
}

function toProgress(runs: ObjectRow["runs"]): ObjectProgress {
  const of = (bar: ObjectRow["runs"][number]["bar"]): Progress => {
    const run = runs.find((candidate) => candidate.bar === bar);
    if (run === undefined) return { completed: 0, total: 0, failed: 0, running: false, runId: null };
    return {
      completed: run.completed,
      total: run.total,
      failed: run.failed,
      running: run.state === "running",
      runId: run.id,
    };
  };
  return { snapshotAll: of("snapshotAll"), crawl: of("crawl"), sitemaps: of("sitemaps"), deletion: of("deletion") };
}

const byName = new Intl.Collator("en", { sensitivity: "base", numeric: true });

/** Order of the home screen: what runs, what failed, what changed, the rest, what was never fetched; by name within. */
export function byUrgency(one: TestObject, other: TestObject): number {
  return urgency(one) - urgency(other) || byName.compare(one.name, other.name) || one.id.localeCompare(other.id);
}

function urgency(object: TestObject): number {
  if (Object.values(object.progress).some((bar) => bar.running)) return 0;
  if (object.status_counts.failed > 0) return 1;
  if (object.status_counts.changed > 0) return 2;
  return object.snapshots_total > 0 ? 3 : 4;
}
