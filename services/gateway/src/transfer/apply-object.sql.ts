import type { Queryable } from "@web-tester/platform/database/database";
import { objectSettings } from "./object-settings.js";

const nextUrl = `SELECT url FROM import_row WHERE import_id = $1 AND list = 0 ORDER BY record LIMIT 1`;

/** The canonical address of the next object to write; records with one address are one object. */
export async function nextObject(tx: Queryable, importId: string): Promise<string | null> {
  const [row] = await tx.query<{ url: string }>(nextUrl, [importId]);
  return row?.url ?? null;
}

const records = `
  SELECT record, line, target_id, data FROM import_row WHERE import_id = $1 AND list = 0 AND url = $2 ORDER BY record`;

export interface StagedObject {
  record: number;
  line: number;
  target_id: string;
  data: Record<string, unknown> & { name: string };
}

export function stagedObjects(tx: Queryable, importId: string, url: string): Promise<StagedObject[]> {
  return tx.query<StagedObject>(records, [importId, url]);
}

/*
 * Two imports of one site at the same time follow one another. NO KEY: crawlers and fetchers, whose foreign keys lock the
 * row FOR KEY SHARE, are not held up. Of several objects with one address the one of that name is meant, else the oldest.
 */
const find = `
  SELECT id, name, deleting, auth_enabled AND auth_password_sealed IS NULL AS lacks_secret
  FROM test_object o WHERE url = ANY($1) ORDER BY name = $2 DESC, id LIMIT 1 FOR NO KEY UPDATE`;

// asked with the object locked: a deletion that began while we waited for it is seen too
const emptying = `SELECT 1 FROM run WHERE test_object_id = $1 AND state = 'running' AND kind LIKE 'delete-%' LIMIT 1`;

export interface KnownObject {
  id: string;
  name: string;
  deleting: boolean;
  emptying: boolean;
  /** Its pages are to be asked for with a secret that it does not have. */
  lacks_secret: boolean;
}

export async function findObject(tx: Queryable, urls: readonly string[], name: string): Promise<KnownObject | null> {
  await tx.query(`SELECT pg_advisory_xact_lock(7232, hashtext($1))`, [urls[0]]);
  const [row] = await tx.query<Omit<KnownObject, "emptying">>(find, [urls, name]);
  return row === undefined ? null : { ...row, emptying: (await tx.query(emptying, [row.id])).length > 0 };
}

/** Makes an object as a file describes it; what the file leaves out has the product's own default. */
export async function insertImported(tx: Queryable, url: string, { target_id, data }: StagedObject): Promise<void> {
  const given = objectSettings.filter((column) => data[column] !== undefined);
  const { sealed, created_at: createdAt } = data;
  const columns = ["id", "url", "name", "auth_password_sealed", "created_at", ...given];
  const values = [
    "$1",
    "$2",
    "$3",
    "decode($4, 'hex')",
    "coalesce(to_timestamp($5::float8 / 1000), now())",
    ...given.map((column) => `r.${column}`),
  ];
  // columns are names of our own list, and their types those of the table
  await tx.query(
    `INSERT INTO test_object (${columns.join(", ")}) SELECT ${values.join(", ")} FROM jsonb_populate_record(NULL::test_object, $6::jsonb) r`,
    [
      target_id,
      url,
      data.name,
      typeof sealed === "string" ? sealed : null,
      typeof createdAt === "number" ? createdAt : null,
      JSON.stringify(Object.fromEntries(given.map((column) => [column, data[column]]))),
    ],
  );
}

const fromObject = `
  FROM import_row o JOIN import_row i ON i.import_id = o.import_id AND i.list = 1 AND i.parent_id = o.source_id
  WHERE o.import_id = $1 AND o.list = 0 AND o.url = $2`;

const insertInstanceRows = `
  WITH given AS (
    SELECT i.url, i.record, i.data ${fromObject}
  ), fresh AS (
    INSERT INTO test_instance (test_object_id, url, name, created_at)
    SELECT $3, url, data ->> 'name', coalesce(to_timestamp((data ->> 'created_at')::float8 / 1000), now())
    FROM (SELECT DISTINCT ON (url) * FROM given ORDER BY url, record) g
    ON CONFLICT (test_object_id, url) DO NOTHING RETURNING 1
  )
  SELECT (SELECT count(*)::int FROM given) AS given, (SELECT count(DISTINCT url)::int FROM given) AS pages, (SELECT count(*)::int FROM fresh) AS fresh`;

const lockInstances = `
  SELECT t.id FROM test_instance t WHERE t.test_object_id = $3 AND t.url IN (SELECT i.url ${fromObject})
  ORDER BY t.id FOR NO KEY UPDATE`;

export interface Counted {
  /** Records of the file. */
  given: number;
  /** Of them those that were not there before. */
  fresh: number;
}

/** Instances of the object, merged by canonical address, and locked: none of them goes, or gets a snapshot, before the transaction is over. */
export async function insertInstances(
  tx: Queryable,
  importId: string,
  url: string,
  objectId: string,
): Promise<Counted> {
  const values = [importId, url, objectId];
  const insert = async () => {
    const [row] = await tx.query<Counted & { pages: number }>(insertInstanceRows, values);
    return row ?? { given: 0, pages: 0, fresh: 0 };
  };
  const { pages, ...counted } = await insert();
  const locked = await tx.query(lockInstances, values);
  // one that was there a moment ago was deleted by somebody else
  return locked.length === pages ? counted : { ...counted, fresh: counted.fresh + (await insert()).fresh };
}

const deleteGroup = `
  WITH instances AS (
    SELECT i.record, i.source_id ${fromObject}
  ), snapshots AS (
    DELETE FROM import_row s USING instances i WHERE s.import_id = $1 AND s.list = 2 AND s.parent_id = i.source_id
  ), gone AS (
    DELETE FROM import_row r USING instances i WHERE r.import_id = $1 AND r.list = 1 AND r.record = i.record
  )
  DELETE FROM import_row WHERE import_id = $1 AND list = 0 AND url = $2`;

/** Forgets the records of an object that is done with. */
export async function deleteStaged(tx: Queryable, importId: string, url: string): Promise<void> {
  await tx.query(deleteGroup, [importId, url]);
}

const countGroup = `
  SELECT count(DISTINCT i.record)::int AS instances, count(s.record)::int AS snapshots
  FROM import_row o JOIN import_row i ON i.import_id = o.import_id AND i.list = 1 AND i.parent_id = o.source_id
  LEFT JOIN import_row s ON s.import_id = i.import_id AND s.list = 2 AND s.parent_id = i.source_id
  WHERE o.import_id = $1 AND o.list = 0 AND o.url = $2`;

/** Records below an object, where they are not written. */
export async function countStaged(
  tx: Queryable,
  importId: string,
  url: string,
): Promise<{ instances: number; snapshots: number }> {
  const [row] = await tx.query<{ instances: number; snapshots: number }>(countGroup, [importId, url]);
  return row ?? { instances: 0, snapshots: 0 };
}
