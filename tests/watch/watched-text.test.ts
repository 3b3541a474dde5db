import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { crawl, fetchAll, register } from "../support/job.js";
import type { Product } from "../support/product.js";
import { startReceiver, type Receiver } from "../support/receiver.js";
import { reachesLoopback, shareProduct } from "../support/shared-product.js";
import { startSite, type Site } from "../support/site.js";
import { until } from "../support/until.js";

let product: Product;
let site: Site;
let receiver: Receiver;
let objectId = "";

const words = (count: number, word: string) => Array.from({ length: count }, (_, at) => `${word}${at}`).join(" ");
const rows = (word: string, mark = "") =>
  Array.from({ length: 120 }, (_, at) =>
    at % 2 === 0 ? `<h2>Head ${"x".repeat(at)}</h2>` : `<p>${word} ${"y".repeat(at)}${at === 81 ? mark : ""}</p>`,
  ).join("\n");
const pages: Record<string, [string, string]> = {
  // at the end of a part that is longer than what is stored of it
  "/long": ["<p>Words</p>", `<p>Words</p>\n<p>${words(200, "more")}. Sold out.</p>`],
  "/long-without": ["<p>Words</p>", `<p>Words</p>\n<p>${words(200, "more")}. In stock.</p>`],
  // in the middle of a page with more changes than are told apart
  "/rewritten": [rows("old"), rows("new", " sold out")],
  "/rewritten-without": [rows("old"), rows("new", " in stock")],
  // as readers see it
  "/tags": ["<p>Tickets</p>", "<p>Tickets sold&nbsp;<b>ou</b>t</p>"],
  // where a rule ignores it
  "/ignored": ["<p>Words</p>", `<p>Other words</p>\n<aside>${words(200, "more")} sold out</aside>`],
};
const publish = (side: 0 | 1) => {
  for (const [path, sides] of Object.entries(pages)) site.pages.set(path, `<title>${path}</title>${sides[side]}`);
};

beforeAll(async () => {
  [product, receiver, site] = await Promise.all([
    shareProduct(reachesLoopback),
    startReceiver(),
    startSite({
      "/": Object.keys(pages)
        .map((path) => `<a href="${path}">${path}</a>`)
        .join(""),
    }),
  ]);
  publish(0);
  objectId = await register(product, site.url, "Tickets");
  await product.rest.call("createRule", { params: { id: objectId }, body: { kind: "element", selector: "aside" } });
  await crawl(product, objectId);
  await fetchAll(product, objectId);
});
afterAll(async () => {
  await product.stop();
  await Promise.all([receiver.close(), site.close()]);
});

test("a text is told wherever it comes on a changed page: far behind, among many changes, with tags in it", async () => {
  const { id: channel } = await product.rest.call("createChannel", {
    body: { kind: "webhook", name: "Tickets", url: `${receiver.url}/tickets` },
  });
  await product.rest.call("createRoute", { body: { channel_id: channel, testobject_id: objectId, text: "Sold  out" } });
  publish(1);
  await fetchAll(product, objectId);
  await until("the message", async () => receiver.of("/tickets").length === 1);
  const { data } = JSON.parse(receiver.of("/tickets")[0]?.body ?? "") as {
    data: { sentence: string; sections: { changed: number; groups: { sample: { path: string } }[] }[] };
  };
  expect(data.sections[0]?.changed).toBe(3);
  expect([...new Set(data.sections[0]?.groups.map(({ sample }) => sample.path))].toSorted()).toEqual([
    ...["/long", "/rewritten", "/tags"],
  ]);
  await product.rest.call("deleteChannel", { params: { id: channel } });
});
