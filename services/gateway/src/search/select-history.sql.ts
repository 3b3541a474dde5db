import type { Queryable } from "@web-tester/platform/database/database";
import type { ContentKey } from "./select-contents.sql.js";
import { hashesOf } from "./read-results.js";

/** A finished snapshot as PostgreSQL writes it in JSON. */
export interface SeenRow {
  id: string;
  number: number;
  at: string;
}

/** An instance on which the phrase was ever found. */
export interface HistoryRow {
  id: string;
  name: string;
  url: string;
  snapshots: number;
  snapshotsWith: number;
  present: boolean;
  first: SeenRow;
  last: SeenRow;
  /**
   * The latest `eventsMax` snapshots in which the number of matches changed, oldest first. `n`, `before`: matches in it and in the one
   * before.
   */
  events: (SeenRow & { n: number; before: number; previousId: string | null })[];
  eventsTotal: number;
}

const eventsMax = 100;

const history = `
  WITH hit AS MATERIALIZED (
    SELECT decode(left(key, 64), 'hex') AS hash, substr(key, 66) AS charset, n FROM unnest($2::text[], $3::int[]) AS k (key, n)
  ), page AS MATERIALIZED (
    SELECT id, name, url FROM test_instance i
    WHERE test_object_id = $1 AND removal_id IS NULL AND ($4::uuid IS NULL OR id = $4) AND ($5::text IS NULL OR url > $5) AND CONDITION
    ORDER BY url LIMIT $6
  ), seen AS (
    SELECT s.test_instance_id, s.id, s.number, s.created_at, coalesce(h.n, 0) AS n,
           lag(coalesce(h.n, 0), 1, 0) OVER line AS before, lag(s.id) OVER line AS previous_id,
           json_build_object('id', s.id, 'number', s.number, 'at', s.created_at) AS item
    FROM page p JOIN test_snapshot s ON s.test_instance_id = p.id AND s.state = 'done'
    LEFT JOIN hit h ON h.hash = s.content_hash AND h.charset = coalesce(s.charset, 'utf-8')
    WINDOW line AS (PARTITION BY s.test_instance_id ORDER BY s.id)
  ), summed AS (
    SELECT test_instance_id, count(*)::int AS snapshots, count(*) FILTER (WHERE n > 0)::int AS snapshots_with,
           count(*) FILTER (WHERE n <> before)::int AS events_total,
           (array_agg(n ORDER BY id DESC))[1] > 0 AS present,
           (array_agg(item ORDER BY id) FILTER (WHERE n > 0))[1] AS first, (array_agg(item ORDER BY id DESC) FILTER (WHERE n > 0))[1] AS last
    FROM seen GROUP BY test_instance_id
  )
  SELECT p.id, p.name, p.url, c.snapshots, c.snapshots_with AS "snapshotsWith", c.present, c.first, c.last, c.events_total AS "eventsTotal",
         (SELECT coalesce(json_agg(json_build_object('id', e.id, 'number', e.number, 'at', e.created_at, 'n', e.n, 'before', e.before, 'previousId', e.previous_id) ORDER BY e.id), '[]')
          FROM (SELECT * FROM seen s WHERE s.test_instance_id = p.id AND s.n <> s.before ORDER BY s.id DESC LIMIT ${eventsMax}) e) AS events
  FROM page p JOIN summed c ON c.test_instance_id = p.id
  WHERE c.snapshots_with > 0 ORDER BY p.url`;

/** Up to this many contents are looked up directly; for more, each instance is tested. */
const fewContents = 500;
const byContent = history.replace(
  "CONDITION",
  `i.id IN (SELECT s.test_instance_id FROM test_snapshot s WHERE s.content_hash = ANY($7::bytea[]) AND s.state = 'done')`,
);
const byInstance = history.replace(
  "CONDITION",
  `EXISTS (SELECT 1 FROM test_snapshot s WHERE s.test_instance_id = i.id AND s.state = 'done' AND s.content_hash = ANY($7::bytea[]))`,
);

/**
 * Selects the history of a phrase on each instance that ever had it, ordered by URL.
 * @param counts matches by content
 */
export function selectHistory(
  db: Queryable,
  { objectId, instanceId }: { objectId: string; instanceId: string | null },
  counts: ReadonlyMap<ContentKey, number>,
  afterUrl: string | null,
  limit: number,
): Promise<HistoryRow[]> {
  const hashes = hashesOf(counts);
  return db.query<HistoryRow>(hashes.length <= fewContents ? byContent : byInstance, [
    objectId,
    [...counts.keys()],
    [...counts.values()],
    instanceId,
    afterUrl,
    limit,
    hashes,
  ]);
}
