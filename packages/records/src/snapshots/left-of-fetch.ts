import type { Queryable } from "@web-tester/platform/database/database";

const isStopped = `SELECT 1 FROM run WHERE id = $1 AND test_object_id = $2 AND kind = 'snapshot-all' AND state = 'cancelled'`;

const left = `
  SELECT s.test_instance_id AS id FROM test_snapshot s JOIN test_instance i ON i.id = s.test_instance_id
  WHERE s.run_id = $1 AND s.state = 'cancelled' AND i.test_object_id = $2 AND i.removal_id IS NULL AND NOT EXISTS (
    SELECT 1 FROM test_snapshot n WHERE n.test_instance_id = s.test_instance_id AND n.id > s.id AND n.state IN ('done', 'failed'))
  ORDER BY 1`;

/**
 * Returns the ids of the pages that a stopped fetch did not get to and that were not fetched since; null where the object has no
 * such fetch.
 */
export async function leftOfFetch(db: Queryable, objectId: string, runId: string): Promise<string[] | null> {
  const [run] = await db.query(isStopped, [runId, objectId]);
  if (run === undefined) return null;
  return (await db.query<{ id: string }>(left, [runId, objectId])).map(({ id }) => id);
}
