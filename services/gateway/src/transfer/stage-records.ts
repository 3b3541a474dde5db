import type { ImportFault } from "@web-tester/contracts/entities/transfer";
import { AppError } from "@web-tester/contracts/errors";
import { limits } from "@web-tester/contracts/limits";
import type { Database } from "@web-tester/platform/database/database";
import { markEachStored } from "@web-tester/records/contents/stored-contents";
import type { SecretBox } from "@web-tester/platform/secrets/secret-box";
import type { ObjectStore } from "@web-tester/platform/object-store/object-store";
import { hashContent } from "@web-tester/platform/object-store/open-object-store";
import { holdContent } from "@web-tester/records/imports/held-content";
import { noteImport } from "@web-tester/records/imports/import-job";
import { attachFiles } from "./captures/attach-files.js";
import { type CaptureTarget, stageCaptures } from "./captures/stage-captures.js";
import { readArchive } from "./read-archive.js";
import type { UploadForm } from "./read-upload.js";
import { type ReadRecord, readRecords, type RecordCounts } from "./read-records.js";
import { insertStaged, type StagedRow } from "@web-tester/records/imports/staged-records";
import { type PageBytes, TextHashes } from "./text-hashes.js";
import { type Staged, toStaged } from "./to-staged.js";

const rowsPerBatch = 200;
const bytesPerBatch = 1024 * 1024;

export interface StageDeps {
  db: Database;
  store: ObjectStore;
  secrets: SecretBox;
}

/** The faults of single records: the first ones, and how many there are in all. */
export interface RecordFaults {
  first: ImportFault[];
  total: number;
}

/**
 * Reads a file's records, checks each, and stages them in batches, bytes of HTML first. Staged records are not visible yet. After the
 * first fault nothing more is staged; reading goes on to find the other faults.
 * @throws AppError invalid_json, conflict where the import was cancelled meanwhile
 */
export async function stageRecords(
  { db, store, secrets }: StageDeps,
  importId: string,
  file: { form: UploadForm; chunks: AsyncIterable<Uint8Array> },
  bytesRead: () => number,
  target: CaptureTarget | null = null,
): Promise<RecordFaults> {
  const faults: RecordFaults = { first: [], total: 0 };
  const blobs = createBlobs({ db, store }, importId);
  const batch = createBatch({ db, store }, importId, bytesRead, blobs);
  const stage = async (read: ReadRecord, known: ReadonlySet<string> | null) => {
    const result = toStaged(read, secrets, known);
    if (result.ok && faults.total === 0) await batch.push(result.staged);
    if (!result.ok) noteFault(faults, read, result.message);
  };
  const { form, chunks } = file;
  if (form === "warc" || form === "zip") {
    const { kept, leftOut } = await stageCaptures(form, chunks, target, {
      keep: (hash, content) => blobs.keep(hash, content),
      stage: async (read) => {
        const result = toStaged(read, secrets, blobs.known);
        if (!result.ok) return result.message;
        await batch.push(result.staged);
        return null;
      },
    });
    await batch.flush();
    await attachFiles({ db, store }, importId, kept, leftOut);
    await noteImport(db, importId, leftOut.words());
  } else if (form === "archive") {
    const counts: RecordCounts = new Map();
    for await (const part of readArchive(chunks)) {
      if (part.kind === "records") {
        for await (const read of readRecords(part.chunks, counts)) await stage(read, blobs.known);
      } else if (faults.total === 0) {
        requireNamed(part);
        await blobs.keep(part.hash, part.bytes);
      } else blobs.known.add(part.hash);
    }
  } else {
    for await (const read of readRecords(chunks)) await stage(read, null);
  }
  if (faults.total === 0) await batch.flush();
  return faults;
}

function noteFault(faults: RecordFaults, { list, record, line }: ReadRecord, message: string): void {
  if (faults.first.length < limits.importFaultsKept) faults.first.push({ list, record, line, message });
  faults.total++;
}

