import type { RunDay } from "@web-tester/contracts/entities/run";
import type { Queryable } from "@web-tester/platform/database/database";
import { firstIdAt } from "../snapshots/first-id.js";

/*
 * SQL: ids are UUIDv7, so that only the runs of these days are read. They are counted by quarters of an hour, because every time
 * zone's days begin at one, and because the database may lack zones that Node knows.
 */
const quarters = (ofObject: string) => `
  SELECT date_bin('15 minutes', created_at, '2000-01-01 00:00Z') AS at, (count(*) FILTER (WHERE kind = 'snapshot-all'))::int AS fetches,
    (count(*) FILTER (WHERE kind IN ('crawl', 'sitemaps')))::int AS crawls,
    (coalesce(sum(changed) FILTER (WHERE kind = 'snapshot-all'), 0))::int AS changed,
    (coalesce(sum(failed) FILTER (WHERE kind = 'snapshot-all'), 0))::int AS failed,
    (max(id::text) FILTER (WHERE kind = 'snapshot-all'))::uuid AS run_id
  FROM run WHERE id >= $1 AND ${ofObject} kind IN ('snapshot-all', 'crawl', 'sitemaps') GROUP BY 1 ORDER BY 1`;

type Quarter = Omit<RunDay, "day"> & { at: Date };

/**
 * Counts the runs of each day that had some, the oldest day first.
 * @param objectId null: of all objects. @param timeZone IANA name, known to be valid
 */
export async function selectRunDays(
  db: Queryable,
  objectId: string | null,
  since: Date,
  timeZone: string,
): Promise<RunDay[]> {
  const from = firstIdAt(since);
  const rows =
    objectId === null
      ? await db.query<Quarter>(quarters(""), [from])
      : await db.query<Quarter>(quarters("test_object_id = $2 AND"), [from, objectId]);
  const dayOf = new Intl.DateTimeFormat("en-CA", { timeZone, year: "numeric", month: "2-digit", day: "2-digit" });
  const days = new Map<string, RunDay>();
  for (const { at, ...counts } of rows) {
    const day = dayOf.format(at);
    const before = days.get(day);
    days.set(day, before === undefined ? { day, ...counts } : sum(before, counts));
  }
  return [...days.values()];
}

const sum = (one: RunDay, other: Omit<RunDay, "day">): RunDay => ({
  day: one.day,
  fetches: one.fetches + other.fetches,
  crawls: one.crawls + other.crawls,
  changed: one.changed + other.changed,
  failed: one.failed + other.failed,
  run_id: other.run_id ?? one.run_id,
});
