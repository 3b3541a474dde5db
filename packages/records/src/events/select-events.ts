import type { WatchEvent } from "@web-tester/contracts/entities/notifications";
import type { Queryable } from "@web-tester/platform/database/database";
import { isClockSure } from "../installation/sure-clock.js";

const select = `
  SELECT id::text, test_object_id AS testobject_id, run_id, kind, said, pages_total, pages, created_at
  FROM watch_event WHERE id > $1 AND ($2::uuid IS NULL OR test_object_id = $2) ORDER BY watch_event.id LIMIT $3`;

/** Returns the events after a given one, in their order. */
export async function selectEvents(
  db: Queryable,
  after: string,
  objectId: string | null,
  limit: number,
): Promise<WatchEvent[]> {
  const rows = await db.query<Omit<WatchEvent, "created_at"> & { created_at: Date }>(select, [after, objectId, limit]);
  return rows.map((row) => ({ ...row, created_at: row.created_at.toISOString() }));
}

/* The oldest first; the newest event stays, because the next id is counted from it. */
const forget = `
  DELETE FROM watch_event WHERE created_at < now() - $1::int * interval '1 day' AND ${isClockSure} AND id IN (SELECT id FROM watch_event ORDER BY id LIMIT 1000)
    AND id < (SELECT max(id) FROM watch_event)`;

/** Forgets events after so many days by the database's clock, a thousand at a time. */
export async function forgetEvents(db: Queryable, days: number): Promise<void> {
  await db.query(forget, [days]);
}
