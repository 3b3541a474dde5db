import { get } from "node:http";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { XMLParser, XMLValidator } from "fast-xml-parser";
import { z } from "zod";
import { crawl, fetchAll, register } from "../support/job.js";
import type { Product } from "../support/product.js";
import { reachesLoopback, shareProduct } from "../support/shared-product.js";
import { type Site, startSite } from "../support/site.js";
import { until } from "../support/until.js";

let product: Product;
let site: Site;
let objectId = "";
let otherId = "";

beforeAll(async () => {
  [product, site] = await Promise.all([
    shareProduct(reachesLoopback),
    startSite({ "/": "<h1>One</h1>", "/other": "<h1>Other</h1>" }),
  ]);
  objectId = await register(product, site.url, "Caf<é> & ]]> Co");
  otherId = await register(product, `${site.url}other`, "Other");
  for (const id of [objectId, otherId]) await crawl(product, id);
  for (const id of [objectId, otherId]) await fetchAll(product, id);
});
afterAll(async () => {
  await product.stop();
  await site.close();
});

const entry = z.object({ id: z.string(), title: z.unknown(), link: z.unknown(), updated: z.string() });
const document = z.object({
  feed: z.object({
    id: z.string(),
    title: z.unknown(),
    updated: z.string(),
    // RFC 4287 §4.1.1
    author: z.object({ name: z.string() }),
    entry: z.array(entry).default([]),
  }),
});

/** Reads a feed as feed readers do: without a token. */
async function read(url: string) {
  const response = await fetch(`${product.address}${new URL(url).pathname}`);
  const text = await response.text();
  expect([response.status, response.headers.get("content-type")]).toEqual([200, "application/atom+xml; charset=utf-8"]);
  expect(XMLValidator.validate(text)).toBe(true);
  const parser = new XMLParser({ ignoreAttributes: false, isArray: (name) => name === "entry", parseTagValue: false });
  return { text, response, feed: document.parse(parser.parse(text)).feed };
}

/** Returns the status of a conditional request; `fetch` would add headers that keep caches away. */
const statusIf = (url: string, etag: string) =>
  new Promise<number | undefined>((resolve, reject) => {
    get(url, { headers: { "if-none-match": etag } }, (response) => {
      response.resume();
      resolve(response.statusCode);
    }).once("error", reject);
  });

const entriesOf = async (url: string) => (await read(url)).feed.entry.length;

test("a feed tells each run that found something, once; that of an object only of it", async () => {
  const all = await product.rest.call("createFeed", { body: {} });
  const one = await product.rest.call("createFeed", { body: { testobject_id: objectId } });
  expect(await entriesOf(all.url)).toBe(0);
  site.pages.set("/", "<h1>Two</h1><p>A text that is new</p>");
  await fetchAll(product, objectId);
  await until("an entry", async () => (await entriesOf(one.url)) === 1);
  const { feed, text, response } = await read(one.url);
  // a title without a type is text, which XML escapes once (RFC 4287 §3.1.1.1)
  expect(JSON.stringify(feed.title)).toContain("Caf<é> & ]]> Co");
  expect(text).toContain("<title>Caf&lt;é");
  expect(text).toContain("A text that is new");
  expect(text).toMatch(/runs\/[0-9a-f-]+\/review/);
  // the feed's address is a secret, which a document that may be passed on must not contain
  expect(text).not.toContain(new URL(one.url).pathname.split("/").at(-1));
  expect(response.headers.get("cache-control")).toBe("private, no-cache");
  // a fetch without changes adds no entry
  await fetchAll(product, objectId);
  site.pages.set("/other", "<h1>Here now</h1>");
  await fetchAll(product, otherId);
  await until("the other's entry", async () => (await entriesOf(all.url)) === 2);
  expect(await entriesOf(one.url)).toBe(1);
  const again = await read(one.url);
  expect(again.feed).toEqual(feed);
  const etag = again.response.headers.get("etag") ?? "";
  expect(await statusIf(`${product.address}${new URL(one.url).pathname}`, etag)).toBe(304);
});

test("its address is given once, ends with a new one, with its object, or when it is deleted", async () => {
  const first = await product.rest.call("createFeed", { body: { testobject_id: otherId } });
  const second = await product.rest.call("createFeed", { body: { testobject_id: otherId } });
  expect(second.id).toBe(first.id);
  const status = async (url: string) => (await fetch(`${product.address}${new URL(url).pathname}`)).status;
  expect([await status(first.url), await status(second.url)]).toEqual([404, 200]);
  expect((await fetch(`${product.address}/feeds/guessed`, { headers: { accept: "text/html" } })).status).toBe(404);
  const { items } = await product.rest.call("listFeeds", {});
  expect(items.filter(({ id }) => id === first.id)).toHaveLength(1);
  expect(JSON.stringify(items)).not.toContain(new URL(second.url).pathname.split("/").at(-1));
  const kept = await product.db.query<{ row: string }>("SELECT feed::text AS row FROM feed");
  expect(JSON.stringify(kept)).not.toContain(new URL(second.url).pathname.split("/").at(-1));
  await product.rest.call("deleteFeed", { params: { id: second.id } });
  expect(await status(second.url)).toBe(404);
  await expect(product.rest.call("deleteFeed", { params: { id: second.id } })).rejects.toThrow(/feed/);
  const third = await product.rest.call("createFeed", { body: { testobject_id: otherId } });
  expect(await status(third.url)).toBe(200);
  await product.rest.call("deleteTestObject", { params: { id: otherId } });
  await until("the feed to end with its object", async () => (await status(third.url)) === 404);
  await expect(product.rest.call("createFeed", { body: { testobject_id: otherId } })).rejects.toThrow(/test object/i);
});
