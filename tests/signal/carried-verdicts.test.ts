import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { BodyInput } from "@web-tester/contracts/api";
import { crawl, fetchAll, register } from "../support/job.js";
import type { Product } from "../support/product.js";
import { reachesLoopback, shareProduct } from "../support/shared-product.js";
import { startSite, type Site } from "../support/site.js";
import { until } from "../support/until.js";

/** The verdicts on a page in one comparison carry over to the next comparison of the same sides. */
let product: Product;
let site: Site;
let objectId = "";
let first = "";

const answer = (words: string, headers: Record<string, string> = {}, status = 200) =>
  site.pages.set("/", (_request, response) => {
    response.writeHead(status, { "content-type": "text/html; charset=utf-8", ...headers }).end(`<h1>Hats</h1>${words}`);
  });

beforeAll(async () => {
  [product, site] = await Promise.all([shareProduct(reachesLoopback), startSite({})]);
  answer("<p>Old</p>");
  objectId = await register(product, site.url, "Hats");
  await product.rest.call("updateTestObject", { params: { id: objectId }, body: { noise_mode: "off" } });
  await crawl(product, objectId);
  first = await fetchNow();
});
afterAll(async () => {
  await product.stop();
  await site.close();
});

async function fetchNow(): Promise<string> {
  await fetchAll(product, objectId);
  const { items } = await product.rest.call("listRuns", { params: { id: objectId }, query: {} });
  return items.find(({ kind }) => kind === "snapshot-all")?.id ?? "";
}

/** Makes a comparison with the first run. @returns its id, and how many of its differences wait for a verdict */
async function waiting(only?: BodyInput<"startComparison">["only"]): Promise<{ id: string; waiting: number }> {
  const { runId } = await product.rest.call("startComparison", {
    params: { id: objectId },
    body: { from: { type: "run", run_id: first }, ...(only === undefined ? {} : { only }) },
  });
  const review = () => product.rest.call("getReview", { params: { id: runId }, query: {} });
  await until("the comparison", async () => (await review()).run.state === "finished");
  return { id: runId, waiting: (await review()).waiting };
}

async function acceptPage(runId: string, kind: "changed" | "gone" = "changed"): Promise<void> {
  const { items } = await product.rest.call("listReviewPages", { params: { id: runId }, query: { kind } });
  const instance = items[0]?.instance.id ?? "";
  const body = { instance_id: instance, verdict: "accepted" as const };
  await product.rest.call("giveVerdict", { params: { id: runId }, body });
}

test("a page that was accepted stays so while all that it says is the same, and waits where its status or its headers are others", async () => {
  answer("<p>New</p>");
  await fetchNow();
  await acceptPage((await waiting()).id);
  expect((await waiting()).waiting).toBe(0);
  // a nonce is new with every answer
  for (const nonce of ["n1", "n2"]) {
    answer("<p>New</p>", { "content-security-policy": `script-src 'nonce-${nonce}'` });
    await fetchNow();
    const { id, waiting: left } = await waiting();
    expect([nonce, left]).toEqual([nonce, nonce === "n1" ? 1 : 0]);
    if (left > 0) await acceptPage(id);
  }
  answer("<p>New</p>");
  await fetchNow();
  await acceptPage((await waiting()).id);
  await fetchNow();
  expect((await waiting()).waiting).toBe(0);
  answer("<p>New</p>", { "x-robots-tag": "noindex" });
  await fetchNow();
  const hidden = await waiting();
  expect(hidden.waiting).toBe(1);
  await acceptPage(hidden.id);
  expect((await waiting()).waiting).toBe(0);
  answer("<p>New</p>", { "x-robots-tag": "noindex" }, 203);
  await fetchNow();
  expect((await waiting()).waiting).toBe(1);
});

test("a page that was accepted where only its text counted waits where more of it counts, and not the other way", async () => {
  answer("<p class=other>Newest</p>");
  await fetchNow();
  await acceptPage((await waiting(["text"])).id);
  expect((await waiting(["text"])).waiting).toBe(0);
  const all = await waiting();
  expect(all.waiting).toBe(1);
  await acceptPage(all.id);
  expect((await waiting(["text"])).waiting).toBe(0);
});

test("a comparison of which less counts in between forgets nothing of what was said of more", async () => {
  answer("<p class=more>Newest</p>");
  await fetchNow();
  await acceptPage((await waiting()).id);
  expect((await waiting(["status"])).waiting).toBe(0);
  expect((await waiting()).waiting).toBe(0);
  answer("not here", {}, 404);
  await fetchNow();
  await acceptPage((await waiting()).id, "gone");
  expect((await waiting(["text"])).waiting).toBe(0);
  expect((await waiting()).waiting).toBe(0);
});

test("a page that was accepted to be gone stays so, whatever its server answers for it", async () => {
  answer("<p>Here again</p>");
  await fetchNow();
  await waiting();
  answer("not here", {}, 404);
  await fetchNow();
  const gone = await waiting();
  expect(gone.waiting).toBe(1);
  await acceptPage(gone.id, "gone");
  answer("<p>gone for good</p>", { "x-robots-tag": "none" }, 410);
  await fetchNow();
  expect((await waiting()).waiting).toBe(0);
  answer("<p>Back</p>");
  await fetchNow();
  expect((await waiting()).waiting).toBe(1);
});

test("what was accepted in one comparison after the next one had begun holds in the one after that, and a later word more", async () => {
  answer("<p>Overtaken</p>");
  await fetchNow();
  const [slow, fast] = [await waiting(), await waiting()];
  expect([slow.waiting, fast.waiting]).toEqual([1, 1]);
  const say = (id: string, verdict: "accepted" | "problem") =>
    product.rest.call("giveVerdict", { params: { id }, body: { all: true, verdict } });
  await say(slow.id, "accepted");
  const next = await waiting();
  expect(next.waiting).toBe(0);
  // a verdict on one page alone carries over, too
  answer("<p class=two>Overtaken</p><p>Twice</p>");
  await fetchNow();
  const [older] = [await waiting(), await waiting()];
  await acceptPage(older.id);
  expect((await waiting()).waiting).toBe(0);
});
