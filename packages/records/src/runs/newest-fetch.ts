import type { Queryable } from "@web-tester/platform/database/database";

/** Returns the newest Fetch All of an object; null when there is none. */
export async function newestFetch(db: Queryable, objectId: string): Promise<string | null> {
  const [row] = await db.query<{ id: string }>(
    `SELECT id FROM run WHERE test_object_id = $1 AND kind = 'snapshot-all' ORDER BY id DESC LIMIT 1`,
    [objectId],
  );
  return row?.id ?? null;
}
