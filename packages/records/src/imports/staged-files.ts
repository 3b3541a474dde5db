import type { Database, Queryable } from "@web-tester/platform/database/database";
import { requireReading } from "./held-content.js";

/** A page of a web archive whose files are still to be found. */
export interface StagedPage {
  record: number;
  /** Hex. */
  hash: string;
  charset: string;
  /** When it was requested, in milliseconds since 1970. */
  ms: number;
  /** Its address after redirects. */
  url: string;
}

/** A file that a page needs, as snapshots of an import have it. */
export interface StagedFile {
  url: string;
  kind: string;
  /** Hex; absent when the archive did not contain the file. */
  sha256?: string;
  content_type: string;
  extension: string;
  error?: string;
}

const pages = `
  SELECT s.record, encode(s.content_hash, 'hex') AS hash, coalesce(s.data ->> 'charset', 'utf-8') AS charset, (s.data ->> 'created_at')::float8 AS ms,
    coalesce(s.data ->> 'final_url', i.url) AS url
  FROM import_row s JOIN import_row i ON i.import_id = s.import_id AND i.list = 1 AND i.source_id = s.parent_id
  WHERE s.import_id = $1 AND s.list = 2 AND s.record > $2 AND s.content_hash IS NOT NULL ORDER BY s.record LIMIT $3`;

/** Returns pages of an import in the order of its file. @param after record number of the last page of the previous part */
export function stagedPages(db: Queryable, importId: string, after: number, limit: number): Promise<StagedPage[]> {
  return db.query<StagedPage>(pages, [importId, after, limit]);
}

const set = `
  UPDATE import_row r SET data = jsonb_set(r.data, '{assets}', f.assets)
  FROM jsonb_to_recordset($2::jsonb) AS f (record int, assets jsonb) WHERE r.import_id = $1 AND r.list = 2 AND r.record = f.record`;

/** Sets the files of staged pages. @throws AppError conflict when the import is not reading any more */
export async function setStagedFiles(
  db: Database,
  importId: string,
  rows: readonly { record: number; assets: readonly StagedFile[] }[],
): Promise<void> {
  if (rows.length === 0) return;
  await db.transaction(async (tx) => {
    await requireReading(tx, importId);
    await tx.query(set, [importId, JSON.stringify(rows)]);
  });
}
