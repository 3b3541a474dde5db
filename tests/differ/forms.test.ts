import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { QueryInput } from "@web-tester/contracts/api";
import { crawl, fetchAll, register } from "../support/job.js";
import type { Product } from "../support/product.js";
import { shareProduct } from "../support/shared-product.js";
import { startSite, type Site } from "../support/site.js";

/** A page in one line, as build tools write it. */
const minified = (price: string, extra = "") =>
  `<!doctype html><html><head><title>Shop</title></head><body><h1>Shop</h1><ul>${Array.from(
    { length: 100 },
    (_, index) => `<li><a href="/item/${index}">Item ${index}</a></li>`,
  ).join("")}</ul>${extra}<p>Price: <b>${price}</b> each</p><img src="/a.png" alt="A chair"></body></html>`;

let product: Product;
let site: Site;
let pair = { a: "", b: "" };
let spaced = { a: "", b: "" };

/** The IDs of the two newest snapshots of a page, `a` being the older one. */
async function pairOf(objectId: string, path: string) {
  const { items } = await product.rest.call("listTestInstances", { params: { id: objectId }, query: {} });
  const id = items.find(({ url }) => new URL(url).pathname === path)?.id ?? "";
  const { testsnapshots } = await product.rest.call("getTestInstance", { params: { id }, query: {} });
  return { a: testsnapshots[1]?.id ?? "", b: testsnapshots[0]?.id ?? "" };
}

beforeAll(async () => {
  const links = `<a href="/min.html">m</a><a href="/space.html">s</a>`;
  [product, site] = await Promise.all([
    shareProduct(),
    startSite({
      "/": links,
      "/min.html": minified("10"),
      "/space.html": "<div><p>One <b>two</b></p></div>",
    }),
  ]);
  const id = await register(product, site.url);
  await crawl(product, id);
  await fetchAll(product, id);
  site.pages.set("/min.html", minified("12", "<hr>"));
  site.pages.set("/space.html", "<div>\n  <p>\n    One\n    <b>two</b>\n  </p>\n</div>\n");
  await fetchAll(product, id);
  pair = await pairOf(id, "/min.html");
  spaced = await pairOf(id, "/space.html");
});
afterAll(async () => {
  await product.stop();
  await site.close();
});

const hunks = (query: QueryInput<"getDiffHunks">) =>
  product.rest.call("getDiffHunks", { query: { context: 0, ...query } });
const changesOf = (answer: Awaited<ReturnType<typeof hunks>>) =>
  answer.hunks.flatMap(({ lines }) =>
    lines.map(({ kind, text }) => `${{ added: "+", removed: "-", context: " " }[kind]}${text}`),
  );

test("source is what the API compares unless something else is asked for", async () => {
  const answer = await hunks(pair);
  expect(answer).toMatchObject({ as: "source", changes: 1, a: { lines: 1 }, b: { lines: 1 } });
});

test("formatted, a minified page has a line for each element", async () => {
  const answer = await hunks({ ...pair, as: "formatted" });
  expect(answer).toMatchObject({ as: "formatted", changes: 2, added: 2, removed: 1 });
  expect(changesOf(answer)).toEqual(["+<hr>", "-<b>10</b>", "+<b>12</b>"]);
  expect(answer.b.lines).toBeGreaterThan(100);
});

test("text is what a reader gets", async () => {
  const answer = await hunks({ ...pair, as: "text" });
  expect(changesOf(answer)).toEqual(["-Price: 10 each", "+Price: 12 each"]);
  const { lines } = await product.rest.call("getSnapshotLines", {
    params: { id: pair.b },
    query: { as: "text", from: 1, to: 3 },
  });
  expect(lines).toEqual(["# Shop", "- Item 0 (/item/0)", "- Item 1 (/item/1)"]);
});

test("left to the pages, those with long lines are formatted, others are not", async () => {
  expect(await hunks({ ...pair, as: "auto" })).toMatchObject({ as: "formatted", changes: 2 });
  expect(await hunks({ ...spaced, as: "auto" })).toMatchObject({ as: "source" });
});

test("white space that means nothing is no difference when formatted", async () => {
  expect(await hunks(spaced)).toMatchObject({ identical: false });
  expect(await hunks({ ...spaced, as: "formatted" })).toMatchObject({ identical: true, changes: 0, hunks: [] });
  expect(await hunks({ ...spaced, as: "text" })).toMatchObject({ identical: true });
});

test("equal snapshots have the lines of the form that was asked for", async () => {
  expect(await hunks({ a: pair.a, b: pair.a, as: "formatted" })).toMatchObject({ identical: true, as: "formatted" });
  const { a } = await hunks({ a: pair.a, b: pair.a, as: "formatted" });
  expect(a.lines).toBeGreaterThan(100);
});

test("a form that does not exist is refused", async () => {
  await expect(hunks({ ...pair, as: "pretty" as never })).rejects.toThrow("HTTP 400");
});
