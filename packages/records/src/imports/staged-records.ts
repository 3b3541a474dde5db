import type { ImportFault } from "@web-tester/contracts/entities/transfer";
import { transferList } from "@web-tester/contracts/entities/transfer";
import { limits } from "@web-tester/contracts/limits";
import type { Database, Queryable } from "@web-tester/platform/database/database";
import { markStoredOf } from "../contents/stored-contents.js";
import { requireReading } from "./held-content.js";

/** A record of a file, staged until the whole file has been read. */
export interface StagedRow {
  /** Position in the contract's transferList. */
  list: 0 | 1 | 2;
  record: number;
  line: number;
  source_id: string;
  parent_id: string | null;
  url: string | null;
  target_id: string | null;
  /** Hex. */
  hash: string | null;
  /** Bytes that the object store keeps; 0 when they were stored before. */
  stored_size: number;
  data: Record<string, unknown>;
}

const beat = `
  UPDATE import_job SET bytes = $2, total = total + $3, queued_at = now() WHERE id = $1 AND state = 'reading' RETURNING id`;

const insert = `
  WITH r AS (
    SELECT * FROM jsonb_to_recordset($2::jsonb) AS r (
      list smallint, record int, line int, source_id text, parent_id text, url text, target_id uuid, hash text, stored_size int, data jsonb)
  ), bytes AS (
    SELECT decode(hash, 'hex') AS content_hash, stored_size FROM r WHERE hash IS NOT NULL
  ), ${markStoredOf("bytes")}
  INSERT INTO import_row (import_id, list, record, line, source_id, parent_id, url, target_id, content_hash, data)
  SELECT $1, list, record, line, source_id, parent_id, url, target_id, decode(hash, 'hex'), data FROM r`;

/**
 * Stages records, and records the progress of the import.
 * @throws AppError conflict when the import is not reading any more
 */
export async function insertStaged(
  db: Database,
  importId: string,
  rows: readonly StagedRow[],
  bytes: number,
): Promise<void> {
  await db.transaction(async (tx) => {
    const [job] = await tx.query(beat, [importId, bytes, rows.length]);
    if (job === undefined) await requireReading(tx, importId);
    if (rows.length > 0) await tx.query(insert, [importId, storable(rows)]);
  });
}

/** Returns JSON text without characters that PostgreSQL refuses; texts nested in texts (headers) may still contain them. */
function storable(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) =>
    typeof item === "string" ? item.replaceAll("\0", "").toWellFormed() : item,
  );
}

const doubled = `
  SELECT list, record, line, source_id FROM (
    SELECT list, record, line, source_id, row_number() OVER (PARTITION BY list, source_id ORDER BY record) AS nth
    FROM import_row WHERE import_id = $1
  ) r WHERE nth > 1 ORDER BY list, record LIMIT $2`;
const orphans = `
  SELECT list, record, line, parent_id AS source_id FROM import_row r
  WHERE import_id = $1 AND list > 0
    AND NOT EXISTS (SELECT 1 FROM import_row p WHERE p.import_id = r.import_id AND p.list = r.list - 1 AND p.source_id = r.parent_id)
  ORDER BY list, record LIMIT $2`;

interface Misfit {
  list: number;
  record: number;
  line: number;
  source_id: string;
}

const words = ["test object", "instance", "snapshot"];

/** Returns records that do not fit together: two with the same id, and those that name a parent that is not in the file. */
export async function misfits(db: Queryable, importId: string): Promise<ImportFault[]> {
  // without it the planner believes that the table is empty, because the rows have only just been inserted
  await db.query(`ANALYZE import_row`);
  const said = (rows: readonly Misfit[], message: (row: Misfit) => string) =>
    rows.map((row) => ({
      list: transferList.options[row.list] ?? null,
      record: row.record,
      line: row.line,
      message: message(row),
    }));
  const max = limits.importFaultsKept;
  const twice = said(
    await db.query<Misfit>(doubled, [importId, max]),
    (row) => `id: another ${words[row.list]} of the file has the id “${row.source_id}” as well`,
  );
  const alone = said(await db.query<Misfit>(orphans, [importId, max]), (row) => {
    const parent = words[row.list - 1];
    return `${row.list === 1 ? "testobject_id" : "testinstance_id"}: the file holds no ${parent} with the id “${row.source_id}”`;
  });
  return [...twice, ...alone].slice(0, max);
}
