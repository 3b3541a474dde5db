import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { Browser } from "playwright-core";
import { launchBrowser } from "../support/browser.js";
import type { Product } from "../support/product.js";
import { shareProduct } from "../support/shared-product.js";

/** Where the system's own colours replace all others (Windows' contrast themes), what is drawn by its colour alone is still seen. */
let product: Product;
let browser: Browser;

beforeAll(async () => {
  [product, browser] = await Promise.all([shareProduct(), launchBrowser()]);
});
afterAll(async () => {
  await browser.close();
  await product.stop();
});

/** The colours behind these things of a comparison of two texts. */
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
