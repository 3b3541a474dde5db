import type { TestObject } from "@web-tester/contracts/entities/object";
import type { ObjectProgress, Progress } from "@web-tester/contracts/entities/run";
import { pickSettings } from "@web-tester/contracts/object-settings";
import { toRemoval } from "../http/to-removal.js";
import type { ObjectRow } from "./select-objects.sql.js";

/** Converts a row to what the API shows: of the secret only whether there is one; bars of runs that never ran are idle. */
export function toTestObject(row: ObjectRow, browserProblem: string | null): TestObject {
  return {
    id: row.id,
    name: row.name,
    url: row.url,
    created_at: new Date(row.created_at).toISOString(),
    ...pickSettings(row),
    auth_password_set: row.auth_password_set,
    login_steps: row.login_steps,
    request_header_names: row.request_header_names,
    secret_versions: row.secret_versions,
    browser_problem: row.fetch_mode === "http" ? null : browserProblem,
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
    review: row.review,
    progress: toProgress(row.runs),
    deleting: row.deleting,
    removal: row.removal === null ? null : toRemoval({ ...row.removal, due_at: new Date(row.removal.due_at) }),
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
      ...(run.kind === "rules" || run.kind === "noise" ? { kind: run.kind } : {}),
    };
  };
  return {
    snapshotAll: of("snapshotAll"),
    crawl: of("crawl"),
    sitemaps: of("sitemaps"),
    rules: of("rules"),
    deletion: of("deletion"),
  };
}

const byName = new Intl.Collator("en", { sensitivity: "base", numeric: true });

/**
 * Orders the home screen: objects with running runs, then with failed pages, then with changes, then the rest, then never fetched
 * ones; each group by name.
 */
export function byUrgency(one: TestObject, other: TestObject): number {
  return urgency(one) - urgency(other) || byName.compare(one.name, other.name) || one.id.localeCompare(other.id);
}

function urgency(object: TestObject): number {
  if (Object.values(object.progress).some((bar) => bar.running)) return 0;
  if (object.status_counts.failed > 0) return 1;
  if (object.status_counts.changed > 0) return 2;
  return object.snapshots_total > 0 ? 3 : 4;
}
