import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { ComparedPart } from "@web-tester/contracts/entities/comparison";
import { crawl, fetchAll, register } from "../support/job.js";
import type { Product } from "../support/product.js";
import { reachesLoopback, shareProduct } from "../support/shared-product.js";
import { startSite, type Site } from "../support/site.js";
import { until } from "../support/until.js";

/** Staging and production: two sites with the same content, whose pages contain the address of their own site. */
let product: Product;
let production: Site;
let staging: Site;
const ids = { production: "", staging: "" };
const names = Array.from({ length: 8 }, (_, index) => `p${index}`);

function publish(site: Site, bodies: Record<string, string> = {}): void {
  site.pages.set("/", names.map((name) => `<a href="${site.url}${name}">${name}</a>`).join(""));
  for (const name of names)
    site.pages.set(
      `/${name}`,
      `<link rel=canonical href="${site.url}${name}"><h1>${name}</h1><p>${bodies[name] ?? "Words"}</p>
       <script>{"u":"${site.url.replaceAll("/", String.raw`\/`)}x"}</script><link rel=stylesheet href="${site.url}s.css">`,
    );
}

beforeAll(async () => {
  [product, production, staging] = await Promise.all([shareProduct(reachesLoopback), startSite({}), startSite({})]);
  publish(production);
  publish(staging, { p2: "Other words", p3: "Other words" });
  staging.pages.set("/p7", (_request, response) => void response.writeHead(404).end("not here"));
  staging.pages.set("/p8", `<h1>New</h1>`);
  staging.pages.set("/p0", `${String(staging.pages.get("/p0"))}<a href="${staging.url}p8">new</a>`);
  for (const site of [production, staging])
    site.pages.set("/s.css", (_request, response) => {
      response.setHeader("content-type", "text/css");
      response.end(`p { color: ${site === staging ? "red" : "blue"} }`);
    });
  for (const [name, site] of Object.entries({ production, staging }) as [keyof typeof ids, Site][]) {
    ids[name] = await register(product, site.url, name);
    const body = { noise_mode: "off" as const, asset_snapshots: false };
    await product.rest.call("updateTestObject", { params: { id: ids[name] }, body });
    await crawl(product, ids[name]);
    await fetchAll(product, ids[name]);
  }
});
afterAll(async () => {
  await product.stop();
  await Promise.all([production.close(), staging.close()]);
});

const review = (id: string) => product.rest.call("getReview", { params: { id }, query: {} });
async function compare(only?: ComparedPart[]): Promise<string> {
  const { runId } = await product.rest.call("startComparison", {
    params: { id: ids.staging },
    body: { from: { type: "object", testobject_id: ids.production }, only },
  });
  await until("the end of the comparison", async () => (await review(runId)).run.state === "finished");
  return runId;
}
const pagesOf = async (runId: string, kind: "changed" | "new" | "gone" | "unchanged") =>
  (await product.rest.call("listReviewPages", { params: { id: runId }, query: { kind } })).items;
const paths = (items: Awaited<ReturnType<typeof pagesOf>>) =>
  items.map(({ instance }) => new URL(instance.url).pathname).toSorted();

test("two sites are compared by path, addresses of one read as those of the other: only what was edited differs", async () => {
  const runId = await compare();
  expect(paths(await pagesOf(runId, "changed"))).toEqual(["/p0", "/p2", "/p3"]);
  expect(paths(await pagesOf(runId, "new"))).toEqual(["/p8"]);
  const gone = await pagesOf(runId, "gone");
  expect(paths(gone)).toEqual(["/p7"]);
  const { counts, groups, waiting } = await review(runId);
  expect([counts.changed, counts.new, counts.gone, counts.unchanged, waiting]).toEqual([3, 1, 1, 5, 5]);
  expect(groups.map(({ pages }) => pages)).toEqual([2, 1]);
  // the comparison of one page says the same
  const [page] = (await pagesOf(runId, "changed")).filter(({ instance }) => instance.url.endsWith("/p2"));
  const diff = await product.rest.call("getDiffHunks", {
    query: { a: page?.compared_with ?? "", b: page?.snapshot_id ?? "" },
  });
  expect([diff.added, diff.removed]).toEqual([1, 1]);
});

