import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { Browser } from "playwright-core";
import { launchBrowser } from "../support/browser.js";
import { crawl, fetchAll, register } from "../support/job.js";
import type { Product } from "../support/product.js";
import { shareProduct } from "../support/shared-product.js";
import { startSite, type Site } from "../support/site.js";
import { createStage, expectSeen } from "../support/stage.js";

/** A site whose single pages were fetched hundreds of times since the whole site was crawled and fetched. */
const stage = createStage();
const { scene, said } = stage;
let product: Product;
let site: Site;
let browser: Browser;
let objectId: string;

beforeAll(async () => {
  [product, site, browser] = await Promise.all([
    shareProduct(),
    startSite({ "/": `<title>Home</title><a href="/a">a</a>`, "/a": "<title>A</title>" }),
    launchBrowser(),
  ]);
  objectId = await register(product, site.url, "The shop");
  await crawl(product, objectId);
  await fetchAll(product, objectId);
  await product.db.query(
    `INSERT INTO run (test_object_id, kind, state, total, completed, told, finished_at)
     SELECT $1, 'snapshot-one', 'finished', 1, 1, true, now() FROM generate_series(1, 120)`,
    [objectId],
  );
  await stage.open(browser, product.address);
});
afterAll(async () => {
  await browser.close();
  await product.stop();
  await site.close();
});

test("runs of some kinds are listed newest first, whatever came after them", async () => {
  const kindsOf = async (asked: { kind?: string; limit?: number }) =>
    (await product.rest.call("listRuns", { params: { id: objectId }, query: asked })).items.map(({ kind }) => kind);
  expect(new Set(await kindsOf({ limit: 100 }))).toEqual(new Set(["snapshot-one"]));
  expect(await kindsOf({ kind: "crawl,snapshot-all" })).toEqual(["snapshot-all", "crawl"]);
  expect(await kindsOf({ kind: "crawl,snapshot-all", limit: 1 })).toEqual(["snapshot-all"]);
  expect(await kindsOf({ kind: "compare" })).toEqual([]);
  await expect(kindsOf({ kind: "crawls" })).rejects.toThrow("400");
});

test(
  "an object's page still shows its crawl's report and its timeline",
  scene(async () => {
    await stage.page.goto(`/objects/${objectId}`);
    await expectSeen(said("Crawl report"));
    await expectSeen(stage.page.getByRole("region", { name: "Timeline" }));
  }),
);

test("the address of a review with the id of a crawl says that it is one, and leads to what it found", async () => {
  const { items } = await product.rest.call("listRuns", { params: { id: objectId }, query: { kind: "crawl" } });
  await stage.page.goto(`/runs/${items[0]?.id}/review`);
  await expectSeen(stage.page.getByRole("heading", { name: "This run is a crawl.", level: 1 }));
  expect(await said("Review not found.").count()).toBe(0);
  await stage.page.getByRole("main").getByRole("link", { name: "Show what it found" }).click();
  await expectSeen(said("Crawl report"));
  expect(stage.path()).toBe(`/objects/${objectId}`);
});

test(
  "its fetches can still be compared",
  scene(async () => {
    await stage.page.goto(`/objects/${objectId}/compare`);
    await expectSeen(stage.page.getByRole("button", { name: "Compare", exact: true }));
    expect(await said("Nothing was fetched yet").count()).toBe(0);
  }),
);

test.each([
  [1280, [90]],
  [1024, [45, 45]],
  [768, [45, 45]],
])("the last ninety days stand in equal rows: %s px wide", async (width, expected) => {
  const { page } = stage;
  await product.db.query(
    `INSERT INTO run (test_object_id, kind, state, total, completed, told, created_at, finished_at)
     SELECT $1, 'crawl', 'finished', 1, 1, true, now() - interval '2 days', now() - interval '2 days'`,
    [objectId],
  );
  await page.setViewportSize({ width, height: 900 });
  await page.goto(`/objects/${objectId}`);
  const strip = page.getByRole("region", { name: "The last 90 days" });
  await expectSeen(strip);
  const tops = await strip
    .getByRole("listitem")
    .evaluateAll((days) => days.map((day) => Math.round(day.getBoundingClientRect().top)));
  const rows = [...new Set(tops)].map((top) => tops.filter((other) => other === top).length);
  expect(rows).toEqual(expected);
});
