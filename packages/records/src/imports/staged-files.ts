import type { Database, Queryable } from "@web-tester/platform/database/database";
import { requireReading } from "./held-content.js";

/** A page of a web archive that waits for its files. */
export interface StagedPage {
  record: number;
  /** Hex. */
  hash: string;
  charset: string;
  /** When it was asked for, in milliseconds since 1970. */
  ms: number;
  /** Where it came from in the end. */
  url: string;
}

/** A file that a page needs, as snapshots of an import have it. */
export interface StagedFile {
  url: string;
  kind: string;
  /** Hex; missing where the archive did not hold it. */
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

/** Pages of an import by their place in its file. */
export function stagedPages(db: Queryable, importId: string, after: number, limit: number): Promise<StagedPage[]> {
  return db.query<StagedPage>(pages, [importId, after, limit]);
}

const set = `
  UPDATE import_row r SET data = jsonb_set(r.data, '{assets}', f.assets)
  FROM jsonb_to_recordset($2::jsonb) AS f (record int, assets jsonb) WHERE r.import_id = $1 AND r.list = 2 AND r.record = f.record`;

/** @throws AppError conflict where the import is not reading any more */
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