/** Creates the batch of records that are staged together. */
function createBatch(
  { db, store }: Pick<StageDeps, "db" | "store">,
  importId: string,
  bytesRead: () => number,
  blobs: Pick<Blobs, "flush" | "texts">,
): { push(staged: Staged): Promise<void>; flush(): Promise<void> } {
  let batch: Staged[] = [];
  let bytes = 0;
  const flush = async () => {
    await blobs.flush();
    const rows = await storeHtml(db, store, importId, await withTextHashes(blobs.texts, batch));
    batch = [];
    bytes = 0;
    await insertStaged(db, importId, rows, bytesRead());
  };
  return {
    flush,
    async push(staged) {
      batch.push(staged);
      bytes += (staged.html?.length ?? 0) + 1_000;
      if (batch.length >= rowsPerBatch || bytes >= bytesPerBatch) await flush();
    },
  };
}

/** Adds to pages of an archive that are not UTF-8 what they are in a plain file, by which those that came from one are known again. */
async function withTextHashes(texts: TextHashes, batch: readonly Staged[]): Promise<Staged[]> {
  const pageOf = ({ hash, data: { charset } }: Staged): PageBytes | null =>
    hash === null ? null : { hash, charset: typeof charset === "string" ? charset : "utf-8" };
  await texts.find(batch.map(pageOf).filter((page) => page !== null));
  return batch.map((staged) => {
    const page = pageOf(staged);
    const hash = page === null ? null : texts.of(page);
    return hash === null ? staged : { ...staged, data: { ...staged.data, text_sha256: hash } };
  });
}

/** Collects the bytes of an archive's files and stores them together: a transaction for each would take longer than everything else. */
interface Blobs {
  /** Hashes (hex) of the bytes that were taken so far. */
  known: Set<string>;
  texts: TextHashes;
  /** Takes bytes; they are stored before the records that refer to them are staged. */
  keep(hash: string, body: Buffer): Promise<void>;
  flush(): Promise<void>;
}

function createBlobs({ db, store }: Pick<StageDeps, "db" | "store">, importId: string): Blobs {
  const known = new Set<string>();
  const texts = new TextHashes(store);
  let waiting = new Map<string, Buffer>();
  let bytes = 0;
  const flush = async () => {
    const bodies = waiting;
    waiting = new Map();
    bytes = 0;
    if (bodies.size > 0) await markEachStored(db, await storeBodies(db, store, importId, bodies));
  };
  return {
    known,
    texts,
    flush,
    async keep(hash, body) {
      if (known.has(hash)) return;
      known.add(hash);
      texts.note(hash, body);
      waiting.set(hash, body);
      bytes += body.length;
      if (waiting.size >= rowsPerBatch || bytes >= bytesPerBatch) await flush();
    },
  };
}

/**
 * Checks that bytes match the hash in their name.
 * @throws AppError invalid_json
 */
function requireNamed({ hash, bytes }: { hash: string; bytes: Buffer }): void {
  if (hashContent(bytes).toString("hex") !== hash)
    throw new AppError(
      "invalid_json",
      `Invalid archive: the bytes of blobs/${hash} are not those of its name. Nothing was imported.`,
    );
}

/**
 * Writes bytes that the object store lacks, also those that it has lost.
 * @param bodies by hash (hex)
 * @returns the stored sizes of those that it did not have, by hash
 */
async function storeBodies(
  db: Database,
  store: ObjectStore,
  importId: string,
  bodies: ReadonlyMap<string, Buffer>,
): Promise<Map<string, number>> {
  const missing = await holdContent(db, importId, new Map([...bodies].map(([hash, body]) => [hash, body.length])));
  const sizes = new Map<string, number>();
  await Promise.all(
    [...bodies].map(async ([hex, body]) => {
      const hash = Buffer.from(hex, "hex");
      if (missing.has(hex) || !(await store.has(hash))) sizes.set(hex, (await store.write(hash, body)).storedSize);
    }),
  );
  return sizes;
}

/** Stores the HTML of records; equal pages only once. */
async function storeHtml(
  db: Database,
  store: ObjectStore,
  importId: string,
  batch: readonly Staged[],
): Promise<StagedRow[]> {
  const bodies = new Map<string, Buffer>();
  const rows = batch.map(({ html, ...rest }): StagedRow => {
    if (html === null) return { ...rest, stored_size: 0 };
    const hash = hashContent(html).toString("hex");
    bodies.set(hash, html);
    return { ...rest, hash, stored_size: 0 };
  });
  if (bodies.size === 0) return rows;
  const sizes = await storeBodies(db, store, importId, bodies);
  return rows.map((row) => ({ ...row, stored_size: row.hash === null ? 0 : (sizes.get(row.hash) ?? 0) }));
}
