import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { crawl, fetchAll, register } from "../support/job.js";
import type { Product } from "../support/product.js";
import { type Receiver, startReceiver } from "../support/receiver.js";
import { reachesLoopback, shareProduct } from "../support/shared-product.js";
import { startSite, type Site } from "../support/site.js";
import { until } from "../support/until.js";

/** An outage that only crawls meet: nothing is new or missing, and no page is fetched. */
const home = `<a href="/a">a</a>`;
const routes = {
  first: {},
  second: { failures: 2 },
  ended: { events: ["run-ended" as const] },
  elsewhere: { path: "/blog/*" },
};
let product: Product;
let site: Site;
let receiver: Receiver;
let objectId = "";

async function watch(url: string, name: string): Promise<string> {
  const id = await register(product, url, name);
  for (const [channel, route] of Object.entries(routes)) {
    const hook = `${receiver.url}/${name}/${channel}`;
    const made = await product.rest.call("createChannel", { body: { kind: "webhook", name: channel, url: hook } });
    await product.rest.call("createRoute", { body: { channel_id: made.id, testobject_id: id, ...route } });
  }
  return id;
}

beforeAll(async () => {
  [product, site, receiver] = await Promise.all([
    shareProduct(reachesLoopback),
    startSite({ "/": home, "/a": "<h1>a</h1>" }),
    startReceiver(),
  ]);
  objectId = await watch(site.url, "shop");
});
afterAll(async () => {
  await product.stop();
  await Promise.all([site.close(), receiver.close()]);
});

/** Crawls, or has another run, and returns what each route was told, without the name of the object. */
async function toldBy(id: string, name: string, run = crawl): Promise<Partial<Record<keyof typeof routes, string>>> {
  receiver.received.length = 0;
  await run(product, id);
  await until("all to be told and sent", async () => {
    const [row] = await product.db.query<{ waiting: number }>(
      `SELECT (SELECT count(*) FROM run WHERE NOT told)::int + (SELECT count(*) FROM delivery WHERE state <> 'sent')::int AS waiting`,
    );
    return row?.waiting === 0;
  });
  return Object.fromEntries(
    receiver.received.map(({ path, body }) => {
      const { data } = JSON.parse(body) as { data: { sentence: string } };
      return [path.split("/").at(-1), data.sentence.replace(`${name}: `, "")];
    }),
  );
}

const breakDown = () => site.pages.set("/", (_, response) => void response.writeHead(403).end("not for you"));

test("a crawl that finds no page is told once, or after so many in a row, and so is that pages are found again", async () => {
  expect(await toldBy(objectId, "shop")).toMatchObject({ ended: "Nothing changed. The crawl finished: 2 done" });
  breakDown();
  const failed = "The crawl finished: 1 done, 1 of them failed";
  expect(await toldBy(objectId, "shop")).toEqual({
    first: expect.stringMatching(/^The crawl found no page: .*403/),
    ended: failed,
  });
  expect(await toldBy(objectId, "shop")).toEqual({
    second: expect.stringMatching(/^The crawl found no page: .*403/),
    ended: failed,
  });
  expect(await toldBy(objectId, "shop")).toEqual({ ended: failed });
  site.pages.set("/", home);
  const back = expect.stringMatching(/^The crawl finds pages again, after \d+ /);
  expect(await toldBy(objectId, "shop")).toMatchObject({ first: back, second: back });
  const { items } = await product.rest.call("listEvents", { query: { testobject_id: objectId, limit: 500 } });
  const kinds = items.filter(({ kind }) => kind === "failing" || kind === "recovered");
  expect(kinds.map(({ kind, said }) => `${kind} ${said}`)).toEqual([
    expect.stringMatching(/^failing The crawl found no page: /),
    expect.stringMatching(/^recovered The crawl finds pages again/),
  ]);
});

test("an outage that goes on when a mute has ended is told then, once", async () => {
  const { items } = await product.rest.call("listRoutes", {});
  const params = { id: items.find(({ failures, path }) => failures === 1 && path === "")?.id ?? "" };
  await product.rest.call("updateRoute", { params, body: { muted_until: "2050-01-01T00:00:00Z" } });
  breakDown();
  expect(await toldBy(objectId, "shop")).not.toHaveProperty("first");
  await product.rest.call("updateRoute", { params, body: { muted_until: null } });
  expect(await toldBy(objectId, "shop")).toHaveProperty("first", expect.stringMatching(/^The crawl found no page/));
  expect(await toldBy(objectId, "shop")).not.toHaveProperty("first");
});

/** Fetches all pages, and returns what each route was told. */
const toldByFetch = (id: string, name: string) => toldBy(id, name, fetchAll);

/** A site that is watched, and whose pages can be refused. */
async function openShop(name: string) {
  const shop = await startSite({ "/": home, "/a": "<h1>a</h1>" });
  return {
    shop,
    id: await watch(shop.url, name),
    fail: (path: string) => shop.pages.set(path, (_, response) => void response.writeHead(403).end("down")),
    mend: () => shop.pages.set("/", home).set("/a", "<h1>a</h1>"),
  };
}

