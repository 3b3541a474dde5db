import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { crawl, fetchAll, register, runEnded } from "../support/job.js";
import type { Product } from "../support/product.js";
import { shareProduct } from "../support/shared-product.js";
import { type Page, startSite, type Site } from "../support/site.js";
import { until } from "../support/until.js";

const things = Array.from({ length: 40 }, (_, index) => ({
  price: `${5 + index}.${10 + index}`,
  path: `/item-${index}`,
}));
let product: Product;
let site: Site;
let objectId = "";
let visits = 0;
let dearest = "44.49";

const card = ({ price, path }: (typeof things)[number]) =>
  `<li class="card"><a href="${path}">See it</a> <span class="price">€ ${price.replace("44.49", dearest)}</span></li>`;
const prose = Array.from({ length: 60 }, (_, index) => `<p>Paragraph ${index} says what it has to say.</p>`).join("\n");
const html = (body: string) =>
  `<!doctype html><html><head><title>Shop</title></head><body>${body}\n${prose}</body></html>`;
/** Returns a list that recommends other things at each visit. */
const others = (number: number) => {
  visits += 1;
  const seen = [1, 2, 3, 4].map((place) => things[(number * 3 + visits * 7 * place) % 39]);
  return `<ul>${seen.map((thing) => thing && card(thing)).join("\n")}</ul>`;
};
const post = (number: number) =>
  html(`<h3>Post ${number}</h3><figure><em>A picture</em><figcaption>Its words</figcaption></figure>${others(number)}`);
const item = (number: number) =>
  html(`<h1>Thing ${number}</h1><dl><dt>Weight</dt><dd>${number} kg</dd></dl>${others(number)}`);
const list = (number: number) =>
  html(
    `<h2>List ${number}</h2><nav><b>Sort</b><i>by price</i></nav><ul>${things
      .slice(number * 10, number * 10 + 10)
      .map(card)
      .join("\n")}</ul>`,
  );

beforeAll(async () => {
  const answer =
    (make: () => string): Page =>
    (_request, response) => {
      response.writeHead(200, { "content-type": "text/html; charset=utf-8" });
      response.end(make());
    };
  const pages: Record<string, Page> = {};
  for (const number of [0, 1, 2, 3]) pages[`/list-${number}`] = answer(() => list(number));
  for (const number of things.keys()) pages[`/item-${number}`] = answer(() => item(number));
  for (const number of [0, 1, 2, 3, 4]) pages[`/post-${number}`] = answer(() => post(number));
  pages["/"] = Object.keys(pages)
    .filter((path) => /list|post/.test(path))
    .map((path) => `<a href="${path}">${path}</a>`)
    .join("");
  [product, site] = await Promise.all([shareProduct(), startSite(pages)]);
  objectId = await register(product, site.url);
  await product.rest.call("updateTestObject", { params: { id: objectId }, body: { fetch_mode: "http" } });
  await crawl(product, objectId);
  await fetchAll(product, objectId);
});
afterAll(async () => {
  await product.stop();
  await site.close();
});

test("a price in a list is told, though the same tags hold other prices at each visit elsewhere", async () => {
  const { runId } = await product.rest.call("findNoise", { params: { id: objectId }, body: { apply: true } });
  await runEnded(product, runId);
  const allEvaluated = () =>
    until("all to be evaluated", async () => {
      const { items } = await product.rest.call("listRuns", { params: { id: objectId }, query: {} });
      return items.every(({ state }) => state !== "running");
    });
  await allEvaluated();
  const { items: rules } = await product.rest.call("listRules", { params: { id: objectId } });
  // which rule that is depends on what was seen first
  expect(rules.filter(({ state }) => state === "active")).not.toEqual([]);
  // rules that hide prices are only proposed, for a person to accept
  for (const { id, state } of rules)
    if (state === "proposed") await product.rest.call("updateRule", { params: { id }, body: { state: "active" } });
  await allEvaluated();
  expect(await fetchAll(product, objectId)).toMatchObject({ total: 50, changed: 0 });
  dearest = "99.99";
  expect(await fetchAll(product, objectId)).toMatchObject({ total: 50, changed: 1 });
});
