import type { ServerResponse } from "node:http";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { crawl, fetchAll, register } from "../support/job.js";
import type { Product } from "../support/product.js";
import { reachesLoopback, shareProduct } from "../support/shared-product.js";
import { startSite, type Site } from "../support/site.js";
import { until } from "../support/until.js";

let product: Product;
let site: Site;
let objectId = "";
const pageA = "<h1>a</h1>";

beforeAll(async () => {
  [product, site] = await Promise.all([
    shareProduct(reachesLoopback),
    startSite({ "/": `<a href="/a">a</a>`, "/a": pageA }),
  ]);
  objectId = await register(product, site.url);
  await crawl(product, objectId);
  await fetchAll(product, objectId);
});
afterAll(async () => {
  await product.stop();
  await site.close();
});

async function comparedWithBefore() {
  const { runId } = await product.rest.call("startComparison", { params: { id: objectId }, body: {} });
  const review = () => product.rest.call("getReview", { params: { id: runId }, query: {} });
  await until("the end of the comparison", async () => (await review()).run.state === "finished");
  return (await review()).counts;
}

test.each<[string, (response: ServerResponse) => void]>([
  ["with a status", (response) => void response.writeHead(403).end("not for you")],
  ["without an answer", (response) => void response.destroy()],
])("a page that failed %s is compared with what it was before that, and is not new", async (_, fail) => {
  site.pages.set("/a", (_request, response) => fail(response));
  await fetchAll(product, objectId);
  site.pages.set("/a", pageA);
  await fetchAll(product, objectId);
  expect(await comparedWithBefore()).toMatchObject({ new: 0, changed: 0, unchanged: 2 });
});
