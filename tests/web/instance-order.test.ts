import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { Browser } from "playwright-core";
import { launchBrowser } from "../support/browser.js";
import { crawl, register } from "../support/job.js";
import type { Product } from "../support/product.js";
import { shareProduct } from "../support/shared-product.js";
import { startSite, type Site } from "../support/site.js";
import { createStage } from "../support/stage.js";
import { until } from "../support/until.js";

/** The order of an object's pages, chosen in a real Chromium. */
const stage = createStage();
const { scene } = stage;
let product: Product;
let site: Site;
let browser: Browser;
let objectId: string;

beforeAll(async () => {
  [product, site, browser] = await Promise.all([
    shareProduct(),
    startSite({
      "/": `<title>M</title><a href="/a">a</a><a href="/b">b</a>`,
      "/a": "<title>Z</title>",
      "/b": "<title>A</title>",
    }),
    launchBrowser(),
  ]);
  objectId = await register(product, site.url, "The shop");
  await crawl(product, objectId);
  await stage.open(browser, product.address);
});
afterAll(async () => {
  await browser.close();
  await product.stop();
  await site.close();
});

const paths = async () => {
  const rows = stage.page.getByRole("list", { name: "Instances", exact: true }).getByRole("listitem");
  return (
    await rows
      .getByRole("link")
      .evaluateAll((links) => links.map((link) => link.getAttribute("aria-label") ?? link.textContent))
  ).join();
};

test(
  "pages are put in another order, which the address tells and a reload keeps",
  scene(async () => {
    await stage.page.goto(`/objects/${objectId}`);
    await until("the pages", async () => (await paths()) !== "");
    const before = await paths();
    await stage.page.getByRole("combobox", { name: "Order" }).click();
    await stage.page.getByRole("option", { name: "Name", exact: true }).click();
    await until("another order", async () => (await paths()) !== before && (await paths()) !== "");
    const byName = await paths();
    expect(byName.indexOf("A")).toBeLessThan(byName.indexOf("Z"));
    expect(new URL(stage.page.url()).searchParams.get("sort")).toBe("name");
    await stage.page.reload();
    await until("the pages again", async () => (await paths()) === byName);
    await stage.page.getByRole("combobox", { name: "Order" }).click();
    await stage.page.getByRole("option", { name: "Most urgent" }).click();
    await until("the order from before", async () => (await paths()) === before);
    expect(new URL(stage.page.url()).searchParams.has("sort")).toBe(false);
  }),
);
