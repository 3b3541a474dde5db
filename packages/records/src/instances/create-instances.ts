import type { Queryable } from "@web-tester/platform/database/database";
import { prepared } from "@web-tester/platform/database/statement";

/** A page's address and name. */
export interface NamedUrl {
  url: string;
  name: string;
}

const upsert = prepared(`
  INSERT INTO test_instance (test_object_id, url, name)
  SELECT $1, f.url, f.name FROM unnest($2::text[], $3::text[]) AS f (url, name) ORDER BY f.url
  ON CONFLICT (test_object_id, url) DO UPDATE SET name = EXCLUDED.name WHERE test_instance.name <> EXCLUDED.name
  RETURNING (xmax = 0) AS inserted`);

/**
 * Creates instances for addresses; existing ones get the new names.
 * @param pages each address once.
 * @returns how many were created
 */
export async function makeInstances(tx: Queryable, objectId: string, pages: readonly NamedUrl[]): Promise<number> {
  const rows = await tx.query<{ inserted: boolean }>(upsert, values(objectId, pages));
  return rows.filter((row) => row.inserted).length;
}

const insert = `
  INSERT INTO test_instance (test_object_id, url, name)
  SELECT $1, e.url, e.name FROM unnest($2::text[], $3::text[]) AS e (url, name) ORDER BY e.url
  ON CONFLICT (test_object_id, url) DO NOTHING
  RETURNING id`;

/** Like `makeInstances`, but existing instances keep their names. */
export async function makeMissing(tx: Queryable, objectId: string, pages: readonly NamedUrl[]): Promise<number> {
  return (await tx.query(insert, values(objectId, pages))).length;
}

function values(objectId: string, pages: readonly NamedUrl[]): unknown[] {
  return [objectId, pages.map(({ url }) => url), pages.map(({ name }) => name.replaceAll("\0", "").toWellFormed())];
}

const ensure = `
  INSERT INTO test_instance (test_object_id, url, name) VALUES ($1, $2, $3)
  ON CONFLICT (test_object_id, url) DO UPDATE SET name = test_instance.name
  RETURNING id`;

/** Creates the instance of an address, or finds the existing one. @returns its id */
export async function ensureInstance(tx: Queryable, objectId: string, url: string, name: string): Promise<string> {
  const [row] = await tx.query<{ id: string }>(ensure, [objectId, url, name]);
  if (row === undefined) throw new Error("INSERT … RETURNING gave no row");
  return row.id;
}

/** @returns the object that an instance belongs to, or null */
export async function objectOfInstance(tx: Queryable, instanceId: string): Promise<string | null> {
  const [row] = await tx.query<{ test_object_id: string }>(`SELECT test_object_id FROM test_instance WHERE id = $1`, [
    instanceId,
  ]);
  return row?.test_object_id ?? null;
}
