import type { Queryable } from "@web-tester/platform/database/database";
import { type ContentKey, contentKey } from "./select-contents.sql.js";

/** The part of an object that is searched. `instanceId`, `index`: null for all. */
export interface Where {
  objectId: string;
  instanceId: string | null;
  index: number | null;
}

/** A snapshot whose content has one of the hashes that are looked for. */
export interface ResultRow {
  instanceId: string;
  instanceName: string;
  instanceUrl: string;
  snapshotId: string;
  number: number;
  /** ISO 8601 with any offset. */
  createdAt: string;
  key: ContentKey;
}

/** A place in the list of results. `snapshotId` null: behind all results of its instance. */
export interface Place {
  url: string;
  snapshotId: string | null;
}

const columns = `
  i.id AS "instanceId", i.name AS "instanceName", i.url AS "instanceUrl", s.id AS "snapshotId", s.number, s.created_at AS "createdAt",
  ${contentKey("s")} AS key`;

/** SQL: the rows as JSON, in which times keep their microseconds. */
const asRows = `coalesce((SELECT json_agg(f ORDER BY f."instanceUrl", f."snapshotId" DESC) FROM found f), '[]') AS rows`;

/** SQL: finished snapshots of an instance, of which `picked` selects all or one. */
const snapshotsOf = (picked: string) => `
  SELECT * FROM test_snapshot q WHERE q.test_instance_id = i.id AND q.state = 'done' ORDER BY q.id DESC ${picked}`;

const isBehind = `($4::text IS NULL OR i.url > $4 OR (i.url = $4 AND s.id < $5::uuid))`;

/*
 * SQL: selects the snapshots first, materialised: PostgreSQL would otherwise walk through thousands of instances in their order until
 * it has met enough of them. One row more than `$7` tells that there are too many.
 */
const hits = `
  hit AS MATERIALIZED (
    SELECT id, test_instance_id, number, created_at, content_hash, charset FROM test_snapshot
    WHERE content_hash = ANY($2::bytea[]) AND state = 'done' LIMIT $7::int + 1
  ), at AS MATERIALIZED (SELECT DISTINCT test_instance_id AS id FROM hit)`;
const ofHits = (snapshots: string) => `
  WITH ${hits}, found AS (
    SELECT ${columns} FROM at CROSS JOIN LATERAL (SELECT * FROM test_instance t WHERE t.id = at.id LIMIT 1) i ${snapshots}
    WHERE i.test_object_id = $1 AND i.removal_id IS NULL AND ($3::uuid IS NULL OR i.id = $3) AND ${isBehind} AND s.content_hash = ANY($2::bytea[])
    ORDER BY i.url, s.id DESC LIMIT $6
  )
  SELECT (SELECT count(*) FROM hit) > $7::int AS many, ${asRows}`;
const byContent = ofHits(`JOIN hit s ON s.test_instance_id = i.id`);
const byContentAtIndex = ofHits(`CROSS JOIN LATERAL (${snapshotsOf("LIMIT 1 OFFSET $8")}) s`);

/**
 * Selects results by their contents, whose snapshots are found by an index.
 * @param snapshotsMax null is returned where the contents have more snapshots
 */
export async function selectByContent(
  db: Queryable,
  { objectId, instanceId, index }: Where,
  hashes: readonly Buffer[],
  after: Place | null,
  limit: number,
  snapshotsMax: number,
): Promise<ResultRow[] | null> {
  const values = [objectId, hashes, instanceId, after?.url ?? null, after?.snapshotId ?? null, limit, snapshotsMax];
  const [row] = await db.query<{ many: boolean; rows: ResultRow[] }>(
    index === null ? byContent : byContentAtIndex,
    index === null ? values : [...values, index],
  );
  return row === undefined || row.many ? null : row.rows;
}

