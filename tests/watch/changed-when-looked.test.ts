import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { crawl, fetchAll, register } from "../support/job.js";
import type { Product } from "../support/product.js";
import { startReceiver, type Receiver } from "../support/receiver.js";
import { reachesLoopback, shareProduct } from "../support/shared-product.js";
import { startSite, type Site } from "../support/site.js";
import { until } from "../support/until.js";

let product: Product;
let site: Site;
let receiver: Receiver;
let objectId = "";

const home = (...names: string[]) => `<h1>Home</h1>${names.map((name) => `<a href="/${name}">${name}</a>`).join(" ")}`;

beforeAll(async () => {
  [product, site, receiver] = await Promise.all([shareProduct(reachesLoopback), startSite({}), startReceiver()]);
  site.pages
    .set("/", home("lamp", "chair", "table"))
    .set("/lamp", "<h1>Lamp</h1><p>In stock</p>")
    .set("/chair", "<h1>Chair</h1><p>In stock</p>")
    .set("/table", "<h1>Table</h1><p>In stock</p>");
  objectId = await register(product, site.url, "The shop");
  await crawl(product, objectId);
  await fetchAll(product, objectId);
  const { id: channel } = await product.rest.call("createChannel", {
    body: { kind: "webhook", name: "Sold out", url: `${receiver.url}/sold-out` },
  });
  await product.rest.call("createRoute", {
    body: { channel_id: channel, testobject_id: objectId, events: ["changed"], text: "sold out" },
  });
});
afterAll(async () => {
  await product.stop();
  await Promise.all([site.close(), receiver.close()]);
});

const allTold = () =>
  until("all to be told and sent", async () => {
    const [row] = await product.db.query<{ waiting: number }>(
      `SELECT (SELECT count(*) FROM run WHERE NOT told)::int + (SELECT count(*) FROM delivery WHERE state <> 'sent')::int AS waiting`,
    );
    return row?.waiting === 0;
  });
const changes = async () =>
  (await product.rest.call("listEvents", { query: { testobject_id: objectId, limit: 500 } })).items
    .filter(({ kind }) => kind === "changed")
    .map(({ pages }) => pages.map(({ url }) => new URL(url).pathname));

test("what changed on a page that a crawl missed is told by the next fetch, once", async () => {
  // one page is no longer linked and says something else, one is no longer linked and as it was, and one leads elsewhere
  site.pages
    .set("/", home())
    .set("/lamp", "<h1>Lamp</h1><p>Sold out</p>")
    .set("/table", (_, response) => void response.writeHead(302, { location: "/chair" }).end());
  await crawl(product, objectId);
  await allTold();
  expect(await changes()).toEqual([]);
  await fetchAll(product, objectId);
  await allTold();
  expect((await changes()).map((paths) => paths.toSorted())).toEqual([["/", "/lamp"]]);
  expect(receiver.of("/sold-out").map(({ body }) => JSON.parse(body) as unknown)).toMatchObject([
    { data: { sections: [{ changed: 1, groups: [{ added: expect.stringContaining("Sold out") }] }] } },
  ]);
  await fetchAll(product, objectId);
  await allTold();
  expect(await changes()).toHaveLength(1);
  expect(receiver.of("/sold-out")).toHaveLength(1);
});

test("what a second look at a fetch shows that nobody was told is told by the next fetch, once", async () => {
  const shop = await startSite({
    ...{ "/": home("two", "fail", "flap"), "/two": "<p>Price 1</p>", "/fail": "<p>Open</p>", "/flap": "<p>Day</p>" },
  });
  const id = await register(product, shop.url, "Looked at again");
  const body = { confirm_after_s: 1, fetch_mode: "http" as const };
  await product.rest.call("updateTestObject", { params: { id }, body });
  await crawl(product, id);
  await fetchAll(product, id);
  await allTold();
  /** Answers in one way once, and in another from then on. */
  const first = (path: string, once: [number, string], then: string) =>
    shop.pages.set(path, (_, response) => {
      shop.pages.set(path, then);
      response.writeHead(once[0], { "content-type": "text/html" }).end(once[1]);
    });
  first("/two", [200, "<p>Price 2</p>"], "<p>Price 3</p>");
  first("/fail", [403, "not for you"], "<p>Closed for good</p>");
  first("/flap", [200, "<p>Night</p>"], "<p>Day</p>");
  const told = async () => {
    const { items } = await product.rest.call("listEvents", { query: { testobject_id: id, limit: 500 } });
    return items
      .filter(({ kind }) => kind !== "new" && kind !== "run-ended")
      .map(({ kind, pages }) => ({
        kind,
        paths: pages.map(({ url }) => new URL(url).pathname).toSorted(),
      }));
  };
  const fetchAndTell = async () => {
    await fetchAll(product, id);
    await allTold();
    return told();
  };
  const seen = [{ kind: "changed", paths: ["/two"] }];
  expect(await fetchAndTell()).toEqual(seen);
  const all = [...seen, { kind: "changed", paths: ["/fail", "/two"] }];
  expect(await fetchAndTell()).toEqual(all);
  expect(await fetchAndTell()).toEqual(all);
  await shop.close();
});
