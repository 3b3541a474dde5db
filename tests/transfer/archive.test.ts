import { createHash } from "node:crypto";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { CDXIndexer, WARCParser } from "warcio";
import { fromBuffer, type Entry, type ZipFile } from "yauzl";
import { z } from "zod";
import { crawl, fetchAll, register } from "../support/job.js";
import { invariantFaults } from "../support/invariants.js";
import type { Product } from "../support/product.js";
import { shareProduct } from "../support/shared-product.js";
import { readRefusal, send } from "../support/raw-calls.js";
import { startSite, type Site } from "../support/site.js";
import { compared, contentOf, deleteObject, exportAll, upload } from "../support/transfer.js";

/** Archives contain pages and their files byte for byte, and the readers of other programs can read them. */
let product: Product;
let site: Site;
let objectId: string;

const latin = Buffer.from(
  '<!doctype html><meta charset="iso-8859-1"><title>Caf\xe9</title><p>Caf\xe9 <a href="/b?z=1&a=2">b</a>',
  "latin1",
);
const image = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

beforeAll(async () => {
  [product, site] = await Promise.all([
    shareProduct(),
    startSite({
      "/": (_request, response) => response.writeHead(200, { "content-type": "text/html", "x-kept": "yes" }).end(latin),
      "/b?z=1&a=2": '<!doctype html><title>B</title><img src="/i.png"><p>page b',
      "/i.png": (_request, response) => response.writeHead(200, { "content-type": "image/png" }).end(image),
    }),
  ]);
  objectId = await register(product, site.url, "Café");
  await crawl(product, objectId);
  await fetchAll(product, objectId);
});
afterAll(async () => {
  expect(await invariantFaults(product)).toEqual([]);
  await product.stop();
  await site.close();
});

async function download(query: string): Promise<{ bytes: Buffer; name: string }> {
  const response = await fetch(`${product.address}/api/export${query}`);
  expect(response.status).toBe(200);
  const name = /filename="(.+)"/.exec(response.headers.get("content-disposition") ?? "")?.[1] ?? "";
  return { bytes: Buffer.from(await response.arrayBuffer()), name };
}

test("an archive brings pages as they were served, and their assets", async () => {
  const before = await exportAll(product);
  const hashes = async () =>
    product.db.query(
      `SELECT i.url, encode(s.content_hash, 'hex') AS hash, s.charset,
         (SELECT json_agg(json_build_array(a.url, a.kind, a.content_type, a.extension, encode(a.content_hash, 'hex')) ORDER BY a.url) FROM snapshot_asset a WHERE a.list_id = s.files_id) AS assets
       FROM test_snapshot s JOIN test_instance i ON i.id = s.test_instance_id ORDER BY 1`,
    );
  const kept = await hashes();
  expect(kept).toMatchObject([
    { charset: "windows-1252" },
    { assets: [[`${site.url}i.png`, "image", "image/png", "png", sha256(image)]] },
  ]);
  const { bytes, name } = await download("?format=archive");
  expect(name).toMatch(/^web-tester-export-.+\.tar\.gz$/);
  await deleteObject(product, objectId);
  const answer = await upload(product, [bytes], { headers: { "content-type": "application/gzip" } });
  expect(JSON.parse(answer.text)).toMatchObject({ objects: 1, instances: 2, snapshots: 2 });
  await compared(product);
  expect(await hashes()).toEqual(kept);
  const after = await exportAll(product);
  expect(contentOf(after)).toEqual(contentOf(before));
  objectId = String(after.testObjects[0]?.["id"]);
});

test("pages that are not UTF-8 are known again where they come as text", async () => {
  const { bytes } = await download("");
  const answer = await upload(product, [bytes]);
  expect(JSON.parse(answer.text)).toMatchObject({ snapshots: 0, existing: { objects: 1, instances: 2, snapshots: 2 } });
});

