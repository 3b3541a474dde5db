import type { Section } from "@web-tester/search-index/segment";
import type { Queryable } from "@web-tester/platform/database/database";
import type { WaitingEntry } from "./search-entries.js";

/** What a search can look at: the HTML as a text area shows it, or the text that a reader sees. */
export const searchScopes = ["html", "text"] as const;
export type SearchScope = (typeof searchScopes)[number];

/** Packs of an older format are made anew; those of a newer one are another program's, which is about to take over. */
export const packFormat = 2;

/** Sections of the same documents. */
export type PackSections = Record<SearchScope, Section>;

const insertPack = `
  INSERT INTO search_pack (test_object_id, format, documents, hashes, charsets, charset_of)
  VALUES ($1, ${packFormat}, $2, $3, $4, $5) RETURNING id`;

const insertSection = `
  INSERT INTO search_section (pack_id, scope, chunks, text_bytes, frame_ends, frame_chunks, row_bytes, body, filter, sequences)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`;

const moveEntries = `
  UPDATE search_entry e SET pack_id = $2, position = d.position - 1
  FROM unnest($3::bytea[], $4::text[]) WITH ORDINALITY AS d (hash, charset, position)
  WHERE e.test_object_id = $1 AND e.content_hash = d.hash AND e.charset = d.charset`;

/**
 * Writes a pack and moves its contents' entries to it.
 * @param documents in the order of their positions in the sections
 */
export async function insertSearchPack(
  tx: Queryable,
  objectId: string,
  documents: readonly Pick<WaitingEntry, "hash" | "charset">[],
  sections: PackSections,
): Promise<void> {
  const charsets = [...new Set(documents.map(({ charset }) => charset))];
  const hashes = documents.map(({ hash }) => hash);
  const [pack] = await tx.query<{ id: string }>(insertPack, [
    objectId,
    documents.length,
    Buffer.concat(hashes),
    charsets,
    Buffer.from(documents.map(({ charset }) => charsets.indexOf(charset))),
  ]);
  if (pack === undefined) throw new Error("INSERT … RETURNING gave no row");
  for (const scope of searchScopes) {
    const section = sections[scope];
    await tx.query(insertSection, [
      pack.id,
      scope,
      section.chunks,
      section.textBytes,
      section.frameEnds,
      section.frameChunks,
      section.rowBytes,
      section.body,
      section.filter,
      section.sequences,
    ]);
  }
  await tx.query(moveEntries, [objectId, pack.id, hashes, documents.map(({ charset }) => charset)]);
}

/** A pack as merging sees it. */
export interface PackSize {
  id: string;
  documents: number;
  /** Documents that some snapshot still had at the last sweep. */
  live: number;
  textBytes: number;
  current: boolean;
}

/** Objects with packs of an older format. */
export async function objectsOutdated(db: Queryable): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    `SELECT DISTINCT test_object_id AS id FROM search_pack WHERE format < ${packFormat}`,
  );
  return rows.map(({ id }) => id);
}

/** An object's packs, oldest first. */
export function packSizes(db: Queryable, objectId: string): Promise<PackSize[]> {
  return db.query<PackSize>(
    `SELECT p.id, p.documents, s.text_bytes AS "textBytes", p.format = ${packFormat} AS current,
            (SELECT count(*)::int FROM search_entry e WHERE e.pack_id = p.id) AS live
     FROM search_pack p JOIN search_section s ON s.pack_id = p.id AND s.scope = 'html'
     WHERE p.test_object_id = $1 AND p.format <= ${packFormat} ORDER BY p.id`,
    [objectId],
  );
}

/** A pack to be rewritten: its sections, and the documents that are still wanted, by position. */
export interface StoredPack {
  sections: PackSections;
  live: { position: number; hash: Buffer; charset: string }[];
}

/** @throws Error where a pack is gone: the caller holds the lock of packing */
export async function readPack(tx: Queryable, packId: string): Promise<StoredPack> {
  const rows = await tx.query<Section & { scope: SearchScope }>(
    `SELECT s.scope, p.documents, s.chunks, s.text_bytes AS "textBytes", s.frame_ends AS "frameEnds", s.frame_chunks AS "frameChunks",
            s.row_bytes AS "rowBytes", s.body, ''::bytea AS filter, s.sequences
     FROM search_section s JOIN search_pack p ON p.id = s.pack_id WHERE s.pack_id = $1`,
    [packId],
  );
  const html = rows.find(({ scope }) => scope === "html");
  const text = rows.find(({ scope }) => scope === "text");
  if (html === undefined || text === undefined) throw new Error(`search pack ${packId} is not whole`);
  const live = await tx.query<StoredPack["live"][number]>(
    `SELECT position, content_hash AS hash, charset FROM search_entry WHERE pack_id = $1 ORDER BY position`,
    [packId],
  );
  return { sections: { html, text }, live };
}

/** Entries that are still in a pack wait again. */
export async function deletePacks(tx: Queryable, packIds: readonly string[]): Promise<void> {
  await tx.query(`DELETE FROM search_pack WHERE id = ANY($1)`, [packIds]);
}
