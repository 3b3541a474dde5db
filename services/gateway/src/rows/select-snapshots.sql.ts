import type { Queryable } from "@web-tester/platform/db/database";

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
  compared_with: string | null;
  coarse: boolean;
  http_status: number | null;
  final_url: string | null;
  html_bytes: number | null;
  /** Hex. */
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
}

/** A snapshot with what is kept of its answer and whom it belongs to. */
export interface WholeSnapshotRow extends SnapshotRow {
  headers: Record<string, unknown> | null;
  redirects: { url: string; status: number }[] | null;
  instance_name: string;
  instance_url: string;
  object_id: string;
  object_name: string;
  asset_snapshots: boolean;
}

const columns = `
  s.id, s.test_instance_id, s.run_id, s.number, s.created_at, s.fetched_at, s.state, c.state AS change_state, c.kind AS change,
  coalesce(c.lines_added, 0) AS lines_added, coalesce(c.lines_removed, 0) AS lines_removed, c.previous_id AS compared_with, coalesce(c.coarse, false) AS coarse,
  s.http_status, s.final_url, b.size AS html_bytes, encode(s.content_hash, 'hex') AS hash, s.charset, s.error_code, s.error, s.warning, s.attempts, s.duration_ms, s.fetch_mode_used,
  (SELECT count(*)::int FROM snapshot_asset f WHERE f.snapshot_id = s.id) AS assets_total,
  (SELECT count(*)::int FROM snapshot_asset f WHERE f.snapshot_id = s.id AND f.content_hash IS NULL) AS assets_missing`;

const joined = `test_snapshot s LEFT JOIN change c ON c.snapshot_id = s.id LEFT JOIN content b ON b.hash = s.content_hash`;

const ofInstance = `SELECT ${columns} FROM ${joined} WHERE s.test_instance_id = $1 ORDER BY s.id DESC LIMIT $2 OFFSET $3`;

const whole = `
  SELECT ${columns}, s.headers, s.redirects, i.name AS instance_name, i.url AS instance_url, o.id AS object_id, o.name AS object_name, o.asset_snapshots
  FROM ${joined}
  JOIN test_instance i ON i.id = s.test_instance_id
  JOIN test_object o ON o.id = i.test_object_id`;

const byId = `${whole} WHERE s.id = $1`;
const byIndex = `${whole} WHERE s.test_instance_id = $1 AND s.state = 'done' ORDER BY s.id DESC LIMIT 1 OFFSET $2`;

/** Snapshots of an instance, newest first. */
export function selectSnapshotsOf(
  db: Queryable,
  instanceId: string,
  limit: number,
  offset: number,
): Promise<SnapshotRow[]> {
  return db.query<SnapshotRow>(ofInstance, [instanceId, limit, offset]);
}

export async function selectSnapshot(db: Queryable, id: string): Promise<WholeSnapshotRow | null> {
  const [row] = await db.query<WholeSnapshotRow>(byId, [id]);
  return row ?? null;
}

/** @param index among the finished snapshots of the instance, 0 = latest */
export async function selectSnapshotAt(
  db: Queryable,
  instanceId: string,
  index: number,
): Promise<WholeSnapshotRow | null> {
  const [row] = await db.query<WholeSnapshotRow>(byIndex, [instanceId, index]);
  return row ?? null;
}
