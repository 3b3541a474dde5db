import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import type { EventKind } from "@web-tester/contracts/entities/digest";
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

/** Routes by the name of their receiver. */
const routes: Record<string, { events: EventKind[]; failures?: number }> = {
  failing: { events: ["failing", "recovered"] },
  twice: { events: ["failing", "recovered"], failures: 2 },
  gone: { events: ["gone", "recovered"] },
};

beforeAll(async () => {
  [product, site, receiver] = await Promise.all([shareProduct(reachesLoopback), startSite({}), startReceiver()]);
  site.pages.set("/", `<h1>Home</h1><a href="/a">a</a>`).set("/a", "<h1>a</h1>");
  objectId = await register(product, site.url, "The shop");
  await crawl(product, objectId);
  await fetchAll(product, objectId);
  for (const [name, route] of Object.entries(routes)) {
    const url = `${receiver.url}/${name}`;
    const { id } = await product.rest.call("createChannel", { body: { kind: "webhook", name, url } });
    await product.rest.call("createRoute", { body: { channel_id: id, testobject_id: objectId, ...route } });
  }
});
afterAll(async () => {
  await product.stop();
  await Promise.all([site.close(), receiver.close()]);
});
beforeEach(() => void receiver.received.splice(0));

/** Fetches all pages once for each status with which the page /a answers. */
async function fetchWith(...statuses: number[]): Promise<void> {
  for (const status of statuses) {
    site.pages.set("/a", status === 200 ? "<h1>a</h1>" : (_, response) => void response.writeHead(status).end("no"));
    await fetchAll(product, objectId);
    await until("all to be told and sent", async () => {
      const [row] = await product.db.query<{ waiting: number }>(
        `SELECT (SELECT count(*) FROM run WHERE NOT told)::int + (SELECT count(*) FROM delivery WHERE state <> 'sent')::int AS waiting`,
      );
      return row?.waiting === 0;
    });
  }
}

/** What a receiver was told of the page, such as `failing`, in order. */
const toldOf = (name: string): string[] =>
  receiver.of(`/${name}`).flatMap(({ body }) => {
    const { data } = JSON.parse(body) as {
      data: { sections: Record<"failing" | "gone" | "recovered", { total: number }>[] };
    };
    return data.sections.flatMap((section) =>
      (["failing", "gone", "recovered"] as const).filter((kind) => section[kind].total > 0),
    );
  });
const told = () => Object.fromEntries(Object.keys(routes).map((name) => [name, toldOf(name)]));

test("who is told of failures alone is not told that a page is back that was only gone", async () => {
  await fetchWith(404, 200);
  expect(told()).toEqual({ failing: [], twice: [], gone: ["gone", "recovered"] });
});

test("who was told that a page fails is told that it is back, although it was gone in between", async () => {
  await fetchWith(500, 404, 200);
  expect(told()).toEqual({ failing: ["failing", "recovered"], twice: [], gone: ["gone", "recovered"] });
});

test("a page that was gone and then fails is told as failing, once", async () => {
  await fetchWith(500, 404, 500, 500, 200);
  expect(told()).toEqual({
    failing: ["failing", "recovered"],
    twice: ["failing", "recovered"],
    gone: ["gone", "recovered"],
  });
  receiver.received.splice(0);
  await fetchWith(404, 500, 404, 200);
  expect(told()).toEqual({
    failing: ["failing", "recovered"],
    twice: ["failing", "recovered"],
    gone: ["gone", "recovered"],
  });
});

test.each([
  ["ends", "muted", () => new Date().toISOString()],
  ["is ended by hand", "unmuted", () => null],
])("what fails still when a mute %s is told then, once", async (_, name, ending) => {
  const { id: channel } = await product.rest.call("createChannel", {
    body: { kind: "webhook", name, url: `${receiver.url}/${name}` },
  });
  const { id } = await product.rest.call("createRoute", {
    body: { channel_id: channel, testobject_id: objectId, muted_until: "2050-01-01T00:00:00Z" },
  });
  await fetchWith(500, 500);
  expect(toldOf(name)).toEqual([]);
  const body = { muted_until: ending() };
  await expect(product.rest.call("updateRoute", { params: { id }, body })).resolves.toMatchObject(body);
  await fetchWith(500, 500);
  expect(toldOf(name)).toEqual(["failing"]);
  await fetchWith(200);
  expect(toldOf(name)).toEqual(["failing", "recovered"]);
  // others are told as ever
  expect(toldOf("failing")).toEqual(["failing", "recovered"]);
});
