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
