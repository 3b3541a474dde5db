import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { file } from "../support/asset-site.js";
import { crawl, fetchAll, register } from "../support/job.js";
import type { Product } from "../support/product.js";
import { shareProduct } from "../support/shared-product.js";
import { startSite, type Site } from "../support/site.js";
import { until } from "../support/until.js";

const names = ["a", "b", "c", "d"];
let product: Product;
let site: Site;
let objectId = "";

/** Publishes the pages as a build of the site makes them: with other class names, scripts and white space in each. */
function publish(build: number, fields: { words?: string; style?: string; title?: string } = {}) {
  const links = names.map((name) => `<a class="l${build}" href="/${name}">${name}</a>`);
  site.pages.set("/", `<title>Home</title><p>${links.join("\n".repeat(build))}</p>`);
  const { words = "Words", style = "", title = "t" } = fields;
  for (const name of names)
    site.pages.set(
      `/${name}`,
      `<html><head><title>${name === "d" ? title : name}</title>${name === "c" ? '<link rel="stylesheet" href="/c.css">' : ""}</head>
<body><h1 id="h${build * 7919}">${name}</h1>\r\n<p>${name === "b" ? words : "Words"}</p><script>build(${build})</script></body></html>`,
    );
  site.pages.set("/c.css", file("text/css", `p { color: red }${style}`));
}

beforeAll(async () => {
  [product, site] = await Promise.all([shareProduct(), startSite({})]);
  publish(1);
  objectId = await register(product, site.url);
  await crawl(product, objectId);
  await fetchAll(product, objectId);
});
afterAll(async () => {
  await product.stop();
  await site.close();
});

/** The pages that the newest fetch says have changed, by path. */
async function changed(): Promise<string[]> {
  const { items } = await product.rest.call("listTestInstances", { params: { id: objectId }, query: {} });
  return items.flatMap(({ url, status }) => (status === "changed" ? [new URL(url).pathname] : [])).toSorted();
}

test("a rule for markup is suggested where no word changed, and then only text, links, files and titles count", async () => {
  publish(2);
  await fetchAll(product, objectId);
  expect(await changed()).toEqual(["/", "/a", "/b", "/c", "/d"]);
  const { items: runs } = await product.rest.call("listRuns", { params: { id: objectId }, query: { limit: 50 } });
  const { groups } = await product.rest.call("getReview", { params: { id: runs[0]?.id ?? "" }, query: {} });
  const heading = groups.find(({ added }) => added.includes("<h1"));
  // the heading is in the second line of a page
  const refs = { a: heading?.sample.compared_with ?? "", b: heading?.sample.snapshot_id ?? "" };
  const suggested = await product.rest.call("suggestRules", {
    params: { id: objectId },
    body: { ...refs, line: 2 },
  });
  expect(suggested.items.map(({ kind }) => kind)).toContain("markup");

  const made = await product.rest.call("createRule", { params: { id: objectId }, body: { kind: "markup" } });
  await until("the history to be evaluated", async () => {
    const { items } = await product.rest.call("listRuns", { params: { id: objectId }, query: { limit: 50 } });
    return items.find(({ id }) => id === made.runId)?.state === "finished";
  });
  expect(await changed()).toEqual([]);
  const { hunks } = await product.rest.call("getDiffHunks", { query: refs });
  const lines = hunks.flatMap((hunk) => hunk.lines).filter(({ kind }) => kind !== "context");
  expect(lines.length).toBeGreaterThan(0);
  expect(lines.filter(({ ignored }) => ignored !== made.id)).toEqual([]);

  publish(3);
  await fetchAll(product, objectId);
  expect(await changed()).toEqual([]);
  publish(4, { words: "Other words", style: "p { margin: 0 }", title: "Another" });
  await fetchAll(product, objectId);
  expect(await changed()).toEqual(["/b", "/c", "/d"]);
});
