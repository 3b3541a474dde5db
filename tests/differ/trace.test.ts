import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { QueryInput } from "@web-tester/contracts/api";
import { crawl, fetchAll, register } from "../support/job.js";
import type { Product } from "../support/product.js";
import { shareProduct } from "../support/shared-product.js";
import { startSite, type Site } from "../support/site.js";

/** Traces from which snapshot to which a page has a line or a text. */
let product: Product;
let site: Site;
/** Ids of the snapshots, oldest first. */
let ids: string[] = [];

/** A page that has an empty line before its last one if its price is 12, and no line break at its end. */
const page = (words: string) =>
  `<!doctype html>\n<title>Shop</title>\n<ul>\n<li>A</li>\n</ul>\n<p>Price: <b>${words}</b>  each</p>\n<ul>\n<li>B</li>\n</ul>\n${words === "12" ? "\n" : ""}<p>end`;
/** The price on the page at each fetch; equal prices give equal bytes, which are stored once. */
const said = ["10", "10", "11", "12", "12", "12", "13", "12"];

beforeAll(async () => {
  [product, site] = await Promise.all([shareProduct(), startSite({ "/": page("10") })]);
  const id = await register(product, site.url);
  await crawl(product, id);
  for (const words of said) {
    site.pages.set("/", page(words));
    await fetchAll(product, id);
  }
  const { items } = await product.rest.call("listTestInstances", { params: { id }, query: {} });
  const instance = await product.rest.call("getTestInstance", { params: { id: items[0]?.id ?? "" }, query: {} });
  ids = instance.testsnapshots.map((snapshot) => snapshot.id).toReversed();
}, 120_000);
afterAll(async () => {
  await product.stop();
  await site.close();
});

async function trace(number: number, query: QueryInput<"traceInSnapshots">) {
  const found = await product.rest.call("traceInSnapshots", { params: { id: ids[number - 1] ?? "" }, query });
  const { present, text, before, first, last, after, versions } = found;
  return { present, text, versions, numbers: [before, first, last, after].map((one) => one?.number ?? null) };
}

test.each<[string, number, QueryInput<"traceInSnapshots">, boolean, (number | null)[]]>([
  ["a text that came and went", 5, { text: "<b>12</b>" }, true, [3, 4, 6, 7]],
  ["a text that is there from the first snapshot on", 2, { text: "<b>10</b>" }, true, [null, 1, 2, 3]],
  ["a text of the newest one", 8, { text: "<b>12</b>" }, true, [7, 8, 8, null]],
  ["a text that has gone", 7, { text: "<b>12</b>" }, false, [6, 7, 7, 8]],
  ["a text that was never there", 4, { text: "nowhere" }, false, [null, 1, 8, null]],
  ["the text of readers", 5, { as: "text", text: "Price: 12 each" }, true, [3, 4, 6, 7]],
  ["a line that stays", 5, { line: 2 }, true, [null, 1, 8, null]],
  ["a line that stands there twice", 5, { line: 9 }, true, [null, 1, 8, null]],
  ["a line that changed", 7, { line: 6 }, true, [6, 7, 7, 8]],
  ["an empty line", 5, { line: 10 }, true, [3, 4, 6, 7]],
  ["a line of a form", 4, { as: "formatted", line: 7 }, true, [3, 4, 6, 7]],
])("%s", async (_what, number, query, present, numbers) => {
  expect(await trace(number, query)).toMatchObject({ present, numbers, versions: 5 });
});

test("a line is told with its words", async () => {
  expect(await trace(5, { line: 6 })).toMatchObject({ text: "<p>Price: <b>12</b>  each</p>" });
});

test.each<[QueryInput<"traceInSnapshots">, string]>([
  [{ line: 12 }, "has 11 lines"],
  [{}, "either a line or a text"],
  [{ line: 1, text: "a" }, "either a line or a text"],
])("%j is refused in words", async (query, words) => {
  const asked = trace(5, query);
  await expect(asked).rejects.toThrow("400");
  await expect(asked).rejects.toThrow(words);
});

test("what went and came back is told from what was there all the time", async () => {
  const there = [...Array.from({ length: 12 }, () => true), false, ...Array.from({ length: 5 }, () => true)];
  const lines = there.map((has, at) => `<p>fetch ${at}</p>\n${has ? "<p>since when</p>\n" : ""}`);
  const again = await startSite({ "/": lines[0] ?? "" });
  const id = await register(product, again.url);
  await crawl(product, id);
  for (const html of lines) {
    again.pages.set("/", html);
    await fetchAll(product, id);
  }
  const [newest] = await product.db.query<{ id: string }>(
    "SELECT s.id FROM test_snapshot s JOIN test_instance i ON i.id = s.test_instance_id WHERE i.test_object_id = $1 ORDER BY s.id DESC LIMIT 1",
    [id],
  );
  for (const query of [{ line: 2 }, { text: "since when" }]) {
    const found = await product.rest.call("traceInSnapshots", { params: { id: newest?.id ?? "" }, query });
    expect([found.before?.number, found.first.number, found.passed]).toEqual([13, 14, 0]);
  }
  await again.close();
}, 120_000);

test("few of many versions are read", async () => {
  const [row] = await product.db.query<{ instance: string; hash: Buffer }>(
    "SELECT test_instance_id AS instance, content_hash AS hash FROM test_snapshot WHERE id = $1",
    [ids[7]],
  );
  const [other] = await product.db.query<{ hash: Buffer }>(
    "SELECT content_hash AS hash FROM test_snapshot WHERE id = $1",
    [ids[0]],
  );
  // 500 snapshots with one content up to number 400, then the other; within each part, neighbours differ only in their charset
  await product.db.query(
    `INSERT INTO test_snapshot (test_instance_id, number, state, content_hash, charset)
     SELECT $1, 100 + n, 'done', CASE WHEN n <= 300 THEN $2::bytea ELSE $3::bytea END, CASE WHEN n % 2 = 0 THEN 'utf-8' ELSE 'windows-1252' END
     FROM generate_series(1, 500) AS n ORDER BY n`,
    [row?.instance, other?.hash, row?.hash],
  );
  const newest = await product.db.query<{ id: string }>(
    "SELECT id FROM test_snapshot WHERE test_instance_id = $1 AND number = 600",
    [row?.instance],
  );
  const found = await product.rest.call("traceInSnapshots", {
    params: { id: newest[0]?.id ?? "" },
    query: { text: "<b>12</b>" },
  });
  expect([found.before?.number, found.first.number]).toEqual([400, 401]);
  expect(found.versions).toBeGreaterThan(500);
  expect(found.reads).toBeLessThanOrEqual(4);
});