test("an outage that a crawl and a fetch meet is told once, by the first of them, and so is its end", async () => {
  const { id, shop, fail, mend } = await openShop("both");
  await toldBy(id, "both");
  await toldByFetch(id, "both");

  for (const path of ["/", "/a"]) fail(path);
  expect(await toldBy(id, "both")).toHaveProperty("first", expect.stringMatching(/^The crawl found no page: .*403/));
  const ended = { ended: expect.stringMatching(/The fetch finished: 2 done, 2 of them failed$/) };
  expect(await toldByFetch(id, "both")).toEqual(ended);
  // the route that wants two failures in a row is told by whoever fails twice first
  expect(await toldByFetch(id, "both")).toEqual({ ...ended, second: expect.stringMatching(/^2 fail/) });
  expect(await toldBy(id, "both")).not.toHaveProperty("second");
  mend();
  fail("/a");
  // the crawl tells the end to who heard of the beginning from crawls; a page that fails still is told by the next fetch
  const back = await toldBy(id, "both");
  expect(back).toHaveProperty("first", expect.stringMatching(/^The crawl finds pages again/));
  expect(back).not.toHaveProperty("second");
  const some = await toldByFetch(id, "both");
  expect(some).toMatchObject({ first: expect.stringMatching(/^\/a fails/), second: "/ is back" });
  mend();
  expect(await toldByFetch(id, "both")).toMatchObject({ first: "/a is back", second: "/a is back" });

  for (const path of ["/", "/a"]) fail(path);
  expect(await toldByFetch(id, "both")).toHaveProperty("first", expect.stringMatching(/^2 fail/));
  expect(await toldBy(id, "both")).not.toHaveProperty("first");
  mend();
  expect(await toldBy(id, "both")).not.toHaveProperty("first");
  expect(await toldByFetch(id, "both")).toHaveProperty("first", "2 back");

  // where the fetch is first to see the end of what a crawl told, the crawl has nothing to add
  for (const path of ["/", "/a"]) fail(path);
  expect(await toldBy(id, "both")).toHaveProperty("first", expect.stringMatching(/^The crawl found no page/));
  expect(await toldByFetch(id, "both")).toEqual(ended);
  mend();
  expect(await toldByFetch(id, "both")).toHaveProperty("first", "2 back");
  expect(await toldBy(id, "both")).not.toHaveProperty("first");

  // programs get all of it
  const { items } = await product.rest.call("listEvents", { query: { testobject_id: id, limit: 500 } });
  expect(items.filter(({ kind }) => kind === "failing").map(({ pages_total: pages }) => pages)).toEqual([
    0, 2, 2, 0, 0, 2,
  ]);
  await shop.close();
});

test("an outage that a crawl told nobody of, because of a mute, is told by the first fetch after it, once", async () => {
  const { id, shop, fail, mend } = await openShop("muted");
  await toldBy(id, "muted");
  await toldByFetch(id, "muted");
  const { items } = await product.rest.call("listRoutes", {});
  const first = items.find(({ testobject_id: of, failures, path }) => of === id && failures === 1 && path === "");
  const mute = (end: string | null) =>
    product.rest.call("updateRoute", { params: { id: first?.id ?? "" }, body: { muted_until: end } });
  await mute("2050-01-01T00:00:00Z");
  for (const path of ["/", "/a"]) fail(path);
  expect(await toldBy(id, "muted")).not.toHaveProperty("first");
  expect(await toldByFetch(id, "muted")).not.toHaveProperty("first");
  await mute(null);
  expect(await toldByFetch(id, "muted")).toHaveProperty("first", expect.stringMatching(/^2 fail/));
  expect(await toldByFetch(id, "muted")).not.toHaveProperty("first");
  mend();
  expect(await toldByFetch(id, "muted")).toHaveProperty("first", "2 back");
  await shop.close();
});

test("what crawls, or fetches, failed at before keeps nobody from hearing of an outage", async () => {
  const { id, shop, fail, mend } = await openShop("long");
  await toldBy(id, "long");
  await toldByFetch(id, "long");
  // the first page fails for good, so that crawls find none, which is told once
  fail("/");
  expect(await toldBy(id, "long")).toHaveProperty("first", expect.stringMatching(/^The crawl found no page/));
  expect(await toldByFetch(id, "long")).toHaveProperty("first", expect.stringMatching(/^\/ fails/));
  expect(await toldBy(id, "long")).not.toHaveProperty("first");
  fail("/a");
  expect(await toldByFetch(id, "long")).toHaveProperty("first", expect.stringMatching(/^\/a fails/));
  // crawls find the pages that fetches cannot have
  mend();
  await toldBy(id, "long");
  for (const path of ["/", "/a"]) fail(path);
  expect(await toldByFetch(id, "long")).not.toHaveProperty("first");
  expect(await toldBy(id, "long")).toHaveProperty("first", expect.stringMatching(/^The crawl found no page/));
  await shop.close();
});

test("a site that does not even give its robots.txt is told as an outage by the crawl, and not again by the fetch", async () => {
  const { id, shop, fail } = await openShop("silent");
  // without a crawl, by which the crawler would know its robots.txt
  await product.rest.call("snapshotOne", { params: { id } });
  await toldByFetch(id, "silent");
  fail("/");
  shop.pages.set("/robots.txt", (_, response) => void response.writeHead(501).end("no"));
  expect(await toldBy(id, "silent")).toHaveProperty("first", expect.stringMatching(/^The crawl found no page: robots/));
  expect(await toldByFetch(id, "silent")).not.toHaveProperty("first");
  await shop.close();
});

test("that robots.txt cannot be read, so that nothing may be loaded, is told in words", async () => {
  const closed = await startSite({ "/": home });
  closed.pages.set("/robots.txt", (_, response) => void response.writeHead(501).end("no"));
  const id = await watch(closed.url, "closed");
  expect(await toldBy(id, "closed")).toHaveProperty(
    "first",
    expect.stringMatching(/^The crawl found no page: robots\.txt could not be read/),
  );
  await closed.close();
});
