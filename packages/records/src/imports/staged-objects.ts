import type { Queryable } from "@web-tester/platform/database/database";

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

/** SQL: the instances that the records of one address have below them. Parameters: the import, the address. */
export const ofObject = `
  FROM import_row o JOIN import_row i ON i.import_id = o.import_id AND i.list = 1 AND i.parent_id = o.source_id
  WHERE o.import_id = $1 AND o.list = 0 AND o.url = $2`;

const deleteGroup = `
  WITH instances AS (
    SELECT i.record, i.source_id ${ofObject}
  ), snapshots AS (
    DELETE FROM import_row s USING instances i WHERE s.import_id = $1 AND s.list = 2 AND s.parent_id = i.source_id
  ), gone AS (
    DELETE FROM import_row r USING instances i WHERE r.import_id = $1 AND r.list = 1 AND r.record = i.record
  )
  DELETE FROM import_row WHERE import_id = $1 AND list = 0 AND url = $2`;

/** Forgets the staged records of an object that was written. */
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
