import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { crawl, fetchAll, register, runEnded } from "../support/job.js";
import type { Product } from "../support/product.js";
import { shareProduct } from "../support/shared-product.js";
import { type Page, startSite, type Site } from "../support/site.js";
import { until } from "../support/until.js";

const names = Array.from({ length: 8 }, (_, index) => `page-${"abcdefgh"[index]}`);
let product: Product;
let site: Site;
let objectId = "";
/** The number of requests, on which every answer depends, so that no two are the same. */
let visits = 0;
const edits = new Map<string, string>();

const token = () =>
  Array.from({ length: 24 }, (_, index) => "0123456789abcdef"[(visits * 7919 + index * (visits + 3)) % 16]).join("");
const page = (name: string) => {
  visits += 1;
  const people = ["Anna", "Bert", "Carla"].map((person) => `<li>${person}</li>`);
  return `<!doctype html><html><head><title>${name}</title><script nonce="${token()}">var csrf = "${token()}";</script></head>
<body><h1>${name}</h1><p>Served at 12:${10 + (visits % 50)}:${10 + (visits % 47)} to you</p>
<ul class="people">${[...people.slice(visits % 3), ...people.slice(0, visits % 3)].join("")}</ul>
<p>${edits.get(name) ?? "The text of this page, which is long enough to be more than its noise."}</p>
<p>${"More words that stay as they are. ".repeat(20)}</p></body></html>`;
};

const runs = async () =>
  (await product.rest.call("listRuns", { params: { id: objectId }, query: { limit: 100 } })).items;
const lastFetch = async () => (await runs()).find(({ kind }) => kind === "snapshot-all");
const rules = async () => (await product.rest.call("listRules", { params: { id: objectId } })).items;

async function findNoise(apply: boolean) {
  const { runId, total } = await product.rest.call("findNoise", { params: { id: objectId }, body: { apply } });
  await runEnded(product, runId);
  await until("all to be evaluated", async () => (await runs()).every(({ state }) => state !== "running"));
  return total;
}

beforeAll(async () => {
  const pages: Record<string, Page> = {
    "/": names.map((name) => `<a href="/${name}">${name}</a>`).join(""),
  };
  for (const name of names)
    pages[`/${name}`] = (_request, response) => {
      response.writeHead(200, { "content-type": "text/html; charset=utf-8" });
      response.end(page(name));
    };
  [product, site] = await Promise.all([shareProduct(), startSite(pages)]);
  objectId = await register(product, site.url);
  await crawl(product, objectId);
});
afterAll(async () => {
  await product.stop();
  await site.close();
});

test("before anything was fetched there is nothing to find", async () => {
  await expect(product.rest.call("findNoise", { params: { id: objectId }, body: {} })).rejects.toThrow(/fetch/);
});

test("what differs between two fetches is proposed, with why, and changes nothing yet", async () => {
  await fetchAll(product, objectId);
  const before = site.requests.length;
  expect(await findNoise(false)).toBe(names.length + 1);
  expect(site.requests.length - before).toBe(2 * (names.length + 1));
  const found = await rules();
  expect(found.length).toBeGreaterThan(2);
  for (const { state, author, evidence } of found) {
    expect([state, author]).toEqual(["proposed", "noise"]);
    expect(evidence).toMatchObject({ looked: expect.any(Number), values: expect.any(Array) });
  }
  await fetchAll(product, objectId);
  expect(await lastFetch()).toMatchObject({ changed: names.length });
});

test("a proposed rule is accepted or rejected, and a rejected one is not proposed again", async () => {
  const [one] = await rules();
  await product.rest.call("updateRule", { params: { id: one?.id ?? "" }, body: { state: "rejected" } });
  const count = (await rules()).length;
  await findNoise(false);
  expect((await rules()).filter(({ id }) => id === one?.id)).toMatchObject([{ state: "rejected" }]);
  expect(
    (await rules()).filter(({ selector, pattern }) => selector === one?.selector && pattern === one?.pattern),
  ).toHaveLength(1);
  expect((await rules()).length).toBeGreaterThanOrEqual(count);
  for (const { id } of await rules()) await product.rest.call("deleteRule", { params: { id } });
});

test("without a request, what differed at every one of the fetches so far is proposed, with how often", async () => {
  for (let fetches = 0; fetches < 2; fetches += 1) await fetchAll(product, objectId);
  const before = site.requests.length;
  const body = { apply: true, fetch: false };
  const { runId } = await product.rest.call("findNoise", { params: { id: objectId }, body });
  await runEnded(product, runId);
  expect(site.requests.length).toBe(before);
  const found = await rules();
  expect(found.some(({ pattern }) => pattern?.includes("Served at") === true)).toBe(true);
  for (const { state, evidence } of found) {
    expect(state).toBe("proposed");
    expect(evidence?.times).toBeGreaterThanOrEqual(3);
    expect(evidence?.compared).toBeGreaterThanOrEqual(names.length);
  }
  for (const { id } of found) await product.rest.call("deleteRule", { params: { id } });
});

