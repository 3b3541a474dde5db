import type { Queryable } from "@web-tester/platform/database/database";

const ofRun = `
  SELECT o.id, o.exclude_list FROM test_object o
  WHERE o.id = (SELECT test_object_id FROM run WHERE id = $1) FOR NO KEY UPDATE`;

/** Locks the object of a run, so that nobody else changes its settings meanwhile. @returns null when there is no such run */
export async function lockObjectOfRun(
  tx: Queryable,
  runId: string,
): Promise<{ id: string; exclude_list: string[] } | null> {
  const [object] = await tx.query<{ id: string; exclude_list: string[] }>(ofRun, [runId]);
  return object ?? null;
}
