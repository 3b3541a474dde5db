import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { Browser } from "playwright-core";
import { launchBrowser } from "../support/browser.js";
import type { Product } from "../support/product.js";
import { shareProduct } from "../support/shared-product.js";

/** If the system's own colours replace all others (Windows' contrast themes), things that consist of their colour alone can still be seen. */
let product: Product;
let browser: Browser;

beforeAll(async () => {
  [product, browser] = await Promise.all([shareProduct(), launchBrowser()]);
});
afterAll(async () => {
  await browser.close();
  await product.stop();
});

/** Returns the background colours of switches, of a mark and of the screen in a comparison of two texts. */
async function coloursOf(forcedColors: "active" | "none") {
  const context = await browser.newContext({ baseURL: product.address, forcedColors });
  const page = await context.newPage();
  await page.goto("/diff-anything");
  await page.getByLabel("Content A", { exact: true }).fill("one\ntwo");
  await page.getByLabel("Content B", { exact: true }).fill("one\nthree");
  await page.getByRole("button", { name: "Compare", exact: true }).click();
  await page.getByRole("region", { name: "Differences" }).waitFor();
  const behind = (selector: string) =>
    page
      .locator(selector)
      .first()
      .evaluate((element) => getComputedStyle(element).backgroundColor);
  const colours = {
    on: await behind("input:checked + .mantine-Switch-track"),
    off: await behind("input:not(:checked) + .mantine-Switch-track"),
    mark: await behind("i[data-removed]"),
    screen: await behind("body"),
  };
  await context.close();
  return colours;
}

test("switches and the marks of changes keep their colours among those of the system", async () => {
  const [forced, usual] = [await coloursOf("active"), await coloursOf("none")];
  expect(forced.screen).not.toBe(usual.screen);
  expect(forced).toMatchObject({ on: usual.on, off: usual.off, mark: usual.mark });
  expect(new Set([forced.on, forced.off, forced.screen]).size).toBe(3);
});

test("days in which something failed keep their colour beside those of the system", async () => {
  const context = await browser.newContext({ baseURL: product.address, forcedColors: "active" });
  const page = await context.newPage();
  const day = (before: number) => new Date(Date.now() - before * 86_400_000).toISOString().slice(0, 10);
  const found = { fetches: 1, crawls: 0, changed: 0, run_id: null };
  const items = [
    { ...found, day: day(2), failed: 0 },
    { ...found, day: day(1), failed: 3 },
  ];
  await page.route("**/api/days?*", (route) => route.fulfill({ json: { items } }));
  await product.rest.call("createTestObject", { body: { name: "The shop", url: "https://shop.example/" } });
  await page.goto("/");
  const colourOf = (tone: string) =>
    page
      .locator(`li[data-tone=${tone}]`)
      .first()
      .evaluate((element) => getComputedStyle(element).backgroundColor);
  const ground = await page.locator("body").evaluate((element) => getComputedStyle(element).backgroundColor);
  expect(new Set([await colourOf("quiet"), await colourOf("failed"), ground]).size).toBe(3);
  await context.close();
});
