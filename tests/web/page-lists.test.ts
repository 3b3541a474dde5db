import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { Browser, Locator } from "playwright-core";
import { launchBrowser } from "../support/browser.js";
import { crawl, fetchAll, register } from "../support/job.js";
import type { Product } from "../support/product.js";
import { shareProduct } from "../support/shared-product.js";
import { startSite, type Site } from "../support/site.js";
import { createStage, expectSeen } from "../support/stage.js";
import { until } from "../support/until.js";

/** Lists of pages, of a site whose pages have one title and lie deep below the same folders. */
const folder = "/a-section-whose-name-alone-does-not-fit-beside-anything-else/in-the-collection";
const paths = [`${folder}/page-1007.html`, `${folder}/a-page-whose-own-name-is-longer-than-any-column-1008.html`];
const germanPath = encodeURI("/über-uns/neu");
const goingPaths = ["/going-1", "/going-2", "/going-3"];
const stage = createStage();
const { scene } = stage;
let product: Product;
let site: Site;
let browser: Browser;
let objectId: string;
let runId: string;

const pages = (words: string) => ({
  "/": `<title>Home</title>${[...paths, germanPath, ...goingPaths].map((path) => `<a href="${path}">p</a>`).join("")}`,
  ...Object.fromEntries(goingPaths.map((path) => [path, "<title>Going</title>"])),
  ...Object.fromEntries([...paths, germanPath].map((path) => [path, `<title>Product</title><p>${words}`])),
});

beforeAll(async () => {
  [product, site, browser] = await Promise.all([shareProduct(), startSite(pages("Old words")), launchBrowser()]);
  objectId = await register(product, site.url);
  await crawl(product, objectId);
  await fetchAll(product, objectId);
  for (const [path, page] of Object.entries(pages("New words"))) site.pages.set(path, page);
  for (const path of goingPaths) site.pages.delete(path);
  await fetchAll(product, objectId);
  const query = { kind: "snapshot-all", limit: 1 } as const;
  runId = (await product.rest.call("listRuns", { params: { id: objectId }, query })).items[0]?.id ?? "";
  await stage.open(browser, product.address);
});
afterAll(async () => {
  await browser.close();
  await product.stop();
  await site.close();
});

/** Whether the last character of a text lies within the box at which the text is cut. */
const showsEnd = (text: Locator) =>
  text.evaluate((element) => {
    const last = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    let node = last.nextNode();
    for (let next = node; next !== null; next = last.nextNode()) node = next;
    const range = document.createRange();
    const length = node?.textContent?.length ?? 0;
    if (node === null || length === 0) return false;
    range.setStart(node, length - 1);
    range.setEnd(node, length);
    const [character, box] = [range.getBoundingClientRect(), element.getBoundingClientRect()];
    return character.left >= box.left - 1 && character.right <= box.right + 1;
  });

const lists = {
  instances: () => `/objects/${objectId}`,
  search: () => `/objects/${objectId}/search?q=words`,
  "bulk diff": () => `/diff/bulk?bulk=${objectId}&idx1=1&idx2=0`,
};

test.each([
  ["instances", 390],
  ["instances", 1280],
  ["search", 390],
  ["search", 1280],
  ["bulk diff", 1280],
] as const)("%s in a window of %i pixels show the end of each path", async (list, width) => {
  await scene(async () => {
    await stage.page.setViewportSize({ width, height: 900 });
    await stage.page.goto(lists[list]());
    for (const path of paths) {
      const shown = stage.page.locator("main .mono").filter({ hasText: path, visible: true });
      await expectSeen(shown);
      for (const each of await shown.all()) {
        expect(await each.textContent()).toBe(path);
        expect(await showsEnd(each)).toBe(true);
      }
    }
  })();
});

test(
  "a path is found among the pages that differ as it is shown",
  scene(async () => {
    await stage.page.setViewportSize({ width: 1280, height: 900 });
    await stage.page.goto(lists["bulk diff"]());
    const listed = stage.page.getByRole("navigation", { name: "Pages that differ" }).getByRole("listitem");
    await until("all pages", async () => (await listed.count()) === 3);
    await stage.page.getByRole("textbox", { name: "Filter pages" }).fill("/Über-uns/");
    await until("the one page", async () => (await listed.count()) === 1);
    expect(await listed.textContent()).toContain("/über-uns/neu");
  }),
);

test.each([
  [390, 44],
  [1280, 24],
])(
  "pages that went look like links in the review, and can be hit in a window of %i pixels",
  async (width, targetPx) => {
    await scene(async () => {
      await stage.page.setViewportSize({ width, height: 900 });
      await stage.page.goto(`/runs/${runId}/review`);
      const list = stage.page.getByRole("list", { name: "Pages that came and went" });
      await expectSeen(list);
      const links = await list.getByRole("link").evaluateAll((all) =>
        all.map((link) => ({
          path: link.textContent,
          height: link.getBoundingClientRect().height,
          isPlain: getComputedStyle(link).color === getComputedStyle(link.parentElement ?? link).color,
        })),
      );
      expect(links.map(({ path }) => path).toSorted()).toEqual(goingPaths);
      for (const { height, isPlain } of links) {
        expect(isPlain).toBe(false);
        expect(height).toBeGreaterThanOrEqual(targetPx);
      }
    })();
  },
);
