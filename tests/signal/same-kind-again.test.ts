import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { crawl, fetchAll, register } from "../support/job.js";
import type { Product } from "../support/product.js";
import { type Receiver, startReceiver } from "../support/receiver.js";
import { reachesLoopback, shareProduct } from "../support/shared-product.js";
import { startSite, type Site } from "../support/site.js";
import { until } from "../support/until.js";

let product: Product;
let site: Site;
let receiver: Receiver;
let objectId = "";

const price = (euro: number) => site.pages.set("/", `<h1>Hats</h1><p>Costs ${euro} EUR</p>`);
const fetches = async () =>
  (await product.rest.call("listRuns", { params: { id: objectId }, query: {} })).items
    .filter(({ kind }) => kind === "snapshot-all")
    .map(({ id }) => id);
const review = async (runId = "") => {
  const { groups } = await product.rest.call("getReview", { params: { id: runId }, query: {} });
  return groups.map(({ removed, added }) => [removed, added]);
};

beforeAll(async () => {
  [product, site, receiver] = await Promise.all([shareProduct(reachesLoopback), startSite({}), startReceiver()]);
  price(9);
  objectId = await register(product, site.url, "Hats");
  await crawl(product, objectId);
  for (const euro of [9, 12]) {
    price(euro);
    await fetchAll(product, objectId);
  }
});
afterAll(async () => {
  await product.stop();
  await Promise.all([site.close(), receiver.close()]);
});

test("numbers are left out of a kind of change, but each run, comparison and message says its own", async () => {
  const { id } = await product.rest.call("createChannel", {
    body: { kind: "webhook", name: "Hook", url: `${receiver.url}/price` },
  });
  for (const text of ["costs 15", "costs 99"])
    await product.rest.call("createRoute", { body: { channel_id: id, testobject_id: objectId, text } });
  price(15);
  await fetchAll(product, objectId);
  const [newest, before, first = ""] = await fetches();
  expect(await review(before)).toEqual([["<p>Costs 9 EUR</p>", "<p>Costs 12 EUR</p>"]]);
  expect(await review(newest)).toEqual([["<p>Costs 12 EUR</p>", "<p>Costs 15 EUR</p>"]]);
  const { runId } = await product.rest.call("startComparison", {
    params: { id: objectId },
    body: { from: { type: "run", run_id: first } },
  });
  await until("the comparison", async () => (await review(runId)).length > 0);
  expect(await review(runId)).toEqual([["<p>Costs 9 EUR</p>", "<p>Costs 15 EUR</p>"]]);
  // whoever waits for 15 is told, whoever waits for 99 is not
  await until("a message", async () => receiver.received.length > 0);
  await until("all runs to be told", async () => {
    const rows = await product.db.query("SELECT 1 FROM delivery WHERE state <> 'sent'");
    return rows.length === 0;
  });
  const [told, ...others] = receiver.of("/price").map(({ body }) => body);
  expect(others).toEqual([]);
  expect(told).toContain("Costs 12 EUR");
  expect(told).toContain("Costs 15 EUR");
});