test("it is accepted as a whole, and says nothing about the pages of the other site", async () => {
  const runId = await compare();
  const body = { all: true as const, verdict: "accepted" as const };
  expect((await product.rest.call("giveVerdict", { params: { id: runId }, body })).waiting).toBe(0);
  const { items } = await product.rest.call("listTestInstances", { params: { id: ids.production } });
  const p7 = items.find(({ url }) => url.endsWith("/p7"))?.id ?? "";
  expect((await product.rest.call("getBaseline", { params: { id: p7 } })).snapshot_id).toBeNull();
  const { runId: baseline } = await product.rest.call("startComparison", {
    params: { id: ids.production },
    body: { from: { type: "baseline" } },
  });
  await until("its end", async () => (await review(baseline)).run.state === "finished");
  expect((await review(baseline)).counts).toMatchObject({ changed: 0, new: 0, gone: 0 });
});

test("an object is not compared with itself, or with none", async () => {
  const start = (testobject_id: string) =>
    product.rest.call("startComparison", {
      params: { id: ids.staging },
      body: { from: { type: "object", testobject_id } },
    });
  await expect(start(ids.staging)).rejects.toThrow(/itself/);
  await expect(start("0190b0f0-0000-7000-8000-000000000001")).rejects.toThrow(/test object/i);
});

test("only a part of what pages say counts, where one asks for a part", async () => {
  staging.pages.set("/p5", String(staging.pages.get("/p5")).replace("<h1>", "<h1 class=big>"));
  await fetchAll(product, ids.staging);
  const changed = async (...only: ComparedPart[]) => paths(await pagesOf(await compare(only), "changed"));
  expect(await changed("source")).toEqual(["/p0", "/p2", "/p3", "/p5"]);
  expect(await changed("text")).toEqual(["/p0", "/p2", "/p3"]);
  expect(await changed("status")).toEqual([]);
  expect(await changed("text", "source", "files", "status")).toEqual(["/p0", "/p2", "/p3", "/p5"]);
});

test("a page that fails on the other site for now is not new here; one that is gone there is", async () => {
  const [p1, p4] = ["/p1", "/p4"].map((path) => production.pages.get(path) ?? "");
  production.pages.set("/p1", (_request, response) => void response.writeHead(403).end("not now"));
  production.pages.set("/p4", (_request, response) => void response.writeHead(404).end("not here"));
  await fetchAll(product, ids.production);
  const runId = await compare();
  expect(paths(await pagesOf(runId, "new"))).toEqual(["/p4", "/p8"]);
  expect(paths(await pagesOf(runId, "changed"))).toEqual(["/p0", "/p2", "/p3", "/p5"]);
  production.pages.set("/p1", p1 ?? "");
  production.pages.set("/p4", p4 ?? "");
  await fetchAll(product, ids.production);
});

test("what the other site has moved is found where it was", async () => {
  // the page has another address on staging, and the old one redirects there
  const moved = String(staging.pages.get("/p6"));
  staging.pages.set("/moved", moved.replace("/p6", "/moved"));
  staging.pages.set("/p6", (_request, response) => void response.writeHead(301, { location: "/moved" }).end());
  staging.pages.set("/p0", `${String(staging.pages.get("/p0"))}<a href="${staging.url}moved">moved</a>`);
  await crawl(product, ids.staging);
  const moves = async () =>
    (await product.rest.call("listLifecycle", { params: { id: ids.staging }, query: {} })).items.filter(
      ({ kind, to_url: to }) => kind === "moved" && to === `${staging.url}moved`,
    );
  // a move is settled only when the run is told
  await until("the move to be known", async () => (await moves()).length > 0);
  await fetchAll(product, ids.staging);
  const runId = await compare();
  expect(paths(await pagesOf(runId, "new"))).toEqual(["/p8"]);
  expect(paths(await pagesOf(runId, "gone"))).toEqual(["/p7"]);
});