test("pages that are not UTF-8 and came as text are known again where an archive brings their bytes", async () => {
  const [json, archive, wacz] = [
    await download(""),
    await download("?format=archive"),
    await download(`?format=wacz&testObjectId=${objectId}`),
  ];
  await deleteObject(product, objectId);
  const bring = async (bytes: Buffer): Promise<unknown> => {
    const answer = await upload(product, [bytes], { headers: { "content-type": "application/octet-stream" } });
    await compared(product);
    return JSON.parse(answer.text);
  };
  expect(await bring(json.bytes)).toMatchObject({ snapshots: 2 });
  expect(await bring(archive.bytes)).toMatchObject({ snapshots: 0, existing: { instances: 2, snapshots: 2 } });
  expect(await bring(wacz.bytes)).toMatchObject({ snapshots: 0, existing: { instances: 2, snapshots: 2 } });
  await deleteObject(product, String((await exportAll(product)).testObjects[0]?.["id"]));
  expect(await bring(archive.bytes)).toMatchObject({ snapshots: 2 });
  objectId = String((await exportAll(product)).testObjects[0]?.["id"]);
});

test("a web archive: other readers find every page and asset, whole and at its place", async () => {
  const { bytes, name } = await download(`?format=wacz&idx=0&testObjectId=${objectId}`);
  expect(name).toMatch(/\.wacz$/);
  const files = await unzip(bytes);
  expect([...files.keys()]).toEqual([
    "archive/data.warc.gz",
    "indexes/index.cdx",
    "pages/pages.jsonl",
    "datapackage.json",
    "datapackage-digest.json",
  ]);
  const described = z
    .object({
      wacz_version: z.literal("1.1.1"),
      resources: z.array(z.object({ path: z.string(), hash: z.string(), bytes: z.int() })),
    })
    .parse(JSON.parse(text(files, "datapackage.json")));
  expect(described.resources.map(({ path }) => path)).toEqual([...files.keys()].slice(0, 3));
  for (const { path, hash, bytes: size } of described.resources)
    expect([path, hash, size]).toEqual([path, `sha256:${sha256(file(files, path))}`, file(files, path).length]);
  expect(JSON.parse(text(files, "datapackage-digest.json"))).toEqual({
    path: "datapackage.json",
    hash: `sha256:${sha256(file(files, "datapackage.json"))}`,
  });

  const warc = file(files, "archive/data.warc.gz");
  const found: [string | null, string | null | undefined, string][] = [];
  for await (const record of new WARCParser(chunks(warc))) {
    const payload = Buffer.from(await record.readFully(true));
    found.push([record.warcType, record.warcTargetURI, sha256(payload)]);
    if (record.warcType !== "response") continue;
    expect(record.warcHeaders.protocol).toBe("WARC/1.1");
    expect(record.warcPayloadDigest).toBe(`sha256:${sha256(payload)}`);
    expect(record.httpHeaders?.statusCode).toBe(200);
  }
  const responses = found.filter(([type]) => type === "response");
  expect(responses).toEqual([
    ["response", site.url, sha256(latin)],
    ["response", `${site.url}b?z=1&a=2`, expect.any(String)],
    ["response", `${site.url}i.png`, sha256(image)],
  ]);
  expect(found.filter(([type]) => type === "request")).toHaveLength(3);
  expect(found.filter(([type]) => type === "metadata")).toHaveLength(2);

  // each line of the index points to its record, and the lines are in the order in which readers search
  const lines = text(files, "indexes/index.cdx").trim().split("\n");
  expect(lines).toEqual([...lines].sort());
  expect(lines).toHaveLength(3);
  const places = z.object({
    url: z.string(),
    offset: z.coerce.number(),
    length: z.coerce.number(),
    status: z.literal("200"),
  });
  for (const line of lines) {
    const { url, offset, length } = places.parse(JSON.parse(line.replace(/^\S+ \d{14} /, "")));
    const record = gunzipSync(warc.subarray(offset, offset + length)).toString("latin1");
    expect(record).toContain(`WARC-Target-URI: ${url}\r\n`);
    expect(record).toContain("WARC-Type: response\r\n");
  }
  const theirs: number[] = [];
  for await (const entry of new CDXIndexer({ format: "cdxj" }).iterIndex([
    { filename: "data.warc.gz", reader: chunks(warc) },
  ]))
    theirs.push(Number(entry["offset"]));
  const ours = lines.map((line) => Number(/"offset":"(\d+)"/.exec(line)?.[1]));
  const ascending = (a: number, b: number) => a - b;
  expect(ours.sort(ascending)).toEqual(theirs.sort(ascending));

  const pages = text(files, "pages/pages.jsonl")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(pages).toMatchObject([{ format: "json-pages-1.0" }, { url: site.url }, { url: `${site.url}b?z=1&a=2` }]);
});

