import { stays } from "@web-tester/records/instances/going";
import { firstIdAt } from "../snapshots/first-id.js";
import type { Queryable } from "@web-tester/platform/database/database";

/** An instance that changed since a time. */
export interface ChangedRow {
  id: string;
  name: string;
  url: string;
  changes: number;
  added: number;
  removed: number;
  coarse: boolean;
  /** ISO 8601, as `last_at`. */
  first_at: string;
  last_at: string;
  /** The snapshot that the first change is compared with; null where it was removed. */
  before_id: string | null;
  last_id: string;
}

export interface ChangesPage {
  rows: ChangedRow[];
  /** The number of all instances that changed, not only of those on this page. */
  total: number;
  /** Snapshots that are not compared yet. */
  pending: number;
  changes: number;
  added: number;
  removed: number;
}

/*
 * Ids are UUIDv7: whatever is older than $2 lies before it in the index change_of_object, so that the cost depends only on what
 * changed since. Besides, `created_at` is compared, because imported snapshots bring their own times.
 */
const changed = `
  WITH changed AS MATERIALIZED (
    SELECT s.test_instance_id, count(*)::int AS changes, sum(c.lines_added)::int AS added, sum(c.lines_removed)::int AS removed,
      bool_or(c.coarse) AS coarse, min(s.created_at) AS first_at, max(s.created_at) AS last_at,
      (array_agg(c.previous_id ORDER BY s.id))[1] AS before_id, (array_agg(s.id ORDER BY s.id DESC))[1] AS last_id
    FROM change c
    JOIN test_snapshot s ON s.id = c.snapshot_id AND s.created_at >= $3
    WHERE c.test_object_id = $1 AND c.snapshot_id >= $2 AND c.state = 'done' AND c.kind = 'changed' AND c.significant AND ${stays("s.test_instance_id")}
    GROUP BY s.test_instance_id
  ), page AS (
    SELECT i.id, i.name, i.url, d.changes, d.added, d.removed, d.coarse, d.first_at, d.last_at, d.before_id, d.last_id
    FROM (SELECT * FROM changed WHERE $4::uuid IS NULL OR last_id < $4 ORDER BY last_id DESC LIMIT $5) d
    JOIN test_instance i ON i.id = d.test_instance_id
  )
  SELECT count(*)::int AS total, coalesce(sum(changes), 0)::int AS changes, coalesce(sum(added), 0)::int AS added, coalesce(sum(removed), 0)::int AS removed,
    (SELECT count(*)::int FROM change c JOIN test_snapshot s ON s.id = c.snapshot_id AND s.created_at >= $3
      WHERE c.test_object_id = $1 AND c.snapshot_id >= $2 AND c.state = 'queued' AND ${stays("s.test_instance_id")}) AS pending,
    (SELECT coalesce(json_agg(p ORDER BY p.last_id DESC), '[]') FROM page p) AS rows
  FROM changed`;

/**
 * Selects the instances of an object that changed since a time, the latest change first.
 * @param after the last snapshot of the previous page's last row
 */
export async function selectChanges(
  db: Queryable,
  objectId: string,
  since: Date,
  after: string | null,
  limit: number,
): Promise<ChangesPage> {
  const [found] = await db.query<ChangesPage>(changed, [objectId, firstIdAt(since), since, after, limit]);
  return found ?? { rows: [], total: 0, pending: 0, changes: 0, added: 0, removed: 0 };
}
