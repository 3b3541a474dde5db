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
  first_at: Date;
  last_at: Date;
  /** The snapshot that the first change is compared with; null where it is gone. */
  before_id: string | null;
  last_id: string;
}

export interface ChangesPage {
  rows: ChangedRow[];
  /** Of all instances that changed, whatever the page. */
  total: number;
  changes: number;
  added: number;
  removed: number;
}

/*
 * Ids are UUIDv7: what is older than $2 lies before it in the index snapshot_of_instance, so an instance costs one probe and
 * a look at its snapshots since. The time itself decides, for an import brings its own times.
 */
const changed = `
  WITH changed AS (
    SELECT s.test_instance_id, count(*)::int AS changes, sum(c.lines_added)::int AS added, sum(c.lines_removed)::int AS removed,
      bool_or(c.coarse) AS coarse, min(s.created_at) AS first_at, max(s.created_at) AS last_at,
      (array_agg(c.previous_id ORDER BY s.id))[1] AS before_id, (array_agg(s.id ORDER BY s.id DESC))[1] AS last_id
    FROM test_instance i
    JOIN test_snapshot s ON s.test_instance_id = i.id AND s.id >= $2 AND s.created_at >= $3
    JOIN change c ON c.snapshot_id = s.id AND c.state = 'done' AND c.kind = 'changed' AND c.significant
    WHERE i.test_object_id = $1
    GROUP BY s.test_instance_id
  )`;

const page = `${changed}
  SELECT i.id, i.name, i.url, d.changes, d.added, d.removed, d.coarse, d.first_at, d.last_at, d.before_id, d.last_id
  FROM changed d JOIN test_instance i ON i.id = d.test_instance_id
  WHERE $4::uuid IS NULL OR d.last_id < $4
  ORDER BY d.last_id DESC LIMIT $5`;

const sums = `${changed}
  SELECT count(*)::int AS total, coalesce(sum(changes), 0)::int AS changes, coalesce(sum(added), 0)::int AS added, coalesce(sum(removed), 0)::int AS removed
  FROM changed`;

/**
 * Instances of an object that changed since a time, the latest change first.
 * @param after the last snapshot of the last row of the page before
 */
export async function selectChanges(
  db: Queryable,
  objectId: string,
  since: Date,
  after: string | null,
  limit: number,
): Promise<ChangesPage> {
  const values = [objectId, firstIdAt(since), since];
  const [rows, [all]] = await Promise.all([
    db.query<ChangedRow>(page, [...values, after, limit]),
    db.query<Omit<ChangesPage, "rows">>(sums, values),
  ]);
  return { rows, total: 0, changes: 0, added: 0, removed: 0, ...all };
}
