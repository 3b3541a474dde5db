import type { Queryable } from "@web-tester/platform/database/database";

/* SQL: the newest run of the object $1 that got a page of the site: what failed before it is another outage. */
const lastGood = `
  good AS (
    SELECT coalesce((
      SELECT g.id FROM run g WHERE g.test_object_id = $1 AND g.state <> 'running' AND CASE
        WHEN g.kind IN ('crawl', 'sitemaps') THEN g.found > 0
        WHEN g.kind IN ('snapshot-all', 'snapshot-one', 'look') THEN g.completed > g.failed + g.stopped ELSE false END
      ORDER BY g.id DESC LIMIT 1), '00000000-0000-0000-0000-000000000000') AS id
  )`;

/* Fetches that were told, of which all pages failed, and with them, as failing and not as gone, the page that the crawl $2 began with. */
const fetches = `
  WITH ${lastGood}
  SELECT count(*)::int AS met FROM run r, good
  WHERE r.test_object_id = $1 AND r.kind = 'snapshot-all' AND r.state = 'finished' AND r.told AND r.id > good.id AND r.total > 0 AND r.failed = r.total
    AND EXISTS (
      SELECT FROM crawl_page c JOIN test_instance i ON i.test_object_id = $1 AND i.url = c.url
      JOIN test_snapshot s ON s.test_instance_id = i.id AND s.run_id = r.id
      WHERE c.run_id = $2 AND c.depth = 0 AND s.state = 'failed' AND coalesce(s.http_status, 0) NOT IN (404, 410))`;

/* Crawls that were told and found no page. The newest one could not load its first page, so that it was not left out by rules. */
const crawls = `
  WITH ${lastGood}, met AS (
    SELECT r.id FROM run r, good
    WHERE r.test_object_id = $1 AND r.kind = 'crawl' AND r.state = 'finished' AND r.told AND r.id > good.id AND r.found = 0
  )
  SELECT count(*)::int AS met FROM met WHERE EXISTS (
    SELECT FROM crawl_page c WHERE c.run_id = (SELECT id FROM met ORDER BY id DESC LIMIT 1) AND c.depth = 0 AND c.outcome = 'failed')`;

interface EndedRun {
  id: string;
  kind: string;
  objectId: string;
  total: number;
  failed: number;
  found: number;
}

/**
 * Returns how many runs of the other kind in a row had met the same outage before this run was told: fetches before a crawl that found no
 * page, crawls before a fetch of which all pages failed. Whoever had failed as often as a route demands has told it of the outage.
 */
export async function metBefore(
  tx: Queryable,
  { id, kind, objectId, total, failed, found }: EndedRun,
): Promise<number> {
  const statement =
    kind === "crawl" && found === 0
      ? ([fetches, [objectId, id]] as const)
      : kind === "snapshot-all" && total > 0 && failed === total
        ? ([crawls, [objectId]] as const)
        : null;
  if (statement === null) return 0;
  const [row] = await tx.query<{ met: number }>(statement[0], [...statement[1]]);
  return row?.met ?? 0;
}
