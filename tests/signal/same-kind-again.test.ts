import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { BodyInput } from "@web-tester/contracts/api";
import { collectHunkTexts } from "@web-tester/records/changes/collect-hunks";
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

async function compare(from: BodyInput<"startComparison">["from"]): Promise<{ id: string; waiting: number }> {
  const { runId } = await product.rest.call("startComparison", { params: { id: objectId }, body: { from } });
  const ended = () => product.rest.call("getReview", { params: { id: runId }, query: {} });
  await until("the comparison", async () => (await ended()).run.state === "finished");
  return { id: runId, waiting: (await ended()).waiting };
}

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
  const { id: compared } = await compare({ type: "run", run_id: first });
  expect(await review(compared)).toEqual([["<p>Costs 9 EUR</p>", "<p>Costs 15 EUR</p>"]]);
  // the route for “costs 15” sends a message, the one for “costs 99” sends none
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

test("what a run says otherwise goes with the snapshot that says it", async () => {
  const samples = async () => {
    const rows = await product.db.query<{ run: string }>("SELECT run_id AS run FROM hunk_sample");
    return rows.map(({ run }) => run);
  };
  const { signal } = new AbortController();
  const before = await samples();
  await collectHunkTexts(product.db, signal);
  expect(await samples()).toEqual(before);
  const [newest = ""] = await fetches();
  expect(before).toContain(newest);
  await product.db.query("UPDATE hunk_sample SET sample_id = gen_random_uuid() WHERE run_id = $1", [newest]);
  await collectHunkTexts(product.db, signal);
  expect(await samples()).toEqual(before.filter((run) => run !== newest));
});

test("an accepted difference holds in the next comparison while its numbers are the same; another one waits", async () => {
  const from = { type: "run" as const, run_id: (await fetches()).at(-1) ?? "" };
  const given = await compare(from);
  expect(given.waiting).toBe(1);
  const accept = { params: { id: given.id }, body: { all: true as const, verdict: "accepted" as const } };
  await product.rest.call("giveVerdict", accept);
  expect((await compare(from)).waiting).toBe(0);
  price(90);
  await fetchAll(product, objectId);
  const changed = await compare(from);
  expect([changed.waiting, await review(changed.id)]).toEqual([1, [["<p>Costs 9 EUR</p>", "<p>Costs 90 EUR</p>"]]]);
  price(15);
  await fetchAll(product, objectId);
  expect((await compare(from)).waiting).toBe(1);
  await product.rest.call("giveVerdict", { ...accept, params: { id: (await compare(from)).id } });
  expect((await compare(from)).waiting).toBe(0);
});
