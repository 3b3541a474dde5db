import { type Route, route, type RouteInput } from "@web-tester/contracts/entities/notifications";
import type { Queryable } from "@web-tester/platform/database/database";

interface StoredRoute {
  id: string;
  channel_id: string;
  test_object_id: string | null;
  spec: object;
  created_at: Date;
}

const columns = "r.id, r.channel_id, r.test_object_id, r.spec, r.created_at";

const toRoute = ({ spec, test_object_id: objectId, created_at: createdAt, ...row }: StoredRoute): Route =>
  route.parse({ ...spec, ...row, testobject_id: objectId, created_at: createdAt.toISOString() });

/** A route with the time at which it was last muted no more; null where it never was. */
export interface TellingRoute extends Route {
  toldSince: string | null;
}

/** All routes in the order of their creation. */
export async function selectRoutes(db: Queryable): Promise<Route[]> {
  return (await db.query<StoredRoute>(`SELECT ${columns} FROM route r ORDER BY r.created_at, r.id`)).map(toRoute);
}

/** Returns the routes that apply to an object (its own, those of its tags and those of all objects) and whose channel is enabled. */
export async function selectRoutesOf(db: Queryable, objectId: string): Promise<TellingRoute[]> {
  const rows = await db.query<StoredRoute & { unmuted_at: string | null }>(
    `SELECT ${columns}, r.spec ->> 'unmuted_at' AS unmuted_at FROM route r JOIN channel c ON c.id = r.channel_id AND c.enabled
     LEFT JOIN test_object o ON o.id = $1
     WHERE r.test_object_id = $1
       OR (r.test_object_id IS NULL AND (coalesce(r.spec ->> 'tag', '') = '' OR r.spec ->> 'tag' = ANY (o.tags)))
     ORDER BY r.id`,
    [objectId],
  );
  return rows.map(({ unmuted_at: unmutedAt, ...row }) => {
    const told = toRoute(row);
    return { ...told, toldSince: told.muted_until ?? unmutedAt };
  });
}

/** Serialises the creation of routes until the transaction ends, so that two equal ones cannot be created at once. */
export async function lockRoutes(tx: Queryable): Promise<void> {
  await tx.query(`SELECT pg_advisory_xact_lock(hashtextextended('web-tester:routes', 0))`);
}

/** Returns a route, locked until the transaction ends; null when there is none. */
export async function lockRoute(tx: Queryable, id: string): Promise<Route | null> {
  const [row] = await tx.query<StoredRoute>(`SELECT ${columns} FROM route r WHERE r.id = $1 FOR UPDATE`, [id]);
  return row === undefined ? null : toRoute(row);
}

const insert = `INSERT INTO route AS r (channel_id, test_object_id, spec) VALUES ($1, $2, $3::jsonb) RETURNING ${columns}`;
/* A mute that is ended by hand, or cleared after its end, leaves the time of its end, because what began to fail meanwhile is still to be told. */
const unmutedAt = `
  CASE WHEN $3::jsonb ->> 'muted_until' IS NULL AND r.spec ->> 'muted_until' IS NOT NULL
    THEN to_jsonb(least((r.spec ->> 'muted_until')::timestamptz, now())) ELSE r.spec -> 'unmuted_at' END`;
const update = `
  UPDATE route r SET channel_id = $1, test_object_id = $2, spec = $3::jsonb || jsonb_strip_nulls(jsonb_build_object('unmuted_at', ${unmutedAt}))
  WHERE id = $4 RETURNING ${columns}`;

/** Inserts or updates a route. @param id id of the route to change; null for a new one */
export async function putRoute(tx: Queryable, id: string | null, input: RouteInput): Promise<Route> {
  const { channel_id: channelId, testobject_id: objectId, ...spec } = input;
  const values = [channelId, objectId, JSON.stringify(spec), ...(id === null ? [] : [id])];
  const [row] = await tx.query<StoredRoute>(id === null ? insert : update, values);
  if (row === undefined) throw new Error("RETURNING gave no row");
  return toRoute(row);
}

/** @returns whether there was such a route */
export async function deleteRoute(tx: Queryable, id: string): Promise<boolean> {
  return (await tx.query(`DELETE FROM route WHERE id = $1 RETURNING id`, [id])).length > 0;
}
