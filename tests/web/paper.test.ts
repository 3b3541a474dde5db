import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { Browser } from "playwright-core";
import { launchBrowser } from "../support/browser.js";
import { crawl, fetchAll, register } from "../support/job.js";
import type { Product } from "../support/product.js";
import { shareProduct } from "../support/shared-product.js";
import { smallTargets } from "../support/targets.js";
import { manual, startSite, type Site } from "../support/site.js";
import { createStage, expectSeen } from "../support/stage.js";
import { until } from "../support/until.js";

/** What is printed, also from a phone. */
const pageCount = 25;
const stage = createStage();
const { scene, button } = stage;
let product: Product;
let site: Site;
let browser: Browser;
let address: string;

beforeAll(async () => {
  [product, site, browser] = await Promise.all([
    shareProduct(),
    startSite(manual(pageCount, "first")),
    launchBrowser(),
  ]);
  const id = await register(product, site.url, "The manual");
  await crawl(product, id);
  await fetchAll(product, id);
  for (const [path, html] of Object.entries(manual(pageCount, "second"))) site.pages.set(path, html);
  await fetchAll(product, id);
  address = `/diff/bulk?bulk=${id}&idx1=1&idx2=0`;
  await stage.open(browser, product.address);
  await stage.page.addInitScript(() => {
    window.print = () =>
      document.documentElement.setAttribute("data-printed", `${document.querySelectorAll("article").length}`);
  });
});
afterAll(async () => {
  await browser.close();
  await product.stop();
  await site.close();
});

test(
  "a bulk diff is printed from a phone, whole",
  scene(async () => {
    const { page } = stage;
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto(address);
    await expectSeen(page.getByRole("article"));
    await button("More").click();
    expect(await smallTargets(page)).toEqual([]);
    await page.getByRole("menuitem", { name: "Print" }).click();
    await until("all pages on paper", async () => Number(await page.locator("html").getAttribute("data-printed")) > 20);
  }),
);

test(
  "a sheet as narrow as paper has no controls on it",
  scene(async () => {
    const { page } = stage;
    await page.setViewportSize({ width: 720, height: 1_000 });
    await page.goto(address);
    await expectSeen(page.getByRole("article"));
    const skip = page.getByRole("link", { name: "Skip to content", includeHidden: true });
    expect(await skip.evaluate((link) => getComputedStyle(link).display)).not.toBe("none");
    await page.emulateMedia({ media: "print" });
    expect(await skip.evaluate((link) => getComputedStyle(link).display)).toBe("none");
    await page.emulateMedia({ media: null });
  }),
);