/** SQL: the next instances, at most `$5`, and as many as have `$6` snapshots together. */
const nextInstances = `
  SELECT id, url FROM (
    SELECT id, url, sum(snapshots_total) OVER (ORDER BY url) - snapshots_total AS before
    FROM (
      SELECT id, url, snapshots_total FROM test_instance
      WHERE test_object_id = $1 AND removal_id IS NULL AND ($2::uuid IS NULL OR id = $2) AND ($3::text IS NULL OR url > $3 OR ($4 AND url = $3))
      ORDER BY url LIMIT $5
    ) next
  ) weighed WHERE before < $6::int`;

const stretch = (picked: string) => `
  WITH i AS MATERIALIZED (${nextInstances}), had AS (
    SELECT DISTINCT content_hash, charset
    FROM i CROSS JOIN LATERAL (SELECT content_hash, charset FROM (${snapshotsOf(picked)}) q) s WHERE content_hash IS NOT NULL
  )
  SELECT (SELECT max(url) FROM i) AS last, (SELECT coalesce(json_agg(${contentKey("had")}), '[]') FROM had) AS contents`;
const stretchOfAll = stretch("");
const stretchAtIndex = stretch("LIMIT 1 OFFSET $7");

/** Consecutive instances in the order of results. */
export interface Stretch {
  /** URL of the last instance. */
  last: string;
  /** The distinct contents of their snapshots. */
  contents: ContentKey[];
}

/** Roughly the most snapshots in one stretch. */
const stretchMaxSnapshots = 200_000;

/**
 * Selects the contents of the next instances in the order of results; null where there are no more.
 * @param most instances at most
 */
export async function selectStretch(
  db: Queryable,
  { objectId, instanceId, index }: Where,
  after: Place | null,
  most: number,
): Promise<Stretch | null> {
  const values = [objectId, instanceId, after?.url ?? null, after?.snapshotId != null, most, stretchMaxSnapshots];
  const [row] = await db.query<{ last: string | null; contents: ContentKey[] }>(
    index === null ? stretchOfAll : stretchAtIndex,
    index === null ? values : [...values, index],
  );
  return row === undefined || row.last === null ? null : { last: row.last, contents: row.contents };
}

const within = (picked: string) => `
  WITH found AS (
    SELECT ${columns} FROM (
      SELECT id, name, url FROM test_instance
      WHERE test_object_id = $1 AND removal_id IS NULL AND ($3::uuid IS NULL OR id = $3) AND url <= $7 AND ($4::text IS NULL OR url > $4 OR ($5::uuid IS NOT NULL AND url = $4))
      ORDER BY url
    ) i CROSS JOIN LATERAL (SELECT * FROM (${snapshotsOf(picked)}) q WHERE content_hash = ANY($2::bytea[])) s
    WHERE ${isBehind} ORDER BY i.url, s.id DESC LIMIT $6
  )
  SELECT ${asRows}`;
const withinAll = within("");
const withinAtIndex = within("LIMIT 1 OFFSET $8");

/**
 * Selects results of instances up to the given one.
 * @param last its URL
 */
export async function selectWithin(
  db: Queryable,
  { objectId, instanceId, index }: Where,
  hashes: readonly Buffer[],
  after: Place | null,
  last: string,
  limit: number,
): Promise<ResultRow[]> {
  const values = [objectId, hashes, instanceId, after?.url ?? null, after?.snapshotId ?? null, limit, last];
  const [row] = await db.query<{ rows: ResultRow[] }>(
    index === null ? withinAll : withinAtIndex,
    index === null ? values : [...values, index],
  );
  return row?.rows ?? [];
}

/** Counts, by snapshot, the younger finished snapshots of the same instance, which is its index. */
export async function selectIndexes(db: Queryable, snapshotIds: readonly string[]): Promise<Map<string, number>> {
  const rows = await db.query<{ id: string; index: number }>(
    `SELECT s.id, (SELECT count(*)::int FROM test_snapshot n WHERE n.test_instance_id = s.test_instance_id AND n.state = 'done' AND n.id > s.id) AS index
     FROM test_snapshot s WHERE s.id = ANY($1)`,
    [snapshotIds],
  );
  return new Map(rows.map(({ id, index }) => [id, index]));
}
