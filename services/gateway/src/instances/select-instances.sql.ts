import type { Queryable } from "@web-tester/platform/db/database";
import type { TickRow } from "../rows/snapshot-status.js";

export interface InstanceRow {
  id: string;
  name: string;
  url: string;
  created_at: Date;
  snapshots_total: number;
  /** Position in the contract's instanceStatus. */
  status: number;
  http_status: number | null;
  error: string | null;
  lines_added: number;
  lines_removed: number;
  last_snapshot_at: Date | null;
  /** Newest first. */
  history: TickRow[];
}

export interface InstanceFilter {
  objectId: string;
  /** Position in instanceStatus, or null for all. */
  status: number | null;
  /** Text that name or URL contains, or null for all. */
  text: string | null;
}

const ticks = 14;

const where = `test_object_id = $1 AND ($2::smallint IS NULL OR status = $2) AND ($3::text IS NULL OR name ILIKE $3 OR url ILIKE $3)`;

const page = `
  SELECT i.*, coalesce(h.history, '[]') AS history
  FROM (
    SELECT id, name, url, created_at, snapshots_total, status, http_status, error, lines_added, lines_removed, last_snapshot_at
    FROM test_instance WHERE ${where} ORDER BY status, url LIMIT $4 OFFSET $5
  ) i
  LEFT JOIN LATERAL (
    SELECT json_agg(t ORDER BY t.id DESC) AS history
    FROM (
      SELECT s.id, s.state, c.kind AS change, coalesce(c.lines_added + c.lines_removed, 0) AS size
      FROM test_snapshot s LEFT JOIN change c ON c.snapshot_id = s.id
      WHERE s.test_instance_id = i.id ORDER BY s.id DESC LIMIT ${ticks}
    ) t
  ) h ON true
  ORDER BY i.status, i.url`;

const count = `SELECT count(*)::int AS total FROM test_instance WHERE ${where}`;

/** One page of an object's instances, those that need eyes first; the index instance_order gives the order. */
export function selectInstances(
  db: Queryable,
  filter: InstanceFilter,
  limit: number,
  offset: number,
): Promise<InstanceRow[]> {
  return db.query<InstanceRow>(page, [...values(filter), limit, offset]);
}

export async function countInstances(db: Queryable, filter: InstanceFilter): Promise<number> {
  const [row] = await db.query<{ total: number }>(count, values(filter));
  return row?.total ?? 0;
}

function values(filter: InstanceFilter): unknown[] {
  return [filter.objectId, filter.status, filter.text === null ? null : `%${escapeLike(filter.text)}%`];
}

/** Takes the meaning from the wildcards of LIKE. */
export function escapeLike(text: string): string {
  return text.replace(/[\\%_]/g, "\\$&");
}
