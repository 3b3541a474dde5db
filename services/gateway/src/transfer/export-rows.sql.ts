import type { TakenWith } from "@web-tester/contracts/visitor";
import type { Queryable } from "@web-tester/platform/database/database";
import { settingNames } from "@web-tester/contracts/object-settings";
import { finalUrlOf } from "@web-tester/records/snapshots/final-url";

/* SQL: a route as files contain it: with its channel, but without the channel's address and secrets. */
const routeRecord = `(r.spec || jsonb_build_object('channel', c.settings || jsonb_build_object('kind', c.kind, 'name', c.name)))`;

/**
 * SQL: an object as files contain it, with the rules that hold for all objects. Only which secrets it has is exported, so that
 * importers can be told to enter them again.
 */
const objectColumns = `id, name, url, ${settingNames.join(", ")}, auth_password_sealed IS NOT NULL AS auth_password_set, request_header_names,
  login_sealed IS NOT NULL AS login_set, created_at,
  (SELECT json_agg(r.spec || jsonb_build_object('path', r.path, 'note', r.note, 'enabled', r.enabled) ORDER BY r.id)
   FROM ignore_rule r WHERE (r.test_object_id = o.id OR r.test_object_id IS NULL) AND r.state = 'active') AS ignore_rules,
  (SELECT json_agg(s.spec ORDER BY s.id) FROM schedule s WHERE s.test_object_id = o.id) AS schedules,
  (SELECT json_agg(${routeRecord} - 'tag' ORDER BY r.id) FROM route r JOIN channel c ON c.id = r.channel_id
   WHERE r.test_object_id = o.id OR ($1::uuid IS NOT NULL AND r.test_object_id IS NULL
     AND (coalesce(r.spec ->> 'tag', '') = '' OR r.spec ->> 'tag' = ANY (o.tags)))) AS routes`;

const routesOfAll = `
  SELECT ${routeRecord} AS route FROM route r JOIN channel c ON c.id = r.channel_id WHERE r.test_object_id IS NULL ORDER BY r.id`;

export interface ExportedObject {
  id: string;
  name: string;
  asset_snapshots: boolean;
  created_at: Date;
  /** Rules for what does not count as a change on it; missing where there are none. */
  ignore_rules?: unknown[];
  /** Its schedules; missing where there are none. */
  schedules?: unknown[];
  /** The routes that cover it, without addresses and secrets of channels; missing where there are none. */
  routes?: unknown[];
  /** Only with the first of all objects: the routes that cover all objects. In a file of one object these are among its own. */
  routes_of_all?: unknown[];
}

const isGoing = `EXISTS (SELECT 1 FROM removal w WHERE w.test_object_id = o.id AND w.kind = 'delete-object')`;

/**
 * Selects objects for an export. An object with a pending deletion is left out of exports of all objects, as it is left out of lists.
 * @param objectId null for all
 */
export async function selectExportedObjects(db: Queryable, objectId: string | null): Promise<ExportedObject[]> {
  const rows = await db.query<ExportedObject & Record<"ignore_rules" | "schedules" | "routes", unknown[] | null>>(
    `SELECT ${objectColumns} FROM test_object o WHERE NOT deleting AND ($1::uuid IS NULL AND NOT ${isGoing} OR id = $1) ORDER BY id`,
    [objectId],
  );
  const ofAll = objectId === null ? await db.query<{ route: unknown }>(routesOfAll, []) : [];
  return rows.map(({ ignore_rules: rules, schedules, routes, ...row }, index) => ({
    ...row,
    ...(rules === null ? {} : { ignore_rules: rules }),
    ...(schedules === null ? {} : { schedules }),
    ...(routes === null ? {} : { routes }),
    ...(index > 0 || ofAll.length === 0 ? {} : { routes_of_all: ofAll.map(({ route }) => route) }),
  }));
}

const deletedSince = `
  SELECT e.name FROM unnest($1::uuid[], $2::text[]) AS e (id, name) LEFT JOIN test_object o ON o.id = e.id
  WHERE o.id IS NULL OR o.deleting
     OR EXISTS (SELECT 1 FROM run r WHERE r.test_object_id = e.id AND r.kind LIKE 'delete-%' AND r.created_at >= $3) LIMIT 1`;

/**
 * Returns the name of an object of which something was deleted since a time, by a person and not by its retention rules; null if there is
 * none.
 * @param since by the database's clock
 */
export async function selectDeletedSince(
  db: Queryable,
  objects: readonly ExportedObject[],
  since: Date,
): Promise<string | null> {
  const [row] = await db.query<{ name: string }>(deletedSince, [
    objects.map(({ id }) => id),
    objects.map(({ name }) => name),
    since,
  ]);
  return row?.name ?? null;
}

export interface ExportedInstance {
  id: string;
  name: string;
  url: string;
  created_at: Date;
}

/** Selects instances by address, which is the order of the index. */
export function selectExportedInstances(
  db: Queryable,
  objectId: string,
  afterUrl: string,
  limit: number,
): Promise<ExportedInstance[]> {
  return db.query<ExportedInstance>(
    `SELECT id, name, url, created_at FROM test_instance WHERE test_object_id = $1 AND removal_id IS NULL AND url > $2 ORDER BY url LIMIT $3`,
    [objectId, afterUrl, limit],
  );
}

export interface ExportedSnapshot {
  id: string;
  testinstance_id: string;
  created_at: Date;
  fetched_at: Date | null;
  state: string;
  hash: string | null;
  size: number;
  charset: string | null;
  headers: Record<string, unknown> | null;
  http_status: number | null;
  final_url: string | null;
  redirects: { url: string; status: number }[] | null;
  error_code: string | null;
  error: string | null;
  warning: string | null;
  duration_ms: number | null;
  fetch_mode_used: string | null;
  taken_with: TakenWith | null;
}

const snapshotColumns = `
  s.id, s.test_instance_id AS testinstance_id, s.created_at, s.fetched_at, s.state, encode(s.content_hash, 'hex') AS hash, coalesce(c.size, 0) AS size,
  s.charset, s.headers, s.http_status, ${finalUrlOf("s")} AS final_url, s.redirects, s.error_code, s.error, s.warning, s.duration_ms, s.fetch_mode_used, s.taken_with`;

// unfinished snapshots are not exported, because nothing would finish them where the file is imported
const snapshots = `
  SELECT ${snapshotColumns} FROM test_snapshot s LEFT JOIN content c ON c.hash = s.content_hash
  WHERE s.test_instance_id = ANY($1) AND (s.test_instance_id, s.id) > ($2, $3) AND s.state NOT IN ('queued', 'running')
  ORDER BY s.test_instance_id, s.id LIMIT $4`;

/** Selects finished snapshots of some instances, ordered by instance and time. */
export function selectExportedSnapshots(
  db: Queryable,
  instanceIds: readonly string[],
  after: { testinstance_id: string; id: string },
  limit: number,
): Promise<ExportedSnapshot[]> {
  return db.query<ExportedSnapshot>(snapshots, [instanceIds, after.testinstance_id, after.id, limit]);
}

export const firstId = "00000000-0000-0000-0000-000000000000";
