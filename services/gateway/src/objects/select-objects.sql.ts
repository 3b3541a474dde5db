import type { TestObject } from "@web-tester/contracts/entities/object";
import type { ShownLoginStep } from "@web-tester/contracts/login-steps";
import { type RunKind, runKind } from "@web-tester/contracts/entities/vocabulary";
import { limits } from "@web-tester/contracts/limits";
import { settingNames, type SettingValues } from "@web-tester/contracts/object-settings";
import type { RemovalRow } from "@web-tester/records/removals/plan-removal";
import type { Queryable } from "@web-tester/platform/database/database";
import { sharedRead } from "@web-tester/platform/database/statement";

/** A test object, as JSON, with the sums that cards and pages show; see the migrations for the columns of `test_object`. */
export interface ObjectRow extends SettingValues {
  id: string;
  name: string;
  url: string;
  auth_password_set: boolean;
  request_header_names: string[];
  login_steps: ShownLoginStep[];
  secret_versions: TestObject["secret_versions"];
  retention_waits_until: string | null;
  removed_by_age: number;
  removed_by_count: number;
  removed_unchanged: number;
  removed_at: string | null;
  deleting: boolean;
  created_at: string;
  instances_total: number;
  snapshots_total: number;
  max_snapshots: number;
  changed: number;
  failed: number;
  /** Newest first. */
  history: { id: string; finished_at: string; total: number; changed: number; failed: number }[];
  /** The newest run that fetched all pages, and how many of its changed pages nobody has judged yet. */
  review: { run_id: string; waiting: number } | null;
  /** The newest pending deletion, which can still be undone. */
  removal: (Omit<RemovalRow, "due_at"> & { due_at: string }) | null;
  /** For each progress bar the running run, or else the newest; a single snapshot counts only while it runs alone. */
  runs: {
    id: string;
    kind: RunKind;
    bar: "snapshotAll" | "crawl" | "sitemaps" | "rules" | "deletion";
    state: string;
    total: number;
    completed: number;
    failed: number;
  }[];
}

/**
 * How many instances with the most snapshots are looked at for `max_snapshots`: the first one has the most finished ones too, unless
 * fetches of it failed.
 */
const candidates = 8;

/** Runs that have a bar on the object's page; comparisons have a screen of their own. */
const barKinds = runKind.options.filter((kind) => kind !== "compare");

const settings = settingNames.map((name) => `o.${name}`).join(", ");

/** A digest of an encrypted value: each encryption has a nonce of its own, so it differs after each save and tells nothing of the value. */
const versionOf = (column: string) => `substr(encode(sha256(o.${column}), 'hex'), 1, 16)`;

/*
 * SQL: reads only a few rows of each object, whatever the number of its instances and runs: sums are kept up to date in object_total,
 * and of each kind of run one is shown. It is one column of JSON, because the driver would take longer for forty columns.
 */