test("a web archive tells the charset of the bytes that it has, where their server told another one", async () => {
  const url = "http://charset.example/";
  const types = { "": "text/html; charset=gb18030", right: "text/html; Charset=UTF-8" };
  const html = (name: string) => `<!doctype html><title>C</title><p>Café 中文 of ${name}`;
  const names = Object.keys(types);
  const exported = {
    testObjects: [{ id: "o", name: "Charsets", url }],
    testInstances: names.map((name) => ({ id: name || "home", testobject_id: "o", url: url + name })),
    testSnapshots: Object.entries(types).map(([name, type]) => ({
      ...{ id: `of ${name}`, testinstance_id: name || "home", created_at: "2020-01-01T00:00:00Z", state: "done" },
      ...{ http_status: 200, headers: { "content-type": type }, html: html(name) },
    })),
  };
  expect((await upload(product, [JSON.stringify(exported)])).status).toBe(200);
  const stored = () =>
    product.db.query<{ id: string; hash: string; charset: string; type: string }>(
      `SELECT i.test_object_id AS id, encode(s.content_hash, 'hex') AS hash, s.charset, s.headers->>'content-type' AS type
       FROM test_instance i JOIN test_snapshot s ON s.test_instance_id = i.id WHERE i.url LIKE $1 ORDER BY i.url`,
      [`${url}%`],
    );
  const before = await stored();
  // the text of an export is stored as UTF-8
  expect(before.map(({ charset, type }) => [charset, type])).toEqual(
    Object.values(types).map((type) => ["utf-8", type]),
  );
  const { bytes } = await download(`?format=wacz&idx=0&testObjectId=${before[0]?.id}`);
  await deleteObject(product, before[0]?.id ?? "");
  const again = await upload(product, [bytes], { headers: { "content-type": "application/octet-stream" } });
  expect([again.status, again.text]).toEqual([200, again.text]);
  const after = await stored();
  expect(after.map(({ hash, charset }) => [hash, charset])).toEqual(before.map(({ hash }) => [hash, "utf-8"]));
  // one that told the truth is written as it was
  expect(after.map(({ type }) => type)).toEqual(["text/html; charset=utf-8", types.right]);
  await deleteObject(product, after[0]?.id ?? "");
});

test("a web archive needs an object, and an index that has snapshots", async () => {
  const refused = async (query: string) =>
    readRefusal(await send(product, { method: "GET", path: `/api/export${query}`, headers: {} }));
  expect(await refused("?format=wacz")).toMatchObject({ status: 400, code: "invalid_input" });
  expect(await refused(`?format=wacz&testObjectId=${objectId}&idx=7`)).toMatchObject({ status: 404 });
  expect(await refused("?testObjectId=00000000-0000-7000-8000-000000000000")).toMatchObject({ status: 404 });
});

function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

function file(files: Map<string, Buffer>, path: string): Buffer {
  const found = files.get(path);
  if (found === undefined) throw new Error(`The archive has no ${path}`);
  return found;
}

function text(files: Map<string, Buffer>, path: string): string {
  return file(files, path).toString("utf8");
}

async function* chunks(bytes: Buffer): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 1_000) yield bytes.subarray(at, at + 1_000);
}

/** Returns the files of a ZIP by name, read by its central directory. */
async function unzip(bytes: Buffer): Promise<Map<string, Buffer>> {
  const zip = await new Promise<ZipFile>((resolve, reject) =>
    fromBuffer(bytes, { lazyEntries: false, autoClose: false }, (error, opened) =>
      error === null ? resolve(opened) : reject(error),
    ),
  );
  const entries = await new Promise<Entry[]>((resolve, reject) => {
    const found: Entry[] = [];
    zip.on("entry", (entry: Entry) => void found.push(entry));
    zip.once("end", () => resolve(found));
    zip.once("error", reject);
  });
  const files = new Map<string, Buffer>();
  for (const entry of entries) {
    const stream = await new Promise<NodeJS.ReadableStream>((resolve, reject) =>
      zip.openReadStream(entry, (error, opened) => (error === null ? resolve(opened) : reject(error))),
    );
    const parts: Buffer[] = [];
    for await (const part of stream) parts.push(Buffer.from(part));
    files.set(entry.fileName, Buffer.concat(parts));
  }
  return files;
}
