import type { Backlog, Bus } from "@web-tester/platform/bus/bus";
import type { Database } from "@web-tester/platform/database/database";
import type { Metrics } from "@web-tester/platform/metrics/metrics";

interface LaneRow {
  lane: string;
  rows: number;
  oldest_seconds: number;
}

/** A lane is a message name, followed by its lane if it has several: `fetch-now`. Partial indexes on queued rows serve all of these. */
const select = `
  SELECT 'fetch-' || lane AS lane, count(*)::int AS rows, extract(epoch FROM now() - min(queued_at))::float8 AS oldest_seconds
  FROM test_snapshot WHERE state = 'queued' GROUP BY lane
  UNION ALL
  SELECT CASE kind WHEN 'sitemap' THEN 'sitemap' ELSE 'crawl' END, count(*)::int, extract(epoch FROM now() - min(queued_at))::float8
  FROM crawl_page WHERE state = 'queued' GROUP BY 1
  UNION ALL
  SELECT 'diff', count(*)::int, extract(epoch FROM now() - min(queued_at))::float8 FROM change WHERE state = 'queued' HAVING count(*) > 0
  UNION ALL
  SELECT 'delete', count(*)::int, extract(epoch FROM now() - min(queued_at))::float8
  FROM run WHERE state = 'running' AND kind LIKE 'delete-%' HAVING count(*) > 0`;

const lanes = ["crawl", "sitemap", "fetch-now", "fetch-bulk", "diff", "delete"];
/** Milliseconds for which the numbers are cached, however many scrapes there are. */
const readEveryMs = 1_000;

/**
 * Adds metrics of how much work waits, in rows (the truth) and in messages (what can be worked on). Every replica shows the same numbers:
 * use one of them, not the sum.
 */
export function showQueues(metrics: Metrics, db: Pick<Database, "query">, bus: Pick<Bus, "backlog">): void {
  const rows = remembered(() => db.query<LaneRow>(select));
  const backlog = remembered(() => bus.backlog());
  const ofLanes = (read: () => Promise<LaneRow[]>, value: (row: LaneRow | undefined) => number) => async () => {
    const found = new Map((await read()).map((row) => [row.lane, row]));
    return lanes.map((lane) => ({ lane, value: value(found.get(lane)) }));
  };
  metrics.gauges(
    "queue_rows",
    "Rows that wait to be worked on",
    ["lane"],
    ofLanes(rows, (row) => row?.rows ?? 0),
  );
  metrics.gauges(
    "queue_oldest_seconds",
    "For how long the oldest of them waits",
    ["lane"],
    ofLanes(rows, (row) => Math.max(0, row?.oldest_seconds ?? 0)),
  );
  const ofMessages = (value: (lane: Backlog) => number) => async () =>
    (await backlog()).map((lane) => ({ lane: lane.lane, value: value(lane) }));
  metrics.gauges(
    "queue_messages",
    "Messages that wait or are being handled",
    ["lane"],
    ofMessages(({ messages }) => messages),
  );
  metrics.gauges(
    "queue_workable",
    "Messages that could be handled at the same time: those beyond a site's bound are left out, because more workers would not help them",
    ["lane"],
    ofMessages(({ workable }) => workable),
  );
}

/** Caches a reading for `readEveryMs` and shares it among callers; a failed reading is not cached. */
function remembered<Result>(read: () => Promise<Result>): () => Promise<Result> {
  let last: { at: number; result: Promise<Result> } | undefined;
  return () => {
    const now = performance.now();
    if (last === undefined || now - last.at > readEveryMs) {
      const result = read();
      last = { at: now, result };
      result.catch(() => (last = undefined));
    }
    return last.result;
  };
}
