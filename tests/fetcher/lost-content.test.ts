import { readFile, rm, writeFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { markLost } from "@web-tester/records/contents/stored-contents";
import { announceBases, touchContent } from "@web-tester/records/contents/touch-contents";
import { hashContent } from "@web-tester/platform/object-store/open-object-store";
import { invariantFaults, storedFiles } from "../support/invariants.js";
import { crawl, fetchAll, register, runEnded } from "../support/job.js";
import { startProduct, type Product } from "../support/product.js";
import { startSite, type Site } from "../support/site.js";
import { until } from "../support/until.js";

/** Content that some reader finds unreadable is marked as lost, so that the next fetch stores it again although the page has not changed. */
let product: Product;
let site: Site;
let id = "";
let snapshotId = "";
let hash = "";

/** A page that answers a conditional request with 304 as long as it has not changed. */
const page = (text: string) => (request: IncomingMessage, response: ServerResponse) => {
  const headers = { etag: `"${text.length}"`, "content-type": "text/html; charset=utf-8" };
  if (request.headers["if-none-match"] === headers.etag) response.writeHead(304, headers).end();
  else response.writeHead(200, headers).end(text);
};
const one = `<!doctype html><title>One</title>\n<p>${"A page that stays as it is. ".repeat(200)}\n`;
const other = `${one}<p>and a line more`;

beforeAll(async () => {
  [product, site] = await Promise.all([startProduct({}, { servers: "store" }), startSite({ "/": page(one) })]);
  id = await register(product, site.url);
  await product.rest.call("updateTestObject", { params: { id }, body: { asset_snapshots: false } });
  await crawl(product, id);
  await fetchAll(product, id);
});
afterAll(async () => {
  await product.stop();
  await site.close();
});
beforeEach(async () => {
  const [row] = await product.db.query<{ id: string; hash: string }>(
    `SELECT id, encode(content_hash, 'hex') AS hash FROM test_snapshot ORDER BY id LIMIT 1`,
  );
  snapshotId = row?.id ?? "";
  hash = row?.hash ?? "";
  await packed();
});

const packed = () =>
  until("all contents in packs", async () => {
    const rows = await product.db.query(`SELECT 1 FROM search_entry WHERE pack_id IS NULL`);
    return rows.length === 0;
  });
const isStored = async () =>
  (await product.db.query<{ stored: boolean }>(`SELECT stored FROM content WHERE hash = decode($1, 'hex')`, [hash]))[0]
    ?.stored;
const get = (path: string) =>
  fetch(`${product.address}${path}`).then(async (answer) => [answer.status, await answer.text()]);
async function fileOf(content: string): Promise<string> {
  const file = (await storedFiles(product.stack.storageUrl)).find((name) => name.endsWith(content));
  if (file === undefined) throw new Error(`There is no file of ${content}`);
  return file;
}

type Reader = () => Promise<unknown>;
const readers: [string, Reader][] = [
  ["the text of a snapshot", () => get(`/api/testsnapshots/${snapshotId}`)],
  ["a comparison", () => get(`/api/diff?instance1=${snapshotId}&instance2=${snapshotId}`)],
  ["an export", () => get("/api/export")],
  ["an archive", () => get("/api/export?format=archive")],
  [
    "the making of the search index",
    async () => {
      await product.db.query(`DELETE FROM search_pack`);
      await until("an entry with a problem, or a pack", async () => {
        const rows = await product.db.query(`SELECT 1 FROM search_entry WHERE pack_id IS NULL AND problem IS NULL`);
        return rows.length === 0;
      });
    },
  ],
];

test.each(readers)("%s that is whole notes no loss", async (_name, read) => {
  await read();
  expect(await isStored()).toBe(true);
});

test.each(readers.flatMap(([name, read]) => [[name, "lost", read] as const, [name, "damaged", read] as const]))(
  "%s that is %s has it stored anew by the next fetch",
  async (_name, harm, read) => {
    const file = await fileOf(hash);
    if (harm === "lost") await rm(file);
    else await writeFile(file, (await readFile(file)).subarray(0, -7));
    await read();
    await until("the loss is noted", async () => (await isStored()) === false);
    const run = await fetchAll(product, id);
    expect([run.completed, run.failed]).toEqual([1, 0]);
    expect(await isStored()).toBe(true);
    expect((await product.store.read(Buffer.from(hash, "hex"))).toString("utf8")).toBe(one);
    expect(await invariantFaults(product)).toEqual([]);
    // the content can be searched again
    await packed();
    expect(
      await product.rest.call("searchSummary", { query: { q: "STAYS as it is", testobject_id: id } }),
    ).toMatchObject({ instances: 1, partial: null });
  },
);

test("a version that cannot be read because its keyframe is lost has both stored anew", async () => {
  site.pages.set("/", page(other));
  await fetchAll(product, id);
  const version = hashContent(Buffer.from(other)).toString("hex");
  const [row] = await product.db.query<{ base: string }>(
    `SELECT encode(base_hash, 'hex') AS base FROM content WHERE hash = decode($1, 'hex')`,
    [version],
  );
  expect(row?.base).toBe(hash);
  await rm(await fileOf(hash));
  const [latest] = await product.db.query<{ id: string }>(`SELECT id FROM test_snapshot ORDER BY id DESC LIMIT 1`);
  expect(await get(`/api/testsnapshots/${latest?.id}`)).toEqual([500, expect.stringContaining("is missing")]);
  expect(await isStored()).toBe(false);
  const bulk = async () =>
    (await product.rest.call("getBulkDiff", { params: { id }, query: { idx1: "0", idx2: "1" } })).diffs;
  const skipReason = expect.stringContaining("is missing");
  expect(await bulk()).toMatchObject([{ skipped: true, skipReason, snapshot1: { html: null } }]);
  await fetchAll(product, id);
  expect((await product.store.read(Buffer.from(version, "hex"))).toString("utf8")).toBe(other);
  site.pages.set("/", page(one));
  await fetchAll(product, id);
  expect(await isStored()).toBe(true);
  expect(await bulk()).toMatchObject([{ skipped: false, snapshot1: { html: one }, snapshot2: { html: other } }]);
  expect(await invariantFaults(product)).toEqual([]);
});

// the page is shown for the first time, because one that was shown recently is served without reading the store
test.each(["lost", "damaged"])(
  "a page being shown for the first time that is %s has it stored anew by the next fetch",
  async (harm) => {
    const text = `${one}<p>${harm}`;
    site.pages.set("/", page(text));
    await fetchAll(product, id);
    const [latest] = await product.db.query<{ id: string }>("SELECT id FROM test_snapshot ORDER BY id DESC LIMIT 1");
    hash = hashContent(Buffer.from(text)).toString("hex");
    const file = await fileOf(hash);
    if (harm === "lost") await rm(file);
    else await writeFile(file, (await readFile(file)).subarray(0, -7));
    expect(await get(`/api/testsnapshots/${latest?.id}/render`)).toEqual([
      500,
      expect.stringContaining(harm === "lost" ? "is missing" : "is damaged"),
    ]);
    expect(await isStored()).toBe(false);
    await fetchAll(product, id);
    expect(await isStored()).toBe(true);
    expect(await get(`/api/testsnapshots/${latest?.id}/render`)).toEqual([
      200,
      expect.stringContaining("stays as it is"),
    ]);
    site.pages.set("/", page(one));
    await fetchAll(product, id);
    expect(await invariantFaults(product)).toEqual([]);
  },
);

test.each([true, false])("a search for noise (fetching: %s) leaves out what is lost, and ends", async (isFetching) => {
  const search = async () => {
    const body = { apply: false, fetch: isFetching };
    const { runId } = await product.rest.call("findNoise", { params: { id }, body });
    return runEnded(product, runId);
  };
  expect(await search()).toMatchObject({ state: "finished", completed: 1 });
  await rm(await fileOf(hash));
  await get(`/api/testsnapshots/${snapshotId}`);
  expect(await isStored()).toBe(false);
  expect(await search()).toMatchObject({ state: "finished", completed: 0 });
  await fetchAll(product, id);
  expect(await isStored()).toBe(true);
});

test("content that was lost is not put on another, which may rest on it; new content is", async () => {
  const { db } = product;
  const fresh = hashContent(Buffer.from("new")).toString("hex");
  const base = hashContent(Buffer.from(other)).toString("hex");
  await markLost(db, hash);
  expect(
    await touchContent(
      db,
      new Map([
        [hash, one.length],
        [fresh, 3],
      ]),
    ),
  ).toEqual(new Set([hash, fresh]));
  const announced = [hash, fresh].map((wanted) => ({ hash: wanted, base, depth: 1 as const }));
  expect(await announceBases(db, announced)).toEqual(new Set([fresh]));
  await db.query(`DELETE FROM content WHERE hash = decode($1, 'hex')`, [fresh]);
});
