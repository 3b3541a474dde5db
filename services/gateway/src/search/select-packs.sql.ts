import type { SearchScope } from "@web-tester/contracts/entities/search";
import type { Queryable } from "@web-tester/platform/database/database";
import { packFormat } from "@web-tester/records/search/search-segments";
import type { Needle } from "@web-tester/search-index/needle";

/** A pack with the rows of its filter that matter for the phrase. */
export interface PackRow {
  id: string;
  documents: number;
  rowBytes: number;
  frames: number;
  /** Whether another version of this program made it, in another format: its contents will be packed again. */
  outdated: boolean;
  /** The requested rows of the filter one after the other; null where the pack is outdated. */
  rows: Buffer | null;
}

/*
 * SQL: rows of a filter are read by their position. The column is stored uncompressed, so that each row costs one or two kilobytes
 * around it, not the whole filter.
 */
const packs = `
  SELECT p.id, p.documents, s.row_bytes AS "rowBytes", cardinality(s.frame_ends) AS frames, p.format <> ${packFormat} AS outdated,
         CASE WHEN p.format = ${packFormat} THEN (
           SELECT string_agg(substring(s.filter FROM r.row * s.row_bytes + 1 FOR s.row_bytes), ''::bytea ORDER BY r.place)
           FROM unnest($3::int[]) WITH ORDINALITY AS r (row, place)) END AS rows
  FROM search_pack p JOIN search_section s ON s.pack_id = p.id AND s.scope = $2
  WHERE p.test_object_id = $1 ORDER BY p.id`;

/**
 * Selects an object's packs.
 * @param needle tells which rows of the filters are wanted
 */
export function selectPacks(
  db: Queryable,
  objectId: string,
  scope: SearchScope,
  { rows }: Pick<Needle, "rows">,
): Promise<PackRow[]> {
  return db.query<PackRow>(packs, [objectId, scope, rows]);
}

export interface PackBody {
  documents: number;
  frameEnds: number[];
  frameChunks: number[];
  /** The hash of the content that holds the frames and the sequences. */
  content: Buffer;
  hashes: Buffer;
  charsets: string[];
  charsetOf: Buffer;
}

const body = `
  SELECT p.documents, s.frame_ends AS "frameEnds", s.frame_chunks AS "frameChunks", s.content_hash AS content, p.hashes, p.charsets,
         p.charset_of AS "charsetOf"
  FROM search_section s JOIN search_pack p ON p.id = s.pack_id WHERE s.pack_id = $1 AND s.scope = $2`;

/** Selects the body of a pack; null where the pack has been replaced by a larger one. */
export async function selectPackBody(db: Queryable, packId: string, scope: SearchScope): Promise<PackBody | null> {
  const [row] = await db.query<PackBody>(body, [packId, scope]);
  return row ?? null;
}
