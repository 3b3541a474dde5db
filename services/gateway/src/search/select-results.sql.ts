import type { Queryable } from "@web-tester/platform/db/database";
import type { ContentKey } from "./select-packs.sql.js";

/** Where results are looked for. `instanceId`, `index`: null for all. */
export interface Where {
  objectId: string;
  instanceId: string | null;
  index: number | null;
}

/** A snapshot whose content has one of the hashes looked for. */
export interface ResultRow {
  instanceId: string;
  instanceName: string;
  instanceUrl: string;
  snapshotId: string;
  number: number;
  /** ISO 8601 with any offset. */
  createdAt: string;
  index: number;
  key: ContentKey;
}

/** Results behind this one; `snapshotId` null: behind all of its instance. */
export interface Place {
  url: string;
  snapshotId: string | null;
}

export const contentKey = (row: string) =>
  `encode(${row}.content_hash, 'hex') || ':' || coalesce(${row}.charset, 'utf-8')`;

const found = `
  i.id AS "instanceId", i.name AS "instanceName", i.url AS "instanceUrl", s.id, s.test_instance_id, s.number, s.created_at, ${contentKey("s")} AS key`;

const asJson = (index: string) => `
  coalesce((SELECT json_agg(json_build_object(
    'instanceId', f."instanceId", 'instanceName', f."instanceName", 'instanceUrl', f."instanceUrl", 'snapshotId', f.id,
    'number', f.number, 'createdAt', f.created_at, 'key', f.key, 'index', ${index}) ORDER BY f."instanceUrl", f.id DESC) FROM found f), '[]') AS rows`;

/** Finished snapshots of the instance that are younger. */
const younger = `(SELECT count(*) FROM test_snapshot n WHERE n.test_instance_id = f.test_instance_id AND n.state = 'done' AND n.id > f.id)`;

const byContent = `
  WITH found AS (
    SELECT ${found} FROM test_snapshot s JOIN test_instance i ON i.id = s.test_instance_id
    WHERE s.content_hash = ANY($2::bytea[]) AND s.state = 'done' AND i.test_object_id = $1 AND ($3::uuid IS NULL OR i.id = $3)
      AND ($4::text IS NULL OR i.url > $4 OR (i.url = $4 AND s.id < $5::uuid))
    ORDER BY i.url, s.id DESC LIMIT $6
  )
  SELECT ${asJson(younger)}`;

/** Results by way of their contents: few contents, whose snapshots an index finds. */
export async function selectByContent(
  db: Queryable,
  { objectId, instanceId }: Where,
  hashes: readonly Buffer[],
  after: Place | null,
  limit: number,
): Promise<ResultRow[]> {
  const [row] = await db.query<{ rows: ResultRow[] }>(byContent, [
    objectId,
    hashes,
    instanceId,
    after?.url ?? null,
    after?.snapshotId ?? null,
    limit,
  ]);
  return row?.rows ?? [];
}

/** The instances that come next, as many as weigh `$7` together. */
const stretch = (weight: string) => `
  SELECT id, name, url FROM (
    SELECT id, name, url, ${weight} AS weight, sum(${weight}) OVER (ORDER BY url) AS so_far
    FROM (
      SELECT id, name, url, snapshots_total FROM test_instance
      WHERE test_object_id = $1 AND ($3::uuid IS NULL OR id = $3) AND ($4::text IS NULL OR url > $4 OR ($5::uuid IS NOT NULL AND url = $4))
      ORDER BY url LIMIT 50000
    ) next
  ) weighed WHERE so_far - weight < $7::int`;

const fromStretch = (index: string) => `
  SELECT (SELECT max(url) FROM i) AS last, ${asJson(index)}`;

const byInstance = `
  WITH i AS MATERIALIZED (${stretch("snapshots_total")}), found AS (
    SELECT ${found} FROM i JOIN test_snapshot s ON s.test_instance_id = i.id
    WHERE s.state = 'done' AND ($2::bytea[] IS NULL OR s.content_hash = ANY($2::bytea[])) AND ($5::uuid IS NULL OR i.url <> $4 OR s.id < $5)
    ORDER BY i.url, s.id DESC LIMIT $6
  )
  ${fromStretch(younger)}`;

const atIndex = `
  WITH i AS MATERIALIZED (${stretch("1")}), found AS (
    SELECT ${found} FROM i CROSS JOIN LATERAL (
      SELECT * FROM test_snapshot q WHERE q.test_instance_id = i.id AND q.state = 'done' ORDER BY q.id DESC LIMIT 1 OFFSET $8
    ) s
    WHERE ($2::bytea[] IS NULL OR s.content_hash = ANY($2::bytea[])) AND ($5::uuid IS NULL OR i.url <> $4)
    ORDER BY i.url LIMIT $6
  )
  ${fromStretch("$8::int")}`;

/**
 * Results by way of the instances, in their order: many contents, so that the next instances have some.
 * @param hashes null: all contents
 * @param weight snapshots that are looked at about
 * @returns `last`: URL of the last instance looked at, null where there was none
 */
export async function selectByInstance(
  db: Queryable,
  { objectId, instanceId, index }: Where,
  hashes: readonly Buffer[] | null,
  after: Place | null,
  limit: number,
  weight: number,
): Promise<{ rows: ResultRow[]; last: string | null }> {
  const values = [objectId, hashes, instanceId, after?.url ?? null, after?.snapshotId ?? null, limit, weight];
  const [row] = await db.query<{ rows: ResultRow[]; last: string | null }>(
    index === null ? byInstance : atIndex,
    index === null ? values : [...values, index],
  );
  return row ?? { rows: [], last: null };
}
