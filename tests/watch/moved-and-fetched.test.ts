import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { crawl, fetchAll, register } from "../support/job.js";
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
    startSite({ "/": `<a href="/old">Page</a>`, "/old": "<h1>Page</h1>" }),
  ]);
  objectId = await register(product, site.url, "Moves while it is fetched");
  await crawl(product, objectId);
  await fetchAll(product, objectId);
});
afterAll(async () => {
  await product.stop();
  await site.close();
});

const told = async (objects: readonly string[]) =>
  until("the runs to be told", async () => {
    const [row] = await product.db.query<{ untold: number }>(
      "SELECT count(*)::int AS untold FROM run WHERE NOT told AND kind <> 'look' AND test_object_id = ANY ($1)",
      [objects],
    );
    return row?.untold === 0;
  });
const moves = async () =>
  (await product.rest.call("listLifecycle", { params: { id: objectId }, query: { kind: "moved" } })).items;

test("a page whose old and new address were fetched before its move was told is told to have moved", async () => {
  let release = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  let asked = 0;
  site.pages.set("/", `<a href="/new">Page</a>`);
  site.pages.set("/new", "<h1>Page</h1>");
  site.pages.set("/old", (_, response) => {
    const redirect = () => void response.writeHead(301, { location: "/new" }).end();
    asked += 1;
    // the crawl's look at the missing page is the first to ask, and waits until all pages were fetched
    if (asked === 1) void held.then(redirect);
    else redirect();
  });
  await crawl(product, objectId);
  await until("the look to ask for the old address", async () => asked === 1);
  await fetchAll(product, objectId);
  release();
  await told([objectId]);
  // each address has a snapshot of that fetch, and one page cannot have two of one fetch
  expect(await moves()).toMatchObject([{ url: `${site.url}old`, to_url: `${site.url}new`, can_undo: false }]);
  const { items } = await product.rest.call("listTestInstances", { params: { id: objectId }, query: { limit: 10 } });
  expect(items.map(({ url, snapshots_total: total }) => `${new URL(url).pathname} ${total}`).toSorted()).toEqual([
    ...["/ 2", "/new 1", "/old 3"],
  ]);
});

test("a fetch that begins right after a crawl waits until histories have followed pages that moved", async () => {
  const slow = await startSite({ "/": `<a href="/from">Page</a>`, "/from": "<h1>Page</h1>" });
  try {
    const id = await register(product, slow.url, "Moves before it is fetched");
    await crawl(product, id);
    await fetchAll(product, id);
    slow.pages.set("/", `<a href="/to">Page</a>`);
    slow.pages.set("/to", "<h1>Page, changed</h1>");
    slow.pages.set("/from", (_, response) => {
      // the look at the missing page takes longer than it takes to start a fetch
      setTimeout(() => void response.writeHead(301, { location: "/to" }).end(), 1_500);
    });
    await crawl(product, id);
    await fetchAll(product, id);
    await told([id]);
    const { items } = await product.rest.call("listTestInstances", { params: { id }, query: { limit: 10 } });
    expect(items.map(({ url, status }) => `${new URL(url).pathname} ${status}`).toSorted()).toEqual([
      ...["/ changed", "/to changed"],
    ]);
  } finally {
    await slow.close();
  }
});
