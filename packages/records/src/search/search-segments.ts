import { ofAnySize } from "../runs/of-any-size.js";
import { hashContent } from "@web-tester/platform/object-store/open-object-store";
import type { ObjectStore } from "@web-tester/platform/object-store/object-store";
import type { Section } from "@web-tester/search-index/segment";
import { joinSegment, splitSegment } from "@web-tester/search-index/segment-bytes";
import type { Database, Queryable } from "@web-tester/platform/database/database";
import { markStored } from "../contents/stored-contents.js";
import { touchContent } from "../contents/touch-contents.js";
import type { WaitingEntry } from "./search-entries.js";

/** The scopes of a search: the HTML as a text area shows it, or the text that a reader sees. */
const searchScopes = ["html", "text"] as const;
type SearchScope = (typeof searchScopes)[number];

/** Packs of an older format are rebuilt; those of a newer one belong to a newer version, which is about to take over. */
export const packFormat = 4;

/** The sections of the same documents, one per scope. */
export type PackSections = Record<SearchScope, Section>;

const insertPack = `
  INSERT INTO search_pack (test_object_id, format, documents, hashes, charsets, charset_of)
  VALUES ($1, ${packFormat}, $2, $3, $4, $5) RETURNING id`;

const insertSection = `
  INSERT INTO search_section (pack_id, scope, chunks, text_bytes, frame_ends, frame_chunks, row_bytes, filter, content_hash)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`;

const moveEntries = `
  UPDATE search_entry e SET pack_id = $2, position = d.position - 1
  FROM unnest($3::bytea[], $4::text[]) WITH ORDINALITY AS d (hash, charset, position)
  WHERE e.test_object_id = ${ofAnySize("$1")} AND e.content_hash = d.hash AND e.charset = d.charset`;

/** Where the bytes of a section are in the object store; `storedSize` is 0 when they were there before. */
interface KeptBytes {
  hash: Buffer;
  storedSize: number;
}

/** A pack whose bytes are in the object store, but whose rows are not written yet. */
export interface KeptPack {
  sections: PackSections;
  kept: Record<SearchScope, KeptBytes>;
}

/**
 * Stores the bytes of a pack's sections in the object store. They are announced first, like all content: so they are not collected before
 * the rows are written, but are collected if the process ends before that.
 * @param db not the transaction that writes the rows: the collector has to see the announcement
 */
export async function keepSections(
  db: Database,
  store: Pick<ObjectStore, "write" | "has">,
  sections: PackSections,
): Promise<KeptPack> {
  const [html, text] = await Promise.all(
    searchScopes.map(async (scope): Promise<KeptBytes> => {
      const bytes = joinSegment(sections[scope]);
      const hash = hashContent(bytes);
      const hex = hash.toString("hex");
      const missing = await touchContent(db, new Map([[hex, bytes.length]]));
      if (!missing.has(hex) && (await store.has(hash))) return { hash, storedSize: 0 };
      return { hash, storedSize: (await store.write(hash, bytes)).storedSize };
    }),
  );
  if (html === undefined || text === undefined) throw new Error("a pack has two sections");
  return { sections, kept: { html, text } };
}

/**
 * Writes a pack and moves its contents' entries to it.
 * @param documents the documents in the order of their positions in the sections
 */
export async function insertSearchPack(
  tx: Queryable,
  objectId: string,
  documents: readonly Pick<WaitingEntry, "hash" | "charset">[],
  { sections, kept }: KeptPack,
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
    const { hash, storedSize } = kept[scope];
    if (storedSize > 0) await markStored(tx, hash.toString("hex"), storedSize);
    await tx.query(insertSection, [
      pack.id,
      scope,
      section.chunks,
      section.textBytes,
      section.frameEnds,
      section.frameChunks,
      section.rowBytes,
      section.filter,
      hash,
    ]);
  }
  await tx.query(moveEntries, [objectId, pack.id, hashes, documents.map(({ charset }) => charset)]);
}

/** The sizes of a pack, which decide about merging. */
export interface PackSize {
  id: string;
  documents: number;
  /** Number of documents that some snapshot still had at the last sweep. */
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

/** A pack to be rewritten: its sections, and the documents that are still needed, by position. */
export interface StoredPack {
  sections: PackSections;
  live: { position: number; hash: Buffer; charset: string }[];
}

/**
 * @throws Error when the pack is gone, which cannot happen while the caller holds the packing lock
 * @throws ContentLost when its bytes are missing or damaged
 */
export async function readPack(tx: Queryable, store: Pick<ObjectStore, "read">, packId: string): Promise<StoredPack> {
  const rows = await tx.query<Omit<Section, "body" | "sequences"> & { scope: SearchScope; hash: Buffer }>(
    `SELECT s.scope, p.documents, s.chunks, s.text_bytes AS "textBytes", s.frame_ends AS "frameEnds", s.frame_chunks AS "frameChunks",
            s.row_bytes AS "rowBytes", ''::bytea AS filter, s.content_hash AS hash
     FROM search_section s JOIN search_pack p ON p.id = s.pack_id WHERE s.pack_id = $1`,
    [packId],
  );
  const sectionOf = async (wanted: SearchScope): Promise<Section> => {
    const row = rows.find(({ scope }) => scope === wanted);
    if (row === undefined) throw new Error(`search pack ${packId} is not whole`);
    const { scope: _, hash, ...section } = row;
    return { ...section, ...splitSegment(await store.read(hash), section.frameEnds) };
  };
  const [html, text] = await Promise.all([sectionOf("html"), sectionOf("text")]);
  const live = await tx.query<StoredPack["live"][number]>(
    `SELECT position, content_hash AS hash, charset FROM search_entry WHERE pack_id = $1 ORDER BY position`,
    [packId],
  );
  return { sections: { html, text }, live };
}

/** Returns the hashes of the bytes of an object's packs. */
export function segmentsOf(db: Queryable, objectId: string): Promise<{ packId: string; hash: Buffer }[]> {
  return db.query<{ packId: string; hash: Buffer }>(
    `SELECT s.pack_id AS "packId", s.content_hash AS hash FROM search_pack p JOIN search_section s ON s.pack_id = p.id WHERE p.test_object_id = $1`,
    [objectId],
  );
}

/** Marks a pack whose bytes are lost as outdated: the differ rebuilds it from its contents, and until then searches report that they are incomplete. */
export async function giveUpPack(db: Queryable, packId: string): Promise<void> {
  await db.query(`UPDATE search_pack SET format = 0 WHERE id = $1`, [packId]);
}

/** Deletes packs; entries that are still in one of them wait to be packed again. */
export async function deletePacks(tx: Queryable, packIds: readonly string[]): Promise<void> {
  await tx.query(`DELETE FROM search_pack WHERE id = ANY($1)`, [packIds]);
}
