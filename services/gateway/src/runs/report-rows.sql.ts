import type { ReportGroup, ReportItem } from "@web-tester/contracts/entities/run";
import type { Queryable } from "@web-tester/platform/database/database";
import { hasSkipped, pageAt } from "@web-tester/records/pages/known-address";

/*
 * SQL: known instances are gone when a finished crawl did not find them, or got 404 or 410 from them. A crawl that hit a budget did
 * not see everything: then only 404 and 410 count.
 */
const goneInstances = `
  FROM run r
  JOIN test_instance i ON i.test_object_id = r.test_object_id AND i.created_at < r.created_at
  LEFT JOIN LATERAL ${pageAt("r.id", "i.url")} p ON true
  WHERE r.id = $1 AND r.kind = 'crawl' AND r.state = 'finished'
    AND CASE WHEN p.id IS NULL THEN r.ended_by IS NULL AND NOT ${hasSkipped("r.id", "i.url")}
             ELSE p.http_status IN (404, 410) END`;

const noCarriers = `NULL::int AS carriers`;
/* SQL: how many pages carry a broken link; null until the crawl's links are matched. */
const carriers = `
  (SELECT CASE WHEN r.links_settled THEN coalesce((SELECT sum(c.pages) FROM crawl_carrier c WHERE c.run_id = r.id AND c.target_id = p.id), 0)::int END
   FROM run r WHERE r.id = p.run_id AND r.kind = 'crawl') AS carriers`;
const pageColumns = `p.url, p.http_status, p.error AS reason, p.error_code AS reason_code, p.target, f.url AS found_on, p.test_instance_id AS instance_id`;
const pagesWhere = (condition: string, more = noCarriers) => `
  SELECT ${pageColumns}, ${more} FROM crawl_page p LEFT JOIN crawl_page f ON f.id = p.found_on_id
  WHERE p.run_id = $1 AND ${condition} ORDER BY p.url`;
const skippedWhere = (condition: string) => `
  SELECT s.url, NULL::int AS http_status, NULL::text AS reason, NULL::text AS reason_code, NULL::text AS target, f.url AS found_on, NULL::uuid AS instance_id, ${noCarriers}
  FROM crawl_skip s LEFT JOIN crawl_page f ON f.id = s.found_on_id
  WHERE s.run_id = $1 AND ${condition}`;

const lists: Readonly<Record<ReportGroup, string>> = {
  found: pagesWhere(`p.outcome = 'instance'`),
  new: `
    SELECT ${pageColumns}, ${noCarriers} FROM crawl_page p
    JOIN run r ON r.id = p.run_id JOIN test_instance i ON i.id = p.test_instance_id AND i.created_at >= r.created_at
    LEFT JOIN crawl_page f ON f.id = p.found_on_id
    WHERE p.run_id = $1 AND p.outcome = 'instance' ORDER BY p.url`,
  gone: `SELECT i.url, p.http_status, p.error AS reason, p.error_code AS reason_code, NULL::text AS target, NULL::text AS found_on, i.id AS instance_id, ${carriers} ${goneInstances} ORDER BY i.url`,
  redirected: pagesWhere(`p.outcome = 'redirected'`),
  canonical: pagesWhere(`p.outcome = 'canonical'`),
  failed: pagesWhere(`p.outcome = 'failed'`, carriers),
  "not-html": pagesWhere(`p.outcome = 'not-html'`),
  sitemap: pagesWhere(`p.outcome = 'sitemap'`),
  excluded: both(`p.outcome = 'excluded'`, `s.reason = 'excluded'`),
  denied: both(`p.outcome = 'denied'`, `s.reason = 'denied'`),
  "out-of-scope": both(`p.outcome = 'out-of-scope'`, `s.reason = 'out-of-scope'`),
  budget: both(`p.outcome = 'budget'`, `s.reason IN ('pages', 'depth')`),
  trap: skippedWhere(`s.reason = 'trap'`) + " ORDER BY s.url",
  "too-long": skippedWhere(`s.reason = 'too-long'`) + " ORDER BY s.url",
};

function both(pages: string, skips: string): string {
  const visited = pagesWhere(pages).replace(/ORDER BY p\.url$/, "");
  return `SELECT * FROM (${visited} UNION ALL ${skippedWhere(skips)}) AS listed ORDER BY url`;
}

const countPages = `SELECT outcome, count(*)::int AS n FROM crawl_page WHERE run_id = $1 AND outcome IS NOT NULL GROUP BY outcome`;
const countSkips = `SELECT reason, count(*)::int AS n FROM crawl_skip WHERE run_id = $1 GROUP BY reason`;
const countGone = `SELECT count(*)::int AS n ${goneInstances}`;

/** How many addresses of a run had which outcome. */
export interface ReportCounts {
  outcomes: ReadonlyMap<string, number>;
  skips: ReadonlyMap<string, number>;
  gone: number;
}

export async function countReport(db: Queryable, runId: string): Promise<ReportCounts> {
  // one after the other, because a transaction has a single connection
  const outcomes = await db.query<{ outcome: string; n: number }>(countPages, [runId]);
  const skips = await db.query<{ reason: string; n: number }>(countSkips, [runId]);
  const gone = await db.query<{ n: number }>(countGone, [runId]);
  return {
    outcomes: new Map(outcomes.map(({ outcome, n }) => [outcome, n])),
    skips: new Map(skips.map(({ reason, n }) => [reason, n])),
    gone: gone[0]?.n ?? 0,
  };
}

/** Selects one group's addresses in alphabetical order. */
export function listReport(
  db: Queryable,
  runId: string,
  group: ReportGroup,
  limit: number,
  offset: number,
): Promise<ReportItem[]> {
  return db.query<ReportItem>(`${lists[group]} LIMIT $2 OFFSET $3`, [runId, limit, offset]);
}
