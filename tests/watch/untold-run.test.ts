import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { crawl, fetchAll, register } from "../support/job.js";
import type { Product } from "../support/product.js";
import { startReceiver, type Receiver } from "../support/receiver.js";
import { reachesLoopback, shareProduct } from "../support/shared-product.js";
import { startSite, type Site } from "../support/site.js";
import { until } from "../support/until.js";

let product: Product;
let sites: Site[] = [];
let receiver: Receiver;
let [broken, sound] = ["", ""];

const publish = (words: string) => sites.forEach((site) => site.pages.set("/", `<h1>Home</h1><p>${words}</p>`));
const eventsOf = async (objectId: string) =>
  (await product.rest.call("listEvents", { query: { testobject_id: objectId, limit: 500 } })).items
    .map(({ kind }) => kind)
    .filter((kind) => kind !== "run-ended");
const untold = async () => (await product.rest.call("listDeliveries", { query: {} })).untold;
const untoldMetric = async () => {
  const text = await (await fetch(`${product.address}/metrics`)).text();
  return /^web_tester_runs_untold\{[^}]*\} (\d+)$/m.exec(text)?.[1];
};

beforeAll(async () => {
  [product, receiver, ...sites] = await Promise.all([
    shareProduct(reachesLoopback),
    startReceiver(),
    startSite({}),
    startSite({}),
  ]);
  publish("before");
  [broken, sound] = (await Promise.all(
    sites.map((site, index) => register(product, site.url, index === 0 ? "Broken" : "Sound")),
  )) as [string, string];
  for (const objectId of [broken, sound]) {
    await crawl(product, objectId);
    await fetchAll(product, objectId);
  }
});
afterAll(async () => {
  await product.stop();
  await Promise.all([receiver, ...sites].map((each) => each.close()));
});

test("a run that cannot be told holds up no other object, and is told when its cause is gone", async () => {
  const { id: channel } = await product.rest.call("createChannel", {
    body: { kind: "webhook", name: "Sound", url: `${receiver.url}/sound` },
  });
  await product.rest.call("createRoute", { body: { channel_id: channel, testobject_id: sound, events: ["changed"] } });
  await product.db.query(`
    CREATE FUNCTION refuse_event() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no event of this object'; END $$;
    CREATE TRIGGER refuse_event BEFORE INSERT ON watch_event FOR EACH ROW
      WHEN (NEW.test_object_id = '${broken}') EXECUTE FUNCTION refuse_event()`);
  try {
    publish("after");
    // its run is the older one, which is told first
    await fetchAll(product, broken);
    await fetchAll(product, sound);
    await until("the message about the other object", async () => receiver.of("/sound").length === 1);
    expect(await eventsOf(sound)).toEqual(["changed"]);
    expect(await eventsOf(broken)).toEqual([]);
    // its owner sees that nothing is said about it, and why, where messages are listed
    expect(await untold()).toMatchObject([
      { testobject_id: broken, object_name: "Broken", why: "no event of this object", tries: expect.any(Number) },
    ]);
    expect(await untoldMetric()).toBe("1");
  } finally {
    await product.db.query("DROP TRIGGER refuse_event ON watch_event; DROP FUNCTION refuse_event()");
  }
  await until("the run to be told", async () => (await eventsOf(broken)).length === 1);
  expect(await eventsOf(broken)).toEqual(["changed"]);
  expect(await untold()).toEqual([]);
  expect(await untoldMetric()).toBe("0");
});
