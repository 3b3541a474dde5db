import { createHash } from "node:crypto";
import type { Database, Queryable } from "@web-tester/platform/database/database";
import { prepared } from "@web-tester/platform/database/statement";
import { storableJson } from "../snapshots/storable-json.js";

/** A file as a row of a list; see the entity. `hash` in hex, null when the file is missing. */
export interface FinishedAsset {
  url: string;
  base_url: string | null;
  kind: string;
  hash: string | null;
  content_type: string;
  extension: string;
  error: string | null;
}

/** The files of a page of an object, with their `digestList` in hex. */
export interface FoundFiles {
  objectId: string;
  digest: string;
  files: readonly FinishedAsset[];
}

/** Milliseconds for which a list without a snapshot is kept: writers of snapshots touch the list at most half this time before they refer to it. */
export const listGraceMs = 60 * 60_000;

const separator = "\u001f";

/** Returns one hash over the files and all that is kept of them, regardless of their order. @returns hex */
export function digestList(files: readonly FinishedAsset[]): string {
  const lines = files
    .map((file) => [
      file.url,
      file.base_url ?? "",
      file.kind,
      file.hash ?? "",
      file.content_type,
      file.extension,
      file.error ?? "",
    ])
    .toSorted(([one = ""], [other = ""]) => (one < other ? -1 : 1))
    .map((fields) => fields.join(separator));
  return createHash("sha256").update(lines.join("\n")).digest("hex");
}

/** SQL: the same as `digestList`. @param rows FROM item with the columns of a list's rows, `hash` in hex */
export const digestOfRows = (rows: string) => `
  SELECT sha256(convert_to(coalesce(string_agg(concat_ws(E'\\x1f', url, coalesce(base_url, ''), kind, coalesce(hash, ''), content_type, extension, coalesce(error, '')),
    E'\\n' ORDER BY url COLLATE "C"), ''), 'UTF8')) FROM ${rows}`;

const touch = `UPDATE file_list l SET touched_at = now() FROM found f WHERE l.id = f.id AND NOT f.fresh RETURNING l.id`;
const isFresh = `touched_at > now() - interval '${listGraceMs / 2} ms' AS fresh`;

const find = prepared(`
  WITH found AS (
    SELECT l.id, l.test_object_id, l.digest, ${isFresh} FROM unnest($1::uuid[], $2::text[]) AS w (object_id, digest)
    JOIN file_list l ON l.test_object_id = w.object_id AND l.digest = decode(w.digest, 'hex')
  ), touched AS (${touch})
  SELECT id, test_object_id AS "objectId", encode(digest, 'hex') AS digest FROM found WHERE fresh OR id IN (SELECT id FROM touched)`);

/** SQL: writes the rows of lists. @param files SELECT of list, address, base address, kind, hash, content type, extension, error */
export const insertAssets = (files: string) => `
  INSERT INTO snapshot_asset (list_id, url, base_url, kind, content_hash, content_type, extension, error) ${files}`;

/**
 * SQL: creates lists, or touches existing ones. @param lists SELECT of object, digest, files, missing; distinct. Returns `id`,
 * `test_object_id`, `digest` and whether the list is `fresh` (new)
 */
export const insertLists = (lists: string) => `
  INSERT INTO file_list (test_object_id, digest, files, missing) ${lists} ORDER BY 1, 2
  ON CONFLICT (test_object_id, digest) DO UPDATE SET touched_at = now()
  RETURNING id, test_object_id, digest, old.id IS NULL AS fresh`;

// the join skips objects that were deleted meanwhile
const write = prepared(`
  WITH given AS (
    SELECT g.object_id, decode(g.digest, 'hex') AS digest, g.files FROM jsonb_to_recordset($1::jsonb) AS g (object_id uuid, digest text, files jsonb)
    JOIN test_object o ON o.id = g.object_id
  ), lists AS (
    ${insertLists(`SELECT object_id, digest, jsonb_array_length(files), (SELECT count(*) FROM jsonb_array_elements(files) AS f WHERE f ->> 'hash' IS NULL) FROM given`)}
  ), kept AS (
    ${insertAssets(`
    SELECT l.id, a.url, a.base_url, a.kind, decode(a.hash, 'hex'), a.content_type, a.extension, a.error
    FROM lists l JOIN given g ON g.object_id = l.test_object_id AND g.digest = l.digest,
      jsonb_to_recordset(g.files) AS a (url text, base_url text, kind text, hash text, content_type text, extension text, error text)
    WHERE l.fresh`)}
  )
  SELECT id, test_object_id AS "objectId", encode(digest, 'hex') AS digest FROM lists`);

interface ListRow {
  id: string;
  objectId: string;
  digest: string;
}

/** The key of a file list: its object and digest. */
export const listKey = ({ objectId, digest }: Pick<FoundFiles, "objectId" | "digest">): string =>
  `${objectId} ${digest}`;

/**
 * Writes new lists, and touches all given ones: for half of `listGraceMs` snapshots may refer to them. The bytes of the files must have
 * been stored and announced before.
 * @param wanted distinct
 * @returns ids by `listKey`; lists of deleted objects have none
 */
export async function keepFileLists(db: Database, wanted: readonly FoundFiles[]): Promise<Map<string, string>> {
  const rows = await db.query<ListRow>(find, [
    wanted.map(({ objectId }) => objectId),
    wanted.map(({ digest }) => digest),
  ]);
  const ids = new Map(rows.map((row) => [listKey(row), row.id]));
  const missing = wanted.filter((files) => !ids.has(listKey(files)));
  if (missing.length > 0) {
    const made = await db.query<ListRow>(write, [
      storableJson(missing.map(({ objectId, digest, files }) => ({ object_id: objectId, digest, files }))),
    ]);
    for (const row of made) ids.set(listKey(row), row.id);
  }
  return ids;
}

const announce = prepared(`
  WITH found AS (
    SELECT id, ${isFresh} FROM file_list WHERE id = ANY($1)
  ), touched AS (${touch})
  SELECT id FROM found WHERE fresh OR id IN (SELECT id FROM touched)`);

/** Touches existing lists. @returns the ids of those that still exist */
export async function touchFileLists(db: Queryable, ids: readonly string[]): Promise<Set<string>> {
  const rows = await db.query<{ id: string }>(announce, [ids]);
  return new Set(rows.map(({ id }) => id));
}

const sweep = `
  DELETE FROM file_list WHERE id IN (
    SELECT id FROM file_list l WHERE touched_at < now() - $1::int * interval '1 ms' AND NOT EXISTS (SELECT 1 FROM test_snapshot s WHERE s.files_id = l.id)
    ORDER BY id LIMIT $2 FOR UPDATE SKIP LOCKED)
  RETURNING 1`;
const sweepRows = 1_000;

/**
 * Removes lists that no snapshot refers to any more.
 * @param graceMs `listGraceMs`, or less when nothing is being fetched
 */
export async function sweepFileLists(db: Database, graceMs: number, signal: AbortSignal): Promise<void> {
  for (let swept = sweepRows; swept === sweepRows && !signal.aborted;)
    swept = (await db.query(sweep, [graceMs, sweepRows])).length;
}
