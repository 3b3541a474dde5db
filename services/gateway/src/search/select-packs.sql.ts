import type { SearchScope } from "@web-tester/contracts/entities";
import type { Queryable } from "@web-tester/platform/db/database";
import { packFormat } from "@web-tester/platform/db/moves/search-packs";

/** A pack with what its filter says of the phrase. */
export interface PackRow {
  id: string;
  documents: number;
  rowBytes: number;
  frames: number;
  /** The asked rows of the filter one after the other; null where none was asked for. */
  rows: Buffer | null;
}

/*
 * Rows of a filter are read by their place: the column is stored as it is, so each costs the one or two kilobytes around it
 * and not the whole filter.
 */
const packs = `
  SELECT p.id, p.documents, s.row_bytes AS "rowBytes", cardinality(s.frame_ends) AS frames,
         (SELECT string_agg(substring(s.filter FROM r.row * s.row_bytes + 1 FOR s.row_bytes), ''::bytea ORDER BY r.place)
          FROM unnest($3::int[]) WITH ORDINALITY AS r (row, place)) AS rows
  FROM search_pack p JOIN search_section s ON s.pack_id = p.id AND s.scope = $2
  WHERE p.test_object_id = $1 AND p.format = ${packFormat} ORDER BY p.id`;

/** @param rows of the filter, see `search/needle` */
export function selectPacks(
  db: Queryable,
  objectId: string,
  scope: SearchScope,
  rows: readonly number[],
): Promise<PackRow[]> {
  return db.query<PackRow>(packs, [objectId, scope, rows]);
}

/** A content as searches name it: its hash in hex, a colon, its charset. */
export type ContentKey = string;

export interface PackBody {
  frameEnds: number[];
  frameChunks: number[];
  body: Buffer;
  sequences: Buffer;
  hashes: Buffer;
  charsets: string[];
  charsetOf: Buffer;
}

const body = `
  SELECT s.frame_ends AS "frameEnds", s.frame_chunks AS "frameChunks", s.body, s.sequences, p.hashes, p.charsets, p.charset_of AS "charsetOf"
  FROM search_section s JOIN search_pack p ON p.id = s.pack_id WHERE s.pack_id = $1 AND s.scope = $2`;

/** Null where the pack has been replaced by a larger one. */
export async function selectPackBody(db: Queryable, packId: string, scope: SearchScope): Promise<PackBody | null> {
  const [row] = await db.query<PackBody>(body, [packId, scope]);
  return row ?? null;
}

/*
 * In no pack: waiting for one, or of a snapshot that is so new that its change is not recorded yet. Read before the packs:
 * what is packed meanwhile is found twice, and not never.
 */
const waiting = `
  SELECT content_hash AS hash, charset FROM search_entry
  WHERE test_object_id = $1 AND pack_id IS NULL AND problem IS NULL
  UNION
  SELECT s.content_hash, coalesce(s.charset, 'utf-8')
  FROM change c
  JOIN test_snapshot s ON s.id = c.snapshot_id
  JOIN test_instance i ON i.id = s.test_instance_id
  WHERE c.state = 'queued' AND i.test_object_id = $1 AND s.content_hash IS NOT NULL
    AND NOT EXISTS (
      SELECT 1 FROM search_entry e
      WHERE e.test_object_id = $1 AND e.content_hash = s.content_hash AND e.charset = coalesce(s.charset, 'utf-8') AND e.pack_id IS NOT NULL)
  LIMIT $2`;

export function selectWaiting(
  db: Queryable,
  objectId: string,
  limit: number,
): Promise<{ hash: Buffer; charset: string }[]> {
  return db.query(waiting, [objectId, limit]);
}

/** Contents that cannot be searched because they cannot be read. */
export async function countProblems(db: Queryable, objectId: string): Promise<number> {
  const [row] = await db.query<{ n: number }>(
    `SELECT count(*)::int AS n FROM search_entry WHERE test_object_id = $1 AND problem IS NOT NULL`,
    [objectId],
  );
  return row?.n ?? 0;
}
