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

test("a history follows a page whose old and new address were fetched before its move was told", async () => {
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
  // of the two snapshots of that fetch one stays, which is compared with the page's own past
  expect(await moves()).toMatchObject([{ url: `${site.url}old`, to_url: `${site.url}new`, can_undo: true }]);
  const { items } = await product.rest.call("listTestInstances", { params: { id: objectId }, query: { limit: 10 } });
  expect(items.map(({ url, snapshots_total: total }) => `${new URL(url).pathname} ${total}`).toSorted()).toEqual([
    ...["/ 2", "/new 3"],
  ]);
});

test("a history follows a page whose move was told while a fetch of both addresses went on, and the fetch tells what changed", async () => {
  const links = (to: string) => `<a href="${to}">Page</a><a href="/slow">Slow</a>`;
  const other = await startSite({ "/": links("/a"), "/a": "<h1>Page</h1>", "/slow": "<h1>Slow</h1>" });
  try {
    const id = await register(product, other.url, "Moves while a fetch goes on");
    await crawl(product, id);
    await fetchAll(product, id);
    other.pages.set("/", links("/b"));
    other.pages.set("/b", "<h1>Page, changed</h1>");
    const looked = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<void>();
    let asked = 0;
    other.pages.set("/a", (_, response) => {
      const redirect = () => void response.writeHead(301, { location: "/b" }).end();
      asked += 1;
      if (asked === 1) void looked.promise.then(redirect);
      else redirect();
    });
    await crawl(product, id);
    other.pages.set("/slow", (_, response) => {
      response.setHeader("content-type", "text/html; charset=utf-8");
      void ended.promise.then(() => response.end("<h1>Slow</h1>"));
    });
    const { runId } = await product.rest.call("snapshotAll", { params: { id } });
    looked.resolve();
    const moved = async () =>
      (await product.rest.call("listLifecycle", { params: { id }, query: { kind: "moved" } })).items;
    await until("the move to be told", async () => (await moved()).length === 1);
    expect(await moved()).toMatchObject([{ can_undo: false }]);
    ended.resolve();
    await told([id]);
    expect(await moved()).toMatchObject([{ can_undo: true }]);
    const { items } = await product.rest.call("listEvents", { query: { limit: 500 } });
    const changed = items.find(({ kind, run_id: run }) => kind === "changed" && run === runId);
    expect(changed?.pages.map(({ url }) => new URL(url).pathname).toSorted()).toEqual(["/", "/b"]);
    const { run, counts } = await product.rest.call("getReview", { params: { id: runId ?? "" }, query: {} });
    expect([run.total, run.completed, run.changed]).toEqual([3, 3, 2]);
    expect([counts.changed, counts.unchanged, counts.new]).toEqual([2, 1, 0]);
  } finally {
    await other.close();
  }
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