test("applied, further fetches without an edit have no changes, and edits are all told", async () => {
  await findNoise(true);
  expect((await rules()).filter(({ state }) => state === "active").length).toBeGreaterThan(2);
  expect(await lastFetch()).toMatchObject({ changed: 0 });
  for (let fetches = 0; fetches < 3; fetches += 1) {
    await fetchAll(product, objectId);
    expect(await lastFetch()).toMatchObject({ changed: 0, failed: 0 });
  }
  edits.set("page-b", "The text of this page was edited.");
  edits.set("page-f", "The text of this page, which is long enough to be more than its sound.");
  await fetchAll(product, objectId);
  expect(await lastFetch()).toMatchObject({ changed: 2 });
}, 120_000);

test("a file that is another one at each request is learned, and an edit of another file still told", async () => {
  let asked = 0;
  let colour = "red";
  const sending =
    (type: string, text: () => string): Page =>
    (_request, response) => {
      response.writeHead(200, { "content-type": type });
      response.end(text());
    };
  const shown = `<link rel="stylesheet" href="/site.css"><img src="/ad.svg" alt=""><p>The same words each time.</p>`;
  const other = await startSite({
    "/": sending("text/html", () => `${shown}<a href="/two">two</a>`),
    "/two": sending("text/html", () => shown),
    "/site.css": sending("text/css", () => `p { color: ${colour} }`),
    "/ad.svg": sending(
      "image/svg+xml",
      () => `<svg xmlns="http://www.w3.org/2000/svg"><text>${(asked += 1)}</text></svg>`,
    ),
  });
  try {
    const id = await register(product, other.url);
    const newest = async () => {
      const { items } = await product.rest.call("listRuns", { params: { id }, query: { limit: 100 } });
      expect(items.every(({ state }) => state !== "running")).toBe(true);
      return items.find(({ kind }) => kind === "snapshot-all");
    };
    await crawl(product, id);
    await fetchAll(product, id);
    await fetchAll(product, id);
    expect(await newest()).toMatchObject({ changed: 2 });
    const { runId } = await product.rest.call("findNoise", { params: { id }, body: { apply: true } });
    await runEnded(product, runId);
    const { items } = await product.rest.call("listRules", { params: { id } });
    expect(items).toMatchObject([{ kind: "file", pattern: `${other.url}ad.svg`, state: "active", author: "noise" }]);
    await until("the history to be evaluated", async () =>
      (await product.rest.call("listRuns", { params: { id }, query: { limit: 100 } })).items.every(
        ({ state }) => state !== "running",
      ),
    );
    await fetchAll(product, id);
    expect(await newest()).toMatchObject({ changed: 0 });
    colour = "navy";
    await fetchAll(product, id);
    expect(await newest()).toMatchObject({ changed: 2 });
  } finally {
    await other.close();
  }
});

test("a price that is another one at each visit is proposed, and a count beside it ignored at once", async () => {
  let asked = 0;
  const visitsOf = new Map<string, number>();
  const shown = (path: string): string => {
    asked += 1;
    // counted for each page: of all pages together, two visits of one might show the same price
    const visit = (visitsOf.get(path) ?? 0) + 1;
    visitsOf.set(path, visit);
    return `<p>${1_000 + asked} views</p><p class="price">${visit % 2 === 0 ? 10 : 12} EUR</p><p>${"The same words each time. ".repeat(20)}</p>`;
  };
  const links = names.map((name) => `<a href="/${name}">${name}</a>`).join("");
  const sending: Page = (request, response) => {
    response.writeHead(200, { "content-type": "text/html" });
    response.end(shown(request.url ?? ""));
  };
  const shop = await startSite({ "/": links, ...Object.fromEntries(names.map((name) => [`/${name}`, sending])) });
  try {
    const id = await register(product, shop.url);
    await crawl(product, id);
    await fetchAll(product, id);
    const { runId } = await product.rest.call("findNoise", { params: { id }, body: { apply: true } });
    await runEnded(product, runId);
    const { items } = await product.rest.call("listRules", { params: { id } });
    const inState = (state: string) => items.filter((one) => one.state === state).map(({ pattern }) => pattern ?? "");
    expect(inState("proposed")).toEqual([expect.stringContaining("EUR")]);
    expect(inState("active")).toEqual([expect.stringContaining("views")]);
  } finally {
    await shop.close();
  }
});
