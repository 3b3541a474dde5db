import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { crawl, fetchAll, register } from "../support/job.js";
import type { Product } from "../support/product.js";
import { reachesLoopback, shareProduct } from "../support/shared-product.js";
import { startSite, type Site } from "../support/site.js";
import { until } from "../support/until.js";

/** Production at the root of its host, and a preview of it in a folder of another, whose links begin with that folder. */
let product: Product;
let production: Site;
let preview: Site;
const ids = { production: "", preview: "" };

function publish(site: Site, folder: string, words: string): void {
  const links = ["a", "b", "c"].map((name) => `<a href="${folder}${name}">${name}</a>`).join("");
  site.pages.set(folder, `${links}<link rel=canonical href="${site.url.slice(0, -1)}${folder}">`);
  for (const name of ["a", "b", "c"])
    site.pages.set(
      `${folder}${name}`,
      `${links}<p>${name === "b" ? words : name}</p><script>{"p":"${folder}${name}"}</script>`,
    );
}

beforeAll(async () => {
  [product, production, preview] = await Promise.all([shareProduct(reachesLoopback), startSite({}), startSite({})]);
  publish(production, "/", "Words");
  publish(preview, "/pr-1/", "Other words");
  for (const [name, url] of [
    ["production", production.url],
    ["preview", `${preview.url}pr-1/`],
  ] as const) {
    ids[name] = await register(product, url, name);
    const body = { noise_mode: "off" as const };
    await product.rest.call("updateTestObject", { params: { id: ids[name] }, body });
    await crawl(product, ids[name]);
    await fetchAll(product, ids[name]);
  }
});
afterAll(async () => {
  await product.stop();
  await Promise.all([production.close(), preview.close()]);
});

async function compare(id: string, other: string): Promise<string[]> {
  const { runId } = await product.rest.call("startComparison", {
    params: { id },
    body: { from: { type: "object", testobject_id: other } },
  });
  const review = () => product.rest.call("getReview", { params: { id: runId }, query: {} });
  await until("the end of the comparison", async () => (await review()).run.state === "finished");
  const { items } = await product.rest.call("listReviewPages", { params: { id: runId }, query: { kind: "changed" } });
  for (const { compared_with: a, snapshot_id: b } of items) {
    const diff = await product.rest.call("getDiffHunks", { query: { a: a ?? "", b } });
    // the comparison of one page says the same
    expect([diff.added, diff.removed]).toEqual([1, 1]);
  }
  return items.map(({ instance }) => new URL(instance.url).pathname);
}

test("a preview in a folder differs from production in what was edited alone, whichever is the older side", async () => {
  expect(await compare(ids.preview, ids.production)).toEqual(["/pr-1/b"]);
  expect(await compare(ids.production, ids.preview)).toEqual(["/b"]);
});
