import type { Queryable } from "@web-tester/platform/database/database";

/** The smallest UUIDv7 of a time's millisecond. */
export function firstIdAt(time: Date): string {
  const hex = Math.max(0, time.getTime()).toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-7000-8000-000000000000`;
}

const lastFetch = `
  WITH recent AS (
    SELECT id, total FROM run WHERE test_object_id = $1 AND kind = 'snapshot-all' AND state <> 'running' ORDER BY id DESC LIMIT 50
  )
  SELECT id FROM recent WHERE total * 2 >= (SELECT max(total) FROM recent) ORDER BY id DESC LIMIT 1`;
const never = "ffffffff-ffff-ffff-ffff-ffffffffffff";

/**
 * Finds an id that lies before all snapshots of an object's last fetch of most of its pages, so that its newest snapshots, which are
 * next to each other, are read in one go. The caller passes it as a parameter, because PostgreSQL cannot estimate how few rows lie
 * behind an id that the statement itself looks up.
 * @returns an id behind all others where there was no such fetch
 */
export async function idBeforeLastFetch(db: Queryable, objectId: string): Promise<string> {
  const [run] = await db.query<{ id: string }>(lastFetch, [objectId]);
  return run?.id ?? never;
}