const select = (where: string) => `
  SELECT to_json(w) AS row FROM (SELECT o.id, o.name, o.url, ${settings}, o.auth_password_sealed IS NOT NULL AS auth_password_set, o.request_header_names, o.login_steps,
         json_build_object('auth_password', ${versionOf("auth_password_sealed")}, 'request_headers', ${versionOf("request_headers_sealed")}, 'login_steps', ${versionOf("login_sealed")}) AS secret_versions,
         o.retention_waits_until, o.removed_by_age, o.removed_by_count, o.removed_unchanged, o.removed_at,
         o.deleting, o.created_at,
         i.instances_total, i.snapshots_total, i.changed, i.failed, coalesce(m.max_snapshots, 0) AS max_snapshots,
         coalesce(h.history, '[]') AS history, coalesce(r.runs, '[]') AS runs, v.review, g.removal
  FROM test_object o
  CROSS JOIN LATERAL (
    SELECT (t.instances - p.instances)::int AS instances_total, (t.snapshots - p.snapshots)::int AS snapshots_total,
           (t.changed - p.changed)::int AS changed, (t.failed - p.failed)::int AS failed
    FROM (
      SELECT coalesce(sum(instances), 0) AS instances, coalesce(sum(snapshots), 0) AS snapshots,
             coalesce(sum(changed), 0) AS changed, coalesce(sum(failed), 0) AS failed
      FROM object_total WHERE test_object_id = o.id
    ) t CROSS JOIN (
      SELECT count(*) AS instances, coalesce(sum(snapshots_total), 0) AS snapshots,
             count(*) FILTER (WHERE status = 'changed') AS changed, count(*) FILTER (WHERE status = 'failed') AS failed
      FROM test_instance WHERE test_object_id = o.id AND removal_id IS NOT NULL
    ) p
  ) i
  CROSS JOIN LATERAL (
    SELECT max(done.n)::int AS max_snapshots
    FROM (SELECT id FROM test_instance WHERE test_object_id = o.id AND snapshots_total > 0 ORDER BY snapshots_total DESC LIMIT ${candidates}) top
    CROSS JOIN LATERAL (SELECT count(*) AS n FROM test_snapshot WHERE test_instance_id = top.id AND state = 'done') done
  ) m
  LEFT JOIN LATERAL (
    SELECT json_agg(json_build_object('id', id, 'finished_at', finished_at, 'total', total, 'changed', changed, 'failed', failed) ORDER BY id DESC) AS history
    FROM (
      SELECT * FROM run WHERE test_object_id = o.id AND kind = 'snapshot-all' AND state = 'finished' AND finished_at IS NOT NULL
      ORDER BY id DESC LIMIT ${limits.historyRuns}
    ) finished
  ) h ON true
  LEFT JOIN LATERAL (
    SELECT json_build_object('run_id', id, 'waiting', greatest(0, changed - settled)) AS review
    FROM run WHERE test_object_id = o.id AND kind = 'snapshot-all' ORDER BY id DESC LIMIT 1
  ) v ON true
  LEFT JOIN LATERAL (
    SELECT to_json(w) AS removal FROM (
      SELECT id, test_object_id, kind, total, due_at FROM removal WHERE test_object_id = o.id AND NOT begun ORDER BY id DESC LIMIT 1
    ) w
  ) g ON true
  LEFT JOIN LATERAL (
    SELECT json_agg(json_build_object('id', id, 'kind', kind, 'bar', bar, 'state', state, 'total', total, 'completed', completed, 'failed', failed)) AS runs
    FROM (
      SELECT DISTINCT ON (bar) id, kind, state, total, completed, failed,
             CASE WHEN kind IN ('snapshot-all', 'snapshot-one', 'look') THEN 'snapshotAll' WHEN kind = 'crawl' THEN 'crawl' WHEN kind = 'sitemaps' THEN 'sitemaps' WHEN kind IN ('rules', 'noise') THEN 'rules' ELSE 'deletion' END AS bar
      FROM unnest(ARRAY[${barKinds.map((kind) => `'${kind}'`).join(", ")}]) AS k (shown)
      CROSS JOIN LATERAL (
        (SELECT * FROM run WHERE test_object_id = o.id AND kind = shown AND state = 'running' ORDER BY id DESC LIMIT 1)
        UNION ALL
        (SELECT * FROM run WHERE test_object_id = o.id AND kind = shown AND shown NOT IN ('snapshot-one', 'look') ORDER BY id DESC LIMIT 1)
      ) run
      ORDER BY bar, state = 'running' DESC, kind NOT IN ('snapshot-one', 'look') DESC, id DESC
    ) newest
  ) r ON true
  ${where}) w`;

// an object about to be deleted is missing in the list, but shown to whoever has its address, with a way to undo the deletion
const all = sharedRead(
  select("WHERE NOT EXISTS (SELECT 1 FROM removal WHERE test_object_id = o.id AND kind = 'delete-object')"),
);
const one = sharedRead(select("WHERE o.id = $1"));

/** Selects every test object, in no particular order. */
export async function selectObjects(db: Queryable): Promise<ObjectRow[]> {
  return (await db.query<{ row: ObjectRow }>(all)).map(({ row }) => row);
}

export async function selectObject(db: Queryable, id: string): Promise<ObjectRow | null> {
  const [found] = await db.query<{ row: ObjectRow }>(one, [id]);
  return found?.row ?? null;
}
