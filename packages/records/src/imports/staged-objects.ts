import type { Queryable } from "@web-tester/platform/database/database";

/*
 * Records with the same address are one test object, unless they have different names: a site can be watched twice, for example as seen by
 * a phone and by a desktop. A record without a name belongs to the first one that has a name. All records of an object get the same
 * `target_id`; if there are several objects at one address, their records are marked, because only their names distinguish them.
 */
const join = `
  WITH named AS (
    SELECT record, url, target_id, coalesce(given, first_value(given) OVER (PARTITION BY url ORDER BY given IS NULL, record)) AS name
    FROM (SELECT record, url, target_id, CASE WHEN (data ->> 'named')::boolean THEN data ->> 'name' END AS given
      FROM import_row WHERE import_id = $1 AND list = 0) o
  ), joined AS (
    SELECT record, first_value(target_id) OVER (PARTITION BY url, name ORDER BY record) AS target_id,
      min(name) OVER (PARTITION BY url) <> max(name) OVER (PARTITION BY url) AS several, count(*) OVER (PARTITION BY url) AS records
    FROM named
  )
  UPDATE import_row r SET target_id = j.target_id, data = r.data || jsonb_build_object('several', j.several)
  FROM joined j WHERE r.import_id = $1 AND r.list = 0 AND r.record = j.record AND j.records > 1`;

/** Finds out which records are one test object; call it when the whole file is staged. */
export async function joinStaged(db: Queryable, importId: string): Promise<void> {
  await db.query(join, [importId]);
}

const next = `SELECT url, target_id AS target FROM import_row WHERE import_id = $1 AND list = 0 ORDER BY record LIMIT 1`;

/** The next test object to write: its canonical address, and the `target_id` of its records. */
export interface NextObject {
  url: string;
  target: string;
}

export async function nextObject(tx: Queryable, importId: string): Promise<NextObject | null> {
  const [row] = await tx.query<NextObject>(next, [importId]);
  return row ?? null;
}

const records = `
  SELECT record, line, target_id, data FROM import_row WHERE import_id = $1 AND list = 0 AND target_id = $2 ORDER BY record`;

export interface StagedObject {
  record: number;
  line: number;
  target_id: string;
  data: Record<string, unknown> & { name: string; several?: boolean | null };
}

export function stagedObjects(tx: Queryable, importId: string, target: string): Promise<StagedObject[]> {
  return tx.query<StagedObject>(records, [importId, target]);
}

/** SQL: the instances below the records of one object. Parameters: the import, the target. */
export const ofObject = `
  FROM import_row o JOIN import_row i ON i.import_id = o.import_id AND i.list = 1 AND i.parent_id = o.source_id
  WHERE o.import_id = $1 AND o.list = 0 AND o.target_id = $2`;

const deleteGroup = `
  WITH instances AS (
    SELECT i.record, i.source_id ${ofObject}
  ), snapshots AS (
    DELETE FROM import_row s USING instances i WHERE s.import_id = $1 AND s.list = 2 AND s.parent_id = i.source_id
  ), gone AS (
    DELETE FROM import_row r USING instances i WHERE r.import_id = $1 AND r.list = 1 AND r.record = i.record
  )
  DELETE FROM import_row WHERE import_id = $1 AND list = 0 AND target_id = $2`;

/** Deletes the staged records of an object that was written. */
export async function deleteStaged(tx: Queryable, importId: string, target: string): Promise<void> {
  await tx.query(deleteGroup, [importId, target]);
}

const countGroup = `
  SELECT count(DISTINCT i.record)::int AS instances, count(s.record)::int AS snapshots
  FROM import_row o JOIN import_row i ON i.import_id = o.import_id AND i.list = 1 AND i.parent_id = o.source_id
  LEFT JOIN import_row s ON s.import_id = i.import_id AND s.list = 2 AND s.parent_id = i.source_id
  WHERE o.import_id = $1 AND o.list = 0 AND o.target_id = $2`;

/** Counts the records below an object that is not written. */
export async function countStaged(
  tx: Queryable,
  importId: string,
  target: string,
): Promise<{ instances: number; snapshots: number }> {
  const [row] = await tx.query<{ instances: number; snapshots: number }>(countGroup, [importId, target]);
  return row ?? { instances: 0, snapshots: 0 };
}
