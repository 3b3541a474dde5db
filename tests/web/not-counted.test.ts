import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { Browser } from "playwright-core";
import { launchBrowser } from "../support/browser.js";
import { crawl, fetchAll, register } from "../support/job.js";
import type { Product } from "../support/product.js";
import { shareProduct } from "../support/shared-product.js";
import { startSite, type Site } from "../support/site.js";
import { createStage, expectSeen } from "../support/stage.js";

/** A page whose comparison took too long: it counts as changed, and nothing is known of the change. */
const stage = createStage();
const { scene, said } = stage;
let product: Product;
let site: Site;
let browser: Browser;
let objectId: string;

beforeAll(async () => {
  [product, site, browser] = await Promise.all([
    shareProduct(),
    startSite({ "/": "<title>Home</title><p>One" }),
    launchBrowser(),
  ]);
  objectId = await register(product, site.url, "The shop");
  await crawl(product, objectId);
  await fetchAll(product, objectId);
  site.pages.set("/", "<title>Home</title><p>Two");
  await fetchAll(product, objectId);
  await product.db.query(
    `UPDATE change SET lines_added = 0, lines_removed = 0, changes = 0, coarse = true WHERE test_object_id = $1 AND kind = 'changed'`,
    [objectId],
  );
  await stage.open(browser, product.address);
});
afterAll(async () => {
  await browser.close();
  await product.stop();
  await site.close();
});

test(
  "it says that the change was not counted, instead of lines of which there are none",
  scene(async () => {
    const { items } = await product.rest.call("listTestInstances", { params: { id: objectId }, query: {} });
    await stage.page.goto(`/instances/${items[0]?.id}`);
    await expectSeen(said("not counted"));
    expect(await said("added lines").count()).toBe(0);
  }),
);
