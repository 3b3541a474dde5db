import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { Browser, Locator } from "playwright-core";
import { launchBrowser } from "../support/browser.js";
import { crawl, fetchAll, register } from "../support/job.js";
import type { Product } from "../support/product.js";
import { shareProduct } from "../support/shared-product.js";
import { startSite, type Site } from "../support/site.js";
import { createStage, expectSeen } from "../support/stage.js";
import { until } from "../support/until.js";

/** What the reader jumps to is not hidden under a comparison's toolbar, which takes one row or two, depending on the window's width and the language. */
const names = Array.from({ length: 12 }, (_, index) => `p${index}`);
const stage = createStage();
const { scene } = stage;
let product: Product;
let site: Site;
let browser: Browser;
let objectId: string;

const publish = (release: number) => {
  for (const name of names) {
    const lines = Array.from({ length: 12 }, (_, line) => `<p>Line ${line} of release ${release}</p>`);
    site.pages.set(`/${name}`, `<h1>${name}</h1>\n${lines.join("\n")}`);
  }
};

beforeAll(async () => {
  [product, site, browser] = await Promise.all([
    shareProduct(),
    startSite({ "/": names.map((name) => `<a href="/${name}">${name}</a>`).join("") }),
    launchBrowser(),
  ]);
  publish(1);
  objectId = await register(product, site.url, "The shop");
  await crawl(product, objectId);
  await fetchAll(product, objectId);
  publish(2);
  await fetchAll(product, objectId);
  await stage.open(browser, product.address);
});
afterAll(async () => {
  await browser.close();
  await product.stop();
  await site.close();
});

const boxOf = (element: Locator) =>
  element.evaluate((node) => {
    const { top, bottom } = node.getBoundingClientRect();
    return { top, bottom };
  });

test.each([1120, 1280, 1440, 1920])(
  "a page that was gone to, and the list of pages, stand below it in a window of %i pixels",
  async (width) => {
    await scene(async () => {
      await stage.page.setViewportSize({ width, height: 700 });
      await stage.page.goto(`/diff/bulk?bulk=${objectId}&idx1=1&idx2=0`);
      const toolbar = stage.page.locator("main [data-screen-only]").first();
      await expectSeen(stage.page.locator("#page-3"));
      for (let presses = 0; presses < 3; presses += 1) await stage.page.keyboard.press("n");
      await until("the page stands at the top", async () => {
        const [card, bar] = [await boxOf(stage.page.locator("#page-3")), await boxOf(toolbar)];
        return Math.abs(card.top - bar.bottom - 16) < 2;
      });
      const filter = stage.page.getByPlaceholder("Filter 12 pages");
      expect((await boxOf(filter)).top).toBeGreaterThanOrEqual((await boxOf(toolbar)).bottom);
    })();
  },
);

test(
  "what keys reach going back is not hidden under it",
  scene(async () => {
    await stage.page.setViewportSize({ width: 1440, height: 700 });
    await stage.page.goto(`/diff/bulk?bulk=${objectId}&idx1=1&idx2=0`);
    const toolbar = stage.page.locator("main [data-screen-only]").first();
    // a page is drawn once it is near the window
    await stage.page.locator("#page-8").scrollIntoViewIfNeeded();
    await stage.page.locator("#page-8 a").last().focus();
    const hidden: string[] = [];
    for (let presses = 0; presses < 12; presses += 1) {
      await stage.page.keyboard.press("Shift+Tab");
      const focused = stage.page.locator("main :focus");
      const { top } = await boxOf(focused);
      if (top < (await boxOf(toolbar)).bottom) hidden.push((await focused.textContent()) ?? "");
    }
    expect(hidden).toEqual([]);
  }),
);
