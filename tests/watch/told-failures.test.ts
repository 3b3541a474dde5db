import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { crawl, fetchAll, register, runEnded } from "../support/job.js";
import type { Product } from "../support/product.js";
import { reachesLoopback, shareProduct } from "../support/shared-product.js";
import { startSite, type Site } from "../support/site.js";
import { until } from "../support/until.js";

let product: Product;
let site: Site;
let objectId = "";

beforeAll(async () => {
  [product, site] = await Promise.all([
    shareProduct(reachesLoopback),
    startSite({ "/": `<a href="/a">a</a><a href="/b">b</a>`, "/a": "<h1>a</h1>", "/b": "<h1>b</h1>" }),
  ]);
  objectId = await register(product, site.url, "The shop");
  await crawl(product, objectId);
  await fetchAll(product, objectId);
});
afterAll(async () => {
  await product.stop();
  await site.close();
});

const breakDown = (path: string) =>
  site.pages.set(path, (_, response) => void response.writeHead(403).end("not for you"));
const mend = (path: string) => site.pages.set(path, `<h1>${path.slice(1)}</h1>`);

/** Fetches one page as a person does; such a fetch sends no messages. */
async function fetchByHand(path: string): Promise<void> {
  const { items } = await product.rest.call("listTestInstances", { params: { id: objectId }, query: { limit: 100 } });
  const page = items.find(({ url }) => new URL(url).pathname === path);
  const { id } = await product.rest.call("createTestSnapshot", { body: { testinstance_id: page?.id ?? "" } });
  const { runId } = await product.rest.call("fetchTestSnapshot", { params: { id }, query: { action: "fetch" } });
  await runEnded(product, runId ?? "");
}

/** Fetches all pages. @returns the events that this led to, such as `failing /a` */
async function told(): Promise<string[]> {
  const { items: before } = await product.rest.call("listEvents", { query: { testobject_id: objectId, limit: 500 } });
  await fetchAll(product, objectId);
  await until("all runs to be told", async () => {
    const [row] = await product.db.query<{ untold: number }>("SELECT count(*)::int AS untold FROM run WHERE NOT told");
    return row?.untold === 0;
  });
  const after = before.at(-1)?.id ?? "0";
  const { items } = await product.rest.call("listEvents", { query: { testobject_id: objectId, after, limit: 500 } });
  return items
    .filter(({ kind }) => kind !== "run-ended")
    .flatMap(({ kind, pages }) => pages.map(({ url }) => `${kind} ${new URL(url).pathname}`));
}

test("a page that failed by hand first is told at the next fetch, once, and so is that it is back after somebody looked", async () => {
  breakDown("/a");
  await fetchByHand("/a");
  expect(await told()).toEqual(["failing /a"]);
  expect(await told()).toEqual([]);
  mend("/a");
  await fetchByHand("/a");
  expect(await told()).toEqual(["recovered /a"]);
  expect(await told()).toEqual([]);
});

test("a page that gives no answer at all is told once, however often it is fetched, and so is that it is back", async () => {
  site.pages.set("/a", (_, response) => void response.destroy());
  expect(await told()).toEqual(["failing /a"]);
  expect(await told()).toEqual([]);
  // another failure, this time with a status, is no news
  breakDown("/a");
  expect(await told()).toEqual([]);
  mend("/a");
  expect(await told()).toEqual(["recovered /a"]);
});

test("of a page whose failure nobody was told of, nobody is told that it is back", async () => {
  breakDown("/b");
  await fetchByHand("/b");
  mend("/b");
  expect(await told()).toEqual([]);
  // and a page that fails in a fetch of all is reported as before
  breakDown("/b");
  expect(await told()).toEqual(["failing /b"]);
  mend("/b");
  expect(await told()).toEqual(["recovered /b"]);
});
