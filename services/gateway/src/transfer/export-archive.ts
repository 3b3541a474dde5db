import { createGzip } from "node:zlib";
import { through } from "@web-tester/platform/lifecycle/streams";
import { pack, type Pack } from "tar-stream";
import { type ExportedAsset, selectExportedAssets } from "./export-assets.sql.js";
import { envelope, type ExportDeps, instancePages, snapshotPages } from "./export-json.js";
import type { ExportedObject, ExportedSnapshot } from "./export-rows.sql.js";
import { IdList } from "./id-list.js";
import type { LeftOut } from "./left-out.js";
import { readAhead, type Wanted } from "./read-ahead.js";

/** The size of one part's JSON at which the next part begins. */
const partBytes = 1024 * 1024;

type Part = { testObjects: string[]; testInstances: string[]; testSnapshots: string[] };
const emptyPart = (): Part => ({ testObjects: [], testInstances: [], testSnapshots: [] });

/**
 * Exports everything as one `.tar.gz`: `blobs/<sha256>` are the bytes of pages and their files as they were served, each once, and
 * always before the first `records-<n>.json` that refers to them; those are export files without HTML. The last of them ends with how
 * much is left out, if anything.
 */
export async function* exportArchive(
  deps: ExportDeps,
  objects: readonly ExportedObject[],
  now: Date,
  leftOut: LeftOut,
): AsyncGenerator<Buffer> {
  const archive = pack();
  const writing = write(archive, deps, objects, now, leftOut).then(
    () => archive.finalize(),
    (error: unknown) => archive.destroy(error instanceof Error ? error : new Error(String(error))),
  );
  try {
    // pages compress well at any level, and level 1 takes a third of the default level's time
    yield* through(archive as AsyncIterable<Uint8Array>, createGzip({ level: 1 }));
  } finally {
    archive.destroy();
    await writing;
  }
}

async function write(
  archive: Pack,
  deps: ExportDeps,
  objects: readonly ExportedObject[],
  now: Date,
  leftOut: LeftOut,
): Promise<void> {
  const { db } = deps;
  let part = emptyPart();
  let bytes = 0;
  let parts = 0;
  const written = new Set<string>();
  const flush = async (end = "") => {
    const lists = Object.entries(part).map(([name, texts]) => `"${name}": [\n${texts.join(",\n")}]`);
    await add(archive, `records-${++parts}.json`, Buffer.from(`${envelope(now)}${lists.join(",\n")}${end}\n}\n`));
    part = emptyPart();
    bytes = 0;
  };
  const put = async (list: keyof Part, text: string) => {
    part[list].push(text);
    bytes += text.length;
    if (bytes >= partBytes) await flush();
  };
  for (const object of objects) await put("testObjects", JSON.stringify(object));
  const ids = new IdList();
  for await (const texts of instancePages(db, objects, ids)) for (const text of texts) await put("testInstances", text);
  for await (const page of snapshotPages(db, ids)) {
    const assets = await selectExportedAssets(
      db,
      page.map(({ id }) => id),
    );
    const lost = new Map<string, string>();
    for await (const found of readAhead(deps.store, unwritten(page, assets, written))) {
      if ("fault" in found) lost.set(found.hash, found.fault);
      else {
        await add(archive, `blobs/${found.hash}`, found.bytes);
        written.add(found.hash);
      }
    }
    for (const row of page) {
      const files = assets.get(row.id) ?? [];
      if (row.hash !== null && lost.has(row.hash)) leftOut.snapshot();
      for (const { hash } of files) if (hash !== null && lost.has(hash)) leftOut.file(hash);
      await put("testSnapshots", recordOf(row, files, lost));
    }
  }
  if (bytes > 0 || parts === 0 || leftOut.total !== null) await flush(leftOut.field);
}

/** The contents of some snapshots and their files that are not in the archive yet, each once. */
function unwritten(
  page: readonly ExportedSnapshot[],
  assets: ReadonlyMap<string, readonly ExportedAsset[]>,
  written: ReadonlySet<string>,
): Wanted[] {
  const wanted = new Map<string, Wanted>();
  for (const row of page)
    for (const { hash, size } of [row, ...(assets.get(row.id) ?? [])])
      if (hash !== null && !written.has(hash)) wanted.set(hash, { hash, size });
  return [...wanted.values()];
}

function recordOf(row: ExportedSnapshot, files: readonly ExportedAsset[], lost: ReadonlyMap<string, string>): string {
  const { hash, size: _size, headers, redirects, ...rest } = row;
  const fault = hash === null ? undefined : lost.get(hash);
  return JSON.stringify({
    ...rest,
    ...(fault === undefined ? {} : { state: "failed", error_code: "content_missing", error: fault }),
    headers: JSON.stringify(headers ?? {}),
    redirects: redirects ?? [],
    html_sha256: fault === undefined ? hash : null,
    assets: files.map(({ hash: sha256, size: _bytes, ...file }) => {
      const missing = sha256 === null ? undefined : lost.get(sha256);
      return { ...file, sha256: missing === undefined ? sha256 : null, error: missing ?? file.error };
    }),
  });
}

/**
 * Adds an entry and waits until the reader has taken it.
 * @throws where the reader has disconnected
 */
function add(archive: Pack, name: string, bytes: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    const entry = archive.entry({ name, size: bytes.length, mtime: new Date(0) }, (error) =>
      error === null || error === undefined ? resolve() : reject(error),
    );
    // when the reader disconnects, the current entry emits an error of its own; the callback above is called as well
    entry.on("error", reject);
    entry.end(bytes);
  });
}
