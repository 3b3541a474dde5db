import type { Queryable } from "@web-tester/platform/database/database";
import { robotsUnread } from "../hosts/robots-files.js";

/*
 * The newest run of the object $1 that got a page of the site: what failed before it is another outage. If runs of a kind failed before it as
 * well, that was told long ago, and nobody is told that they fail on; so they are not the ones that told of this outage.
 */
const lastGood = `
  good AS (
    SELECT coalesce((
      SELECT g.id FROM run g WHERE g.test_object_id = $1 AND g.state <> 'running' AND CASE
        WHEN g.kind IN ('crawl', 'sitemaps') THEN g.found > 0
        WHEN g.kind IN ('snapshot-all', 'snapshot-one', 'look') THEN g.completed > g.failed + g.stopped ELSE false END
      ORDER BY g.id DESC LIMIT 1), '00000000-0000-0000-0000-000000000000') AS id
  )`;

/** SQL: finished runs of a kind, reported and without any page, since the last good run; none if the one before that run had no page either. */
const failedSince = (kind: "crawl" | "snapshot-all", hadNothing: (run: string) => string) => `
  failed AS (
    SELECT r.id FROM run r, good
    WHERE r.test_object_id = $1 AND r.kind = '${kind}' AND r.state = 'finished' AND r.told AND r.id > good.id AND ${hadNothing("r")}
      AND NOT coalesce((
        SELECT ${hadNothing("b")} FROM run b WHERE b.test_object_id = $1 AND b.kind = '${kind}' AND b.state = 'finished' AND b.id < good.id
        ORDER BY b.id DESC LIMIT 1), false)
  )`;

/* Fetches of which all pages failed, and with them, as failing and not as gone, the page that the crawl $2 began with. */
const fetches = `
  WITH ${lastGood}, ${failedSince("snapshot-all", (run) => `(${run}.total > 0 AND ${run}.failed = ${run}.total)`)}
  SELECT count(*)::int AS met FROM failed f
  WHERE EXISTS (
    SELECT FROM crawl_page c JOIN test_instance i ON i.test_object_id = $1 AND i.url = c.url
    JOIN test_snapshot s ON s.test_instance_id = i.id AND s.run_id = f.id
    WHERE c.run_id = $2 AND c.depth = 0 AND s.state = 'failed' AND coalesce(s.http_status, 0) NOT IN (404, 410))`;

/* Crawls that found no page. The newest one could not load its first page, or not even robots.txt: no rule left the page out. */
const crawls = `
  WITH ${lastGood}, ${failedSince("crawl", (run) => `${run}.found = 0`)}
  SELECT count(*)::int AS met FROM failed
  WHERE EXISTS (
    SELECT FROM crawl_page c WHERE c.run_id = (SELECT id FROM failed ORDER BY id DESC LIMIT 1) AND c.depth = 0
      AND (c.outcome = 'failed' OR (c.outcome = 'denied' AND starts_with(c.error, '${robotsUnread}'))))`;

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
