import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { crawl, fetchAll, register } from "../support/job.js";
import type { Product } from "../support/product.js";
import { shareProduct } from "../support/shared-product.js";
import { startSite, type Site } from "../support/site.js";
import { until } from "../support/until.js";

/** Paths with other than Latin letters are found as the screens show them, and as addresses have them. */
const german = encodeURI("/über-uns/neu");
const arabic = encodeURI("/مرحبا/1");
let product: Product;
let site: Site;
let id: string;
let fetched: string;
let compared: string;

const publish = (words: string) => {
  for (const path of [german, arabic, "/shop"]) site.pages.set(path, `<title>Page</title><p>${words}`);
};

beforeAll(async () => {
  const links = [german, arabic, "/shop"].map((path) => `<a href="${path}">a</a>`).join("");
  [product, site] = await Promise.all([shareProduct(), startSite({ "/": links })]);
  publish("Old words");
  id = await register(product, site.url);
  await crawl(product, id);
  await fetchAll(product, id);
  publish("New words");
  await fetchAll(product, id);
  const { rest } = product;
  const { items } = await rest.call("listRuns", { params: { id }, query: { kind: "snapshot-all" } });
  [fetched = ""] = items.map((run) => run.id);
  const from = { type: "run", run_id: items[1]?.id ?? "" } as const;
  compared = (await rest.call("startComparison", { params: { id }, body: { from } })).runId;
  await until(
    "the end of the comparison",
    async () => (await rest.call("getReview", { params: { id: compared }, query: {} })).run.state === "finished",
  );
});
afterAll(async () => {
  await product.stop();
  await site.close();
});

test.each([
  ["as shown", "/über-uns/", german],
  ["as shown, the accent behind its letter", "/u\u0308ber-uns/", german],
  ["as shown, from right to left", "مرحبا/", arabic],
  ["as in the address", "/%c3%bcber-uns/", german],
  ["a Latin one", "/SHOP", "/shop"],
])("%s, in lists, reviews and selections", async (_what, q, path) => {
  const { rest } = product;
  const pathsOf = (urls: readonly string[]) => urls.map((url) => new URL(url).pathname);
  const listed = await rest.call("listTestInstances", { params: { id }, query: { q } });
  const changed = await rest.call("listTestInstances", { params: { id }, query: { q, status: "changed" } });
  for (const { items, total } of [listed, changed]) {
    expect(pathsOf(items.map((item) => item.url))).toEqual([path]);
    expect(total).toBe(1);
  }
  for (const run of [fetched, compared]) {
    const { items } = await rest.call("listReviewPages", { params: { id: run }, query: { q } });
    expect(pathsOf(items.map(({ instance }) => instance.url))).toEqual([path]);
  }
});

test("what is fetched of a list is what the list shows", async () => {
  const { rest } = product;
  const select = (q: string) => rest.call("snapshotSelected", { params: { id }, body: { q } });
  expect((await select("/uber-uns/")).created).toBe(0);
  expect((await select("/über-uns/")).created).toBe(1);
});
