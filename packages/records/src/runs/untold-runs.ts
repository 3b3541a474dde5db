import type { FailedTelling } from "@web-tester/contracts/entities/notifications";
import type { Metrics } from "@web-tester/platform/metrics/metrics";
import type { Queryable } from "@web-tester/platform/database/database";

const whyMax = 500;
/** The most runs that the list of messages names. */
const listedMax = 20;

const note = `
  UPDATE run SET untold_since = coalesce(untold_since, now()), untold_tries = untold_tries + 1, untold_why = left($2, ${whyMax})
  WHERE id = $1 AND NOT told`;

/** Records that a run could not be told. */
export async function noteUntold(db: Queryable, runId: string, why: string): Promise<void> {
  await db.query(note, [runId, why]);
}

/* The index on runs that are not told yet holds few rows, however many runs there are. */
const untold = `
  FROM run r JOIN test_object o ON o.id = r.test_object_id
  WHERE NOT r.told AND r.state <> 'running' AND r.untold_since IS NOT NULL`;
const select = `
  SELECT r.id AS run_id, r.test_object_id AS testobject_id, o.name AS object_name, r.untold_since AS since, r.untold_tries AS tries,
    r.untold_why AS why ${untold} ORDER BY r.id LIMIT ${listedMax}`;

const unsettled = `
  SELECT 1 FROM run WHERE test_object_id = $1 AND NOT told AND state <> 'running' AND state = 'finished' AND kind IN ('crawl', 'sitemaps')
    AND untold_since IS NULL AND finished_at > now() - interval '1 minute' LIMIT 1`;

/** Whether a crawl or a sitemap crawl of an object ended just now, and what became of its pages is being decided. */
export async function isBeingSettled(db: Queryable, objectId: string): Promise<boolean> {
  return (await db.query(unsettled, [objectId])).length > 0;
}

/** Lists the runs that ended and cannot be told, the oldest first. */
export async function selectUntold(db: Queryable): Promise<FailedTelling[]> {
  const rows = await db.query<Omit<FailedTelling, "since"> & { since: Date }>(select);
  return rows.map(({ since, ...row }) => ({ ...row, since: since.toISOString() }));
}

/** Adds the number of runs that cannot be told to the metrics. Every replica shows the same number: use one of them, not the sum. */
export function showUntold(metrics: Metrics, db: Queryable): void {
  metrics.gauge(
    "runs_untold",
    "Runs that ended and of which no message can be made because of an error; they are tried every 15 seconds",
    async () => (await db.query<{ runs: number }>(`SELECT count(*)::int AS runs ${untold}`))[0]?.runs ?? 0,
  );
}
