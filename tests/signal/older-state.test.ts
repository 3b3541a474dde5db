import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import type { BodyInput } from "@web-tester/contracts/api";
import { applyRetention } from "@web-tester/records/snapshots/apply-retention";
import { crawl, fetchAll, register } from "../support/job.js";
import type { Product } from "../support/product.js";
import { reachesLoopback, shareProduct } from "../support/shared-product.js";
import { startSite, type Site } from "../support/site.js";
import { until } from "../support/until.js";

/** Which older state a release is compared with: nothing passes that nobody has accepted, and what was accepted stays accepted. */
let product: Product;
let site: Site;
let objectId = "";
/** Test objects of one address are told apart by their names. */
let name = "";
let tests = 0;

const page = (words: string, headers: Record<string, string> = {}, status = 200) =>
  site.pages.set("/a", (_request, response) => {
    response.writeHead(status, { "content-type": "text/html; charset=utf-8", ...headers }).end(`<h1>A</h1>${words}`);
  });

beforeAll(async () => {
  [product, site] = await Promise.all([shareProduct(reachesLoopback), startSite({})]);
});
beforeEach(async () => {
  site.pages.set("/", `<a href="/a">a</a>`);
  page("<p>One</p>");
  name = `Older state ${++tests}`;
  objectId = await register(product, site.url, name);
  await set({ noise_mode: "off" });
  await crawl(product, objectId);
  await fetchAll(product, objectId);
});
afterAll(async () => {
  await product.stop();
  await site.close();
});

const set = (body: BodyInput<"updateTestObject">) =>
  product.rest.call("updateTestObject", { params: { id: objectId }, body });

/** Compares the newest state, and returns what of it waits for a verdict. */
async function compare(body: BodyInput<"startComparison">) {
  const { runId } = await product.rest.call("startComparison", { params: { id: objectId }, body });
  const review = () => product.rest.call("getReview", { params: { id: runId }, query: {} });
  await until("the comparison", async () => (await review()).run.state === "finished");
  const { waiting, groups, counts } = await review();
  return { runId, waiting, kinds: groups.map(({ kind }) => kind).toSorted(), counts };
}
const accept = (runId: string) =>
  product.rest.call("giveVerdict", { params: { id: runId }, body: { all: true, verdict: "accepted" } });
const newestFetch = async () =>
  (await product.rest.call("listRuns", { params: { id: objectId }, query: {} })).items.find(
    ({ kind }) => kind === "snapshot-all",
  )?.id ?? "";

test("a page that went is told once by the comparison with the snapshots before, and again when it comes back", async () => {
  const previous = { from: { type: "previous" } } as const;
  page("not here", {}, 404);
  await fetchAll(product, objectId);
  expect((await compare(previous)).counts).toMatchObject({ gone: 1, unchanged: 1 });
  await fetchAll(product, objectId);
  expect((await compare(previous)).counts).toMatchObject({ gone: 0, new: 0, unchanged: 1 });
  page("<p>One</p>");
  await fetchAll(product, objectId);
  expect((await compare(previous)).counts).toMatchObject({ gone: 0, new: 1, unchanged: 1 });
});

test("what was accepted where only text counted is no baseline of what else a page says", async () => {
  const text: BodyInput<"startComparison"> = { from: { type: "baseline" }, only: ["text"] };
  page("<p>Two</p>", { "x-robots-tag": "noindex" });
  await fetchAll(product, objectId);
  const { runId, waiting } = await compare(text);
  expect(waiting).toBe(1);
  await accept(runId);
  expect((await compare(text)).waiting).toBe(0);
  const all = await compare({ from: { type: "baseline" } });
  expect([all.waiting, all.kinds]).toEqual([1, ["content", "header"]]);
  await accept(all.runId);
  expect((await compare({ from: { type: "baseline" } })).waiting).toBe(0);
  expect((await compare(text)).waiting).toBe(0);
});

test("accepting a comparison that looks back to before a page was there takes no baseline from it", async () => {
  const before = await newestFetch();
  site.pages.set("/b", "<p>Came later</p>");
  site.pages.set("/", `<a href="/a">a</a><a href="/b">b</a>`);
  await crawl(product, objectId);
  await fetchAll(product, objectId);
  const back = await compare({
    from: { type: "run", run_id: await newestFetch() },
    to: { type: "run", run_id: before },
  });
  expect(back.counts).toMatchObject({ gone: 1 });
  await accept(back.runId);
  const first = await compare({ from: { type: "baseline" } });
  expect(first.counts).toMatchObject({ new: 1 });
  await accept(first.runId);
  expect((await compare({ from: { type: "baseline" } })).waiting).toBe(0);
});

test("retention leaves the first snapshot of a page that is compared with its baseline until one is accepted", async () => {
  const numbers = async () =>
    (
      await product.db.query<{ number: number }>(
        "SELECT s.number FROM test_snapshot s JOIN test_instance i ON i.id = s.test_instance_id WHERE i.test_object_id = $1 AND i.url LIKE '%/a' ORDER BY 1",
        [objectId],
      )
    ).map(({ number }) => number);
  const trim = async () => {
    await product.db.query("UPDATE test_object SET retention_checked_at = NULL");
    await applyRetention({ db: product.db, signal: new AbortController().signal, onRemoved: () => undefined });
  };
  page("<p>Two</p>");
  await fetchAll(product, objectId);
  await fetchAll(product, objectId);
  const { runId, waiting } = await compare({ from: { type: "baseline" } });
  expect(waiting).toBe(1);
  await set({ keep_snapshots: 1 });
  await trim();
  expect(await numbers()).toEqual([1, 3]);
  expect((await compare({ from: { type: "baseline" } })).waiting).toBe(1);
  await accept(runId);
  await trim();
  expect(await numbers()).toEqual([3]);
});

test("history that is imported from before a site was fetched is no baseline", async () => {
  const old = { testinstance_id: "a", created_at: "2019-05-01T10:00:00Z", html: "<h1>A</h1><p>Long ago</p>" };
  const file = {
    testObjects: [{ id: "s", name, url: site.url }],
    testInstances: [{ id: "a", testobject_id: "s", url: `${site.url}a` }],
    testSnapshots: [{ id: "1", ...old }],
  };
  const headers = { "content-type": "application/json" };
  const answer = await fetch(`${product.address}/api/import`, {
    ...{ method: "POST", headers, body: JSON.stringify(file) },
  });
  expect([answer.status, (await answer.text()).slice(0, 300)]).toEqual([200, expect.any(String)]);
  expect((await compare({ from: { type: "time", at: "2019-12-01T00:00:00Z" } })).counts).toMatchObject({ changed: 1 });
  expect((await compare({ from: { type: "baseline" } })).counts).toMatchObject({ changed: 0, unchanged: 2 });
});
