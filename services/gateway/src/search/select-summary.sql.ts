import type { Queryable } from "@web-tester/platform/database/database";
import type { ContentKey } from "./select-contents.sql.js";
import type { Where } from "./select-results.sql.js";

export interface SummaryRow {
  matches: number;
  snapshots: number;
  instances: number;
  instancesTotal: number;
}

const hits = `hit AS MATERIALIZED (
    SELECT decode(left(key, 64), 'hex') AS hash, substr(key, 66) AS charset, n FROM unnest($2::text[], $3::int[]) AS k (key, n)
  )`;

const instancesTotal = `
  (SELECT count(*)::int FROM test_instance WHERE test_object_id = $1 AND removal_id IS NULL AND ($4::uuid IS NULL OR id = $4)) AS "instancesTotal"`;

const sums = `
  ${instancesTotal}, count(*)::int AS snapshots, count(DISTINCT s.test_instance_id)::int AS instances, coalesce(sum(h.n), 0)::float8 AS matches`;

/** SQL: sums over all snapshots of the contents with the phrase. */
const ofFew = `
  WITH ${hits}
  SELECT ${sums}
  FROM hit h
  JOIN test_snapshot s ON s.content_hash = h.hash AND coalesce(s.charset, 'utf-8') = h.charset AND s.state = 'done'
  CROSS JOIN LATERAL (SELECT * FROM test_instance t WHERE t.id = s.test_instance_id LIMIT 1) i
  WHERE i.test_object_id = $1 AND i.removal_id IS NULL AND ($4::uuid IS NULL OR i.id = $4)`;

/** SQL: sums over what each instance ever had, which an index alone can tell: 4 times as fast where most of it has the phrase. */
const ofMost = `
  WITH ${hits}, had AS MATERIALIZED (
    SELECT i.id, s.content_hash, coalesce(s.charset, 'utf-8') AS charset, s.snapshots
    FROM test_instance i
    CROSS JOIN LATERAL (
      SELECT content_hash, charset, count(*) AS snapshots FROM test_snapshot q
      WHERE q.test_instance_id = i.id AND q.state = 'done' GROUP BY 1, 2
    ) s
    WHERE i.test_object_id = $1 AND i.removal_id IS NULL AND ($4::uuid IS NULL OR i.id = $4)
  )
  SELECT ${instancesTotal}, coalesce(sum(had.snapshots), 0)::int AS snapshots, count(DISTINCT had.id)::int AS instances,
         coalesce(sum(h.n * had.snapshots), 0)::float8 AS matches
  FROM had JOIN hit h ON h.hash = had.content_hash AND h.charset = had.charset`;

const atIndex = `
  WITH ${hits}
  SELECT ${sums}
  FROM test_instance i
  CROSS JOIN LATERAL (
    SELECT * FROM test_snapshot q WHERE q.test_instance_id = i.id AND q.state = 'done' ORDER BY q.id DESC LIMIT 1 OFFSET $5
  ) s
  JOIN hit h ON h.hash = s.content_hash AND h.charset = coalesce(s.charset, 'utf-8')
  WHERE i.test_object_id = $1 AND i.removal_id IS NULL AND ($4::uuid IS NULL OR i.id = $4)`;

/** If more than this share of the contents has the phrase, it is faster to go by instances. */
const mostFrom = 1 / 10;

/**
 * Sums up how often a phrase occurs in all.
 * @param counts matches by content, of `total` contents
 */
export async function selectSummary(
  db: Queryable,
  { objectId, instanceId, index }: Where,
  { counts, total }: { counts: ReadonlyMap<ContentKey, number>; total: number },
): Promise<SummaryRow> {
  const values = [objectId, [...counts.keys()], [...counts.values()], instanceId];
  const [row] = await db.query<SummaryRow>(
    index !== null ? atIndex : counts.size > total * mostFrom ? ofMost : ofFew,
    index === null ? values : [...values, index],
  );
  if (row === undefined) throw new Error("Sums are one row, always.");
  return row;
}
