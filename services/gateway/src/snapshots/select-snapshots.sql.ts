import type { ChangedFact, ChangedFile } from "@web-tester/contracts/entities/snapshot";
import type { PageFact } from "@web-tester/contracts/entities/vocabulary";
import type { TakenWith } from "@web-tester/contracts/visitor";
import type { Queryable } from "@web-tester/platform/database/database";
import { prepared, sharedRead, type Statement } from "@web-tester/platform/database/statement";
import { filesOf } from "@web-tester/records/changes/files-of-change";
import { gatherReads } from "@web-tester/platform/database/gather-reads";
import { finalUrlOf } from "@web-tester/records/snapshots/final-url";

export interface SnapshotRow {
  id: string;
  test_instance_id: string;
  run_id: string | null;
  number: number;
  created_at: Date;
  fetched_at: Date | null;
  state: string;
  change_state: string | null;
  change: string | null;
  lines_added: number;
  lines_removed: number;
  files_changed: number;
  /** Names of facts. */
  facts_changed: PageFact[];
  compared_with: string | null;
  coarse: boolean;
  http_status: number | null;
  final_url: string | null;
  html_bytes: number | null;
  /** SHA-256 in hex. */
  hash: string | null;
  charset: string | null;
  error_code: string | null;
  error: string | null;
  warning: string | null;
  attempts: number;
  duration_ms: number | null;
  fetch_mode_used: string | null;
  assets_total: number;
  assets_missing: number;
  /** The settings that it was taken with; null: unknown, so that the object's present ones count. */
  taken_with: TakenWith | null;
}

/** A snapshot with the details of its answer, and the instance and object that it belongs to. */
export interface WholeSnapshotRow extends SnapshotRow {
  headers: Record<string, string | string[]> | null;
  changed_files: ChangedFile[] | null;
  changed_facts: ChangedFact[] | null;
  redirects: { url: string; status: number }[] | null;
  instance_name: string;
  instance_url: string;
  object_id: string;
  object_name: string;
  asset_snapshots: boolean;
  /** The viewport that its object is set to now; empty: none. */
  object_viewport: string;
}

/** SQL: names of changed facts. @param facts column of a change */
export const factNames = (facts: string) => `coalesce(jsonb_path_query_array(${facts}, '$[*].fact'), '[]')`;

const columns = `
  s.id, s.test_instance_id, s.run_id, s.number, s.created_at, s.fetched_at, s.state, c.state AS change_state, c.kind AS change,
  coalesce(c.lines_added, 0) AS lines_added, coalesce(c.lines_removed, 0) AS lines_removed, coalesce(c.files_changed, 0) AS files_changed,
  ${factNames("c.facts")} AS facts_changed, c.previous_id AS compared_with, coalesce(c.coarse, false) AS coarse,
  s.http_status, ${finalUrlOf("s")} AS final_url, b.size AS html_bytes, encode(s.content_hash, 'hex') AS hash, s.charset, s.error_code, s.error, s.warning, s.attempts, s.duration_ms, s.fetch_mode_used,
  coalesce(f.files, 0) AS assets_total, coalesce(f.missing, 0) AS assets_missing, s.taken_with`;

const joined = `test_snapshot s LEFT JOIN change c ON c.snapshot_id = s.id LEFT JOIN content b ON b.hash = s.content_hash LEFT JOIN file_list f ON f.id = s.files_id`;

/** SQL: the snapshots of an instance, newest first; as JSON they are read by {@link readSnapshot}. */
export function snapshotsOf(instanceId: string, page: string): string {
  return `SELECT ${columns} FROM ${joined} WHERE s.test_instance_id = ${instanceId} ORDER BY s.id DESC ${page}`;
}

/** A row as it comes out of JSON, where times are strings. */
export type InJson<Row extends SnapshotRow> = Omit<Row, "created_at" | "fetched_at"> & {
  created_at: string;
  fetched_at: string | null;
};

export function readSnapshot<Row extends SnapshotRow>(row: InJson<Row>) {
  return {
    ...row,
    created_at: new Date(row.created_at),
    fetched_at: row.fetched_at === null ? null : new Date(row.fetched_at),
  };
}

/* SQL: one column of JSON, because the driver would take longer for forty columns. */
const whole = (which: string) => `
  SELECT to_json(w) AS row FROM (SELECT ${columns}, s.headers, s.redirects, ${filesOf("c")} AS changed_files, c.facts AS changed_facts, i.name AS instance_name, i.url AS instance_url, o.id AS object_id, o.name AS object_name, o.asset_snapshots, o.viewport AS object_viewport
  FROM ${joined}
  JOIN test_instance i ON i.id = s.test_instance_id
  JOIN test_object o ON o.id = i.test_object_id
  WHERE ${which}) w`;

const byIds = prepared(whole("s.id = ANY($1::uuid[])"));
const byIndex = sharedRead(whole("s.test_instance_id = $1 AND s.state = 'done' ORDER BY s.id DESC LIMIT 1 OFFSET $2"));

/** Selects a snapshot by its id. */
export const selectSnapshot = gatherReads<string, WholeSnapshotRow>(
  (id) => id.toLowerCase(),
  async (db, ids) => {
    const rows = await readWhole(db, byIds, [ids]);
    const found = new Map(rows.map((row) => [row.id, row]));
    return ids.map((id) => found.get(id.toLowerCase()) ?? null);
  },
);

/**
 * Selects a finished snapshot of an instance.
 * @param index among the finished snapshots, 0 = latest
 */
export async function selectSnapshotAt(
  db: Queryable,
  instanceId: string,
  index: number,
): Promise<WholeSnapshotRow | null> {
  const [found] = await readWhole(db, byIndex, [instanceId, index]);
  return found ?? null;
}

async function readWhole(db: Queryable, statement: Statement, values: readonly unknown[]): Promise<WholeSnapshotRow[]> {
  const rows = await db.query<{ row: InJson<WholeSnapshotRow> }>(statement, values);
  return rows.map(({ row }) => readSnapshot(row));
}
