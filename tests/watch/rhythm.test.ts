import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { tellSilences } from "@web-tester/records/events/tell-silence";
import { crawl, fetchAll, register } from "../support/job.js";
import type { Product } from "../support/product.js";
import { reachesLoopback, shareProduct } from "../support/shared-product.js";
import { type Receiver, startReceiver } from "../support/receiver.js";
import { type Site, startSite } from "../support/site.js";
import { until } from "../support/until.js";

const paths = [
  ...Array.from({ length: 8 }, (_, i) => `/blog/${i}`),
  ...Array.from({ length: 8 }, (_, i) => `/shop/${i}`),
];
let product: Product;
let site: Site;
let receiver: Receiver;
let objectId = "";

beforeAll(async () => {
  [product, site, receiver] = await Promise.all([
    shareProduct(reachesLoopback),
    startSite({ "/": paths.map((path) => `<a href="${path}">${path}</a>`).join("") }),
    startReceiver(),
  ]);
  for (const path of paths) publish(path, 0);
  objectId = await register(product, site.url, "The site");
  await product.rest.call("updateTestObject", { params: { id: objectId }, body: { noise_mode: "off" } });
  await crawl(product, objectId);
  await fetchAll(product, objectId);
  const { id } = await product.rest.call("createChannel", {
    body: { kind: "mattermost", name: "Strange", url: `${receiver.url}/strange` },
  });
  const events = ["unusual" as const, "silent" as const];
  await product.rest.call("createRoute", { body: { channel_id: id, testobject_id: objectId, events } });
});
afterAll(async () => {
  await product.stop();
  await Promise.all([site.close(), receiver.close()]);
});

const publish = (path: string, edition: number) => site.pages.set(path, `<h1>${path}</h1><p>Edition ${edition}</p>`);
const strange = async () => {
  const { items } = await product.rest.call("listEvents", { query: { testobject_id: objectId, limit: 500 } });
  return items
    .filter(({ kind }) => kind === "unusual" || kind === "silent")
    .map(({ kind, said }) => `${kind}: ${said}`);
};
/** Fetches all pages, and waits until all runs have been told. */
async function look(): Promise<void> {
  await fetchAll(product, objectId);
  await until("all runs to be told", async () => {
    const [row] = await product.db.query<{ untold: number }>(
      "SELECT count(*)::int AS untold FROM run WHERE NOT told AND state <> 'running'",
    );
    return row?.untold === 0;
  });
}

test("a section that changes more than usual is an event and a message of its own, by the narrowest name", async () => {
  for (let edition = 1; edition <= 5; edition++) {
    publish("/blog/1", edition);
    await look();
  }
  expect(await strange()).toEqual([]);
  for (const path of paths.filter((one) => one.startsWith("/shop/"))) publish(path, 9);
  await look();
  const said = "More changes than usual under /shop/: 8 pages changed, usually none";
  expect(await strange()).toEqual([`unusual: ${said}`]);
  await until("the message", async () => receiver.of("/strange").length === 1);
  expect(receiver.of("/strange")[0]?.body.replaceAll("\\", "")).toContain(`[${said}]`);
});

test("budgets and times of silence are what somebody has set; silence is told once", async () => {
  await product.rest.call("updateTestObject", {
    params: { id: objectId },
    body: { change_budgets: ["/blog/ 1", "/ off", "* off"], silence_after: ["/shop/ 2 hours", "/blog/ off"] },
  });
  for (const path of paths) publish(path, 20);
  await look();
  expect((await strange()).slice(1)).toEqual([
    "unusual: Over the change budget under /blog/: 8 pages changed, the budget is 1",
  ]);
  await product.db.query("UPDATE change_rhythm SET changed_at = changed_at - interval '3 hours'");
  await look();
  await look();
  expect((await strange()).slice(2)).toEqual(["silent: Nothing changed under /shop/ for 3 h"]);
  publish("/shop/1", 30);
  await look();
  await product.db.query("UPDATE change_rhythm SET changed_at = changed_at - interval '3 hours'");
  await look();
  expect(await strange()).toHaveLength(4);
});

test("where no fetch ends, the clock tells of silence: once on two gateways, of the last fetch, for feeds too", async () => {
  const before = (await strange()).length;
  await product.rest.call("updateTestObject", {
    params: { id: objectId },
    body: { silence_after: ["/shop/ 2 hours", "/ off", "* off"] },
  });
  publish("/shop/1", 31);
  await look();
  const [run] = await product.db.query<{ id: string }>("SELECT id FROM run ORDER BY id DESC LIMIT 1");
  const told: string[] = [];
  const tell = (at: number) =>
    tellSilences(product.db, new Date(at), async (_, { id }, notes) => {
      told.push(...notes.map(({ said }) => `${id} ${said}`));
    });
  await tell(Date.now() + 3_600_000);
  expect(told).toEqual([]);
  const later = Date.now() + 5.5 * 3_600_000;
  await Promise.all([tell(later), tell(later)]);
  await tell(later + 3_600_000);
  const said = /Nothing changed under \/shop\/ for 5 h \d+ min; the last fetch ended 5 h \d+ min ago$/;
  expect(told).toEqual([expect.stringMatching(said)]);
  expect(told[0]).toContain(`${run?.id} `);
  expect((await strange()).slice(before)).toEqual([expect.stringMatching(said)]);
  // a run that still goes on will tell by itself when it ends
  await product.db.query("UPDATE change_rhythm SET silent = false");
  await product.db.query("UPDATE run SET state = 'running' WHERE id = $1", [run?.id]);
  await tell(later);
  expect(told).toHaveLength(1);
  await product.db.query("UPDATE run SET state = 'finished' WHERE id = $1", [run?.id]);
  await tell(later);
  expect(told).toHaveLength(2);
});

test.each([
  [{ change_budgets: ["shop 20"] }, /path and a number of pages/],
  [{ silence_after: ["/news/ often"] }, /path and a time/],
])("%j is refused in words", async (body, words) => {
  await expect(product.rest.call("updateTestObject", { params: { id: objectId }, body })).rejects.toThrow(words);
});
