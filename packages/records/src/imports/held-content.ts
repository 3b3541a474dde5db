import { AppError } from "@web-tester/contracts/errors";
import type { Database, Queryable } from "@web-tester/platform/database/database";
import { awaitRemovals, noteTouched } from "../contents/touch-contents.js";

const lockOpen = `SELECT state, error FROM import_job WHERE id = $1 FOR SHARE`;

/**
 * Locks an import in the state `reading` until the end of the transaction.
 * @throws AppError conflict when it has ended meanwhile, with the import's own error
 */
export async function requireReading(tx: Queryable, importId: string): Promise<void> {
  const [job] = await tx.query<{ state: string; error: string | null }>(lockOpen, [importId]);
  if (job?.state !== "reading")
    throw new AppError("conflict", job?.error ?? "The import was cancelled. Nothing was imported.");
}

const hold = `
  INSERT INTO import_content (import_id, content_hash) SELECT $1, decode(hash, 'hex') FROM unnest($2::text[]) AS h (hash) ORDER BY 2
  ON CONFLICT DO NOTHING`;
/* Queried after the rows are held, because then the collector has decided about everything that it was removing. */
const unstored = `SELECT encode(hash, 'hex') AS hash FROM content WHERE hash = ANY (SELECT decode(h, 'hex') FROM unnest($1::text[]) AS h) AND NOT stored`;
/** foreign_key_violation */
const isGone = (error: unknown): boolean => error instanceof Error && "code" in error && error.code === "23503";
const triesMax = 10;

/**
 * Protects bytes of an import from collection before they are written, until the import is over, however long that takes.
 * @param contents distinct hashes (hex) with sizes in bytes
 * @returns hashes that still have to be written
 * @throws AppError conflict when the import is not reading any more
 */
export async function holdContent(
  db: Database,
  importId: string,
  contents: ReadonlyMap<string, number>,
): Promise<Set<string>> {
  const hashes = [...contents.keys()];
  for (let tries = 1; ; tries++) {
    try {
      const missing = await db.transaction(async (tx) => {
        await requireReading(tx, importId);
        // announced and held in one transaction, so that the collector cannot come between the two
        await noteTouched(tx, contents);
        await tx.query(hold, [importId, hashes]);
        const rows = await tx.query<{ hash: string }>(unstored, [hashes]);
        return new Set(rows.map(({ hash }) => hash));
      });
      await awaitRemovals(db, missing);
      return missing;
    } catch (error) {
      // announcing does not lock a row that was announced lately, so it may have been collected between the two statements
      if (!isGone(error) || tries >= triesMax) throw error;
    }
  }
}

/** Releases the records and bytes that imports hold. Call it in the transaction that ends them. */
export async function releaseImports(tx: Queryable, importIds: readonly string[]): Promise<void> {
  await tx.query(`DELETE FROM import_row WHERE import_id = ANY($1)`, [importIds]);
  await tx.query(`DELETE FROM import_content WHERE import_id = ANY($1)`, [importIds]);
}

const lost = `
  SELECT count(*)::int AS lost FROM import_content i JOIN content c ON c.hash = i.content_hash WHERE i.import_id = $1 AND NOT c.stored`;

/** @throws AppError content_missing when bytes of the import were lost since they arrived */
export async function requireHeld(tx: Queryable, importId: string): Promise<void> {
  const [row] = await tx.query<{ lost: number }>(lost, [importId]);
  if (row !== undefined && row.lost > 0) throw lostFiles(row.lost);
}

const lostOfObject = `
  WITH snapshots AS (
    SELECT s.content_hash, s.data FROM import_row o
    JOIN import_row i ON i.import_id = o.import_id AND i.list = 1 AND i.parent_id = o.source_id
    JOIN import_row s ON s.import_id = i.import_id AND s.list = 2 AND s.parent_id = i.source_id
    WHERE o.import_id = $1 AND o.list = 0 AND o.target_id = $2
  ), needed AS (
    SELECT content_hash AS hash FROM snapshots WHERE content_hash IS NOT NULL
    UNION
    SELECT decode(a.sha256, 'hex') FROM snapshots, jsonb_to_recordset(data -> 'assets') AS a (sha256 text) WHERE a.sha256 IS NOT NULL
  )
  SELECT count(*)::int AS lost FROM needed n LEFT JOIN content c ON c.hash = n.hash WHERE c.stored IS NOT TRUE`;

/**
 * Like `requireHeld`, for the bytes of one object before it is written.
 * @param target the `target_id` of its records
 */
export async function requireHeldOf(tx: Queryable, importId: string, target: string): Promise<void> {
  const [row] = await tx.query<{ lost: number }>(lostOfObject, [importId, target]);
  if (row !== undefined && row.lost > 0) throw lostFiles(row.lost);
}

function lostFiles(count: number): AppError {
  return new AppError(
    "content_missing",
    `${count === 1 ? "A page or file" : `${count} pages or files`} of the import ${count === 1 ? "was" : "were"} lost from the object store after the upload. Look after the store, then import the file again`,
  );
}
