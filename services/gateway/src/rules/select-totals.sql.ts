import type { Queryable } from "@web-tester/platform/database/database";

const totals = `
  SELECT count(*)::int AS total, count(*) FILTER (WHERE c.run_id = $3)::int AS "ofLastRun"
  FROM change c
  WHERE c.test_object_id = $1 AND c.snapshot_id >= $2 AND c.state = 'done' AND c.kind = 'changed' AND c.significant AND c.previous_id IS NOT NULL`;

/** Counts the significant changes of an object from a snapshot id on, and how many of them belong to one run. */
export async function selectChangeTotals(
  db: Queryable,
  objectId: string,
  first: string,
  runId: string | null,
): Promise<{ total: number; ofLastRun: number }> {
  const [row] = await db.query<{ total: number; ofLastRun: number }>(totals, [objectId, first, runId]);
  return row ?? { total: 0, ofLastRun: 0 };
}
