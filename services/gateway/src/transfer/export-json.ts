import type { Database } from "@web-tester/platform/database/database";
import type { ObjectStore } from "@web-tester/platform/object-store/object-store";
import { readHtml } from "../snapshots/read-html.js";
import {
  type ExportedObject,
  type ExportedSnapshot,
  firstId,
  selectExportedInstances,
  selectExportedSnapshots,
} from "./export-rows.sql.js";
import { IdList } from "./id-list.js";
import { incomplete, type LeftOut } from "./left-out.js";

export interface ExportDeps {
  db: Database;
  store: ObjectStore;
}

const instancesPerPage = 500;
const snapshotsPerPage = 50;
/** About how many bytes of HTML are read at once. */
const bytesAtOnce = 512 * 1024;
/** Version of the file's format; importers refuse versions that they do not know. */
const version = 1;

/** The beginning of every export file. */
export function envelope(now: Date): string {
  return `{\n"format": "web-tester-export",\n"version": ${version},\n"exported_at": ${JSON.stringify(now)},\n`;
}

/**
 * Writes an export file in pieces: the three lists, parents first, with never more than a page of rows in memory. A snapshot whose
 * bytes are damaged is written without HTML and with the error; `leftOut` counts these, and the file ends with how many there are. The
 * last piece closes the file.
 */
export async function* exportJson(
  { db, store }: ExportDeps,
  objects: readonly ExportedObject[],
  now: Date,
  leftOut: LeftOut,
): AsyncGenerator<string> {
  yield `${envelope(now)}"testObjects": [\n${objects.map((object) => JSON.stringify(object)).join(",\n")}],\n"testInstances": [`;
  const ids = new IdList();
  let separator = "\n";
  for await (const texts of instancePages(db, objects, ids)) {
    yield separator + texts.join(",\n");
    separator = ",\n";
  }
  yield `],\n"testSnapshots": [`;
  separator = "\n";
  for await (const page of snapshotPages(db, ids)) {
    for await (const text of withHtml(store, page, leftOut)) {
      yield separator + text;
      separator = ",\n";
    }
  }
  yield `]${leftOut.field}\n}\n`;
}

/** What comes in place of the last piece of a file that is not complete: the reason, and nothing that closes the file. */
export const brokenEnd = (reason: string): string => `],\n${incomplete(reason)}\n`;

/** Writes the records of the objects' instances as JSON, page by page, and adds their ids to `ids`. */
export async function* instancePages(
  db: Database,
  objects: readonly ExportedObject[],
  ids: IdList,
): AsyncGenerator<string[]> {
  for (const { id, name, asset_snapshots } of objects) {
    for (let after = ""; ;) {
      const page = await selectExportedInstances(db, id, after, instancesPerPage);
      for (const instance of page) ids.push(instance.id);
      const parent = { testobject_id: id, testobject: { id, name, asset_snapshots } };
      if (page.length > 0) yield page.map((instance) => JSON.stringify({ ...instance, ...parent }));
      const last = page.at(-1);
      if (last === undefined || page.length < instancesPerPage) break;
      after = last.url;
    }
  }
}

/** Selects pages of snapshots that belong to the exported instances only. */
export async function* snapshotPages(db: Database, ids: IdList): AsyncGenerator<ExportedSnapshot[]> {
  for (const batch of ids.batches(instancesPerPage)) {
    for (let after = { testinstance_id: firstId, id: firstId }; ;) {
      const page = await selectExportedSnapshots(db, batch, after, snapshotsPerPage);
      if (page.length > 0) yield page;
      const last = page.at(-1);
      if (last === undefined || page.length < snapshotsPerPage) break;
      after = last;
    }
  }
}

/** Reads the HTML of a page of rows, several at a time depending on their sizes. */
async function* withHtml(
  store: ObjectStore,
  rows: readonly ExportedSnapshot[],
  leftOut: LeftOut,
): AsyncGenerator<string> {
  for (let start = 0; start < rows.length;) {
    let end = start;
    for (let bytes = 0; end < rows.length && (end === start || bytes < bytesAtOnce); end++)
      bytes += rows[end]?.size ?? 0;
    yield* await Promise.all(rows.slice(start, end).map((row) => toRecord(store, row, leftOut)));
    start = end;
  }
}

async function toRecord(store: ObjectStore, row: ExportedSnapshot, leftOut: LeftOut): Promise<string> {
  const { hash, size: _, charset, headers, redirects, ...rest } = row;
  const record = { ...rest, headers: JSON.stringify(headers ?? {}), redirects: redirects ?? [] };
  if (hash === null) return JSON.stringify({ ...record, html: "" });
  try {
    // the hash is that of the bytes as served, which decoded text may not reproduce: by it an import recognises content it already has
    return JSON.stringify({ ...record, html: await readHtml(store, { hash, charset }), html_sha256: hash });
  } catch (error) {
    if (!isLost(error)) throw error;
    leftOut.snapshot();
    return JSON.stringify({ ...record, state: "failed", html: "", error_code: error.code, error: error.message });
  }
}

/** Whether reading failed because the bytes are lost or damaged. */
export function isLost(error: unknown): error is { code: string; message: string } {
  return (
    error instanceof Error && "code" in error && (error.code === "content_missing" || error.code === "content_damaged")
  );
}
