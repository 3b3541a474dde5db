import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { Browser, Locator } from "playwright-core";
import { launchBrowser } from "../support/browser.js";
import { crawl, fetchAll, register } from "../support/job.js";
import type { Product } from "../support/product.js";
import { shareProduct } from "../support/shared-product.js";
import { startSite, type Site } from "../support/site.js";
import { createStage, expectSeen } from "../support/stage.js";

/** Names as sites have them: as long as they may be, and in right-to-left scripts. */
const longest = "A shop with more words than anybody reads ".repeat(5).slice(0, 200).trim();
const arabic = "سترة خفيفة مقاومة للماء للرجال والنساء مع شحن مجاني إلى جميع أنحاء البلاد";
const arabicPath = encodeURI("/سترة/7");
const longPath = `/${Array.from({ length: 16 }, (_, index) => `part-${index}-of-a-long-address`).join("/")}`;
const stage = createStage();
const { scene, rows } = stage;
let product: Product;
let site: Site;
let browser: Browser;
let objectId: string;

beforeAll(async () => {
  [product, site, browser] = await Promise.all([
    shareProduct(),
    startSite({
      "/": `<title>Home</title><a href="/ar">a</a><a href="${arabicPath}">c</a><a href="${longPath}">b</a>`,
      "/ar": `<title>${arabic}</title>`,
      [arabicPath]: "<title>Seven</title><p>Words",
      [longPath]: "Far below",
    }),
    launchBrowser(),
  ]);
  objectId = await register(product, site.url, longest);
  await crawl(product, objectId);
  await stage.open(browser, product.address);
});
afterAll(async () => {
  await browser.close();
  await product.stop();
  await site.close();
});

/** Measures where a character of a text is, relative to the box at which the text is cut, and whether it is cut. */
const lookAt = (text: Locator, index: number) =>
  text.evaluate((element, at) => {
    const range = element.ownerDocument.createRange();
    const node = element.firstChild;
    if (node === null) throw new Error("no text");
    range.setStart(node, at);
    range.setEnd(node, at + 1);
    const [character, box] = [range.getBoundingClientRect(), element.getBoundingClientRect()];
    return {
      isCut: element.scrollWidth > element.clientWidth,
      isSeen: character.left >= box.left - 1 && character.right <= box.right + 1,
      fromLeft: character.left - box.left,
    };
  }, index);

test.each([390, 720, 1440])(
  "the way to an object with the longest name stays in a window of %i pixels",
  async (width) => {
    await scene(async () => {
      await stage.page.setViewportSize({ width, height: 900 });
      await stage.page.goto(`/objects/${objectId}`);
      await expectSeen(rows());
      expect(await stage.page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
    })();
  },
);

test(
  "a name that is cut is told whole to whoever points at it, in lists and on the way to a page",
  scene(async () => {
    await stage.page.setViewportSize({ width: 768, height: 900 });
    await stage.page.goto("/");
    const name = stage.page.locator("a[data-row]").first();
    await expectSeen(name);
    expect((await lookAt(name, 0)).isCut).toBe(true);
    expect(await name.getAttribute("title")).toBe(longest);
    await stage.page.goto(`/objects/${objectId}/search`);
    const step = stage.page.getByRole("navigation", { name: "Breadcrumb" }).getByText(longest);
    await expectSeen(step);
    expect((await lookAt(step, 0)).isCut).toBe(true);
    expect(await step.getAttribute("title")).toBe(longest);
  }),
);

test(
  "the way to other pages shows its words, or its icon alone where there is no room for them",
  scene(async () => {
    await stage.page.goto("/");
    const goTo = stage.page.getByRole("button", { name: "Go to object or page" }).first();
    await expectSeen(goTo);
    for (const width of [768, 900, 1440]) {
      await stage.page.setViewportSize({ width, height: 900 });
      const words = await goTo.locator("span").evaluate((element) => ({
        isHidden: getComputedStyle(element).clipPath !== "none",
        hasRoom: element.clientWidth >= 40,
      }));
      expect({ width, isHidden: words.isHidden }).toEqual({ width, isHidden: !words.hasRoom });
    }
  }),
);

test(
  "its buttons are as wide as its cards where a scroll bar takes a part of the window",
  scene(async () => {
    await stage.page.setViewportSize({ width: 390, height: 900 });
    await stage.page.goto(`/objects/${objectId}`);
    await expectSeen(rows());
    await stage.page.addStyleTag({ content: "html { padding-inline-end: 15px }" });
    const right = (element: Locator) => element.evaluate((box) => Math.round(box.getBoundingClientRect().right));
    const head = stage.page.getByRole("heading", { level: 1 }).locator("xpath=ancestor::header[1]");
    const fetchButton = stage.page.getByRole("button", { name: "Fetch all pages" });
    expect(await right(fetchButton)).toBeLessThanOrEqual(await right(head));
  }),
);

test(
  "no step of the way lies over the next one on a phone",
  scene(async () => {
    const { items } = await product.rest.call("listTestInstances", {
      params: { id: objectId },
      query: { q: "part-15" },
    });
    const { id } = await product.rest.call("createTestSnapshot", { body: { testinstance_id: items[0]?.id ?? "" } });
    await stage.page.setViewportSize({ width: 390, height: 844 });
    await stage.page.goto(`/snapshots/${id}`);
    const steps = stage.page.getByRole("navigation", { name: "Breadcrumb" }).getByRole("listitem");
    await expectSeen(steps.nth(3));
    const overlaps = await steps.evaluateAll(
      (all) =>
        all.filter((step) => {
          const label = step.lastElementChild?.getBoundingClientRect().right ?? 0;
          const next = step.nextElementSibling?.getBoundingClientRect().left;
          return next !== undefined && label > next;
        }).length,
    );
    expect(overlaps).toBe(0);
    // the number of the snapshot is not cut, although both names before it are long
    expect((await lookAt(steps.last().locator("[aria-current=page]"), 0)).isCut).toBe(false);
  }),
);

test(
  "a name from right to left is cut at its end, as others are",
  scene(async () => {
    await stage.page.setViewportSize({ width: 1280, height: 900 });
    await stage.page.goto(`/objects/${objectId}`);
    const name = rows().getByTitle(arabic);
    await expectSeen(name);
    expect(await lookAt(name, 0)).toMatchObject({ isCut: true, isSeen: true });
    expect(await lookAt(name, arabic.length - 1)).toMatchObject({ isSeen: false });
  }),
);

test(
  "one that is not cut stands where all names begin",
  scene(async () => {
    const name = rows().getByTitle("Home");
    await name.evaluate((element) => {
      element.textContent = "سترة";
    });
    expect((await lookAt(name, 3)).fromLeft).toBeLessThan(2);
  }),
);

test(
  "a long address leaves its line to the reason why a page was skipped",
  scene(async () => {
    await stage.page.setViewportSize({ width: 1280, height: 900 });
    await stage.page.goto(`/diff/bulk?bulk=${objectId}&idx1=1&idx2=0`);
    const row = stage.page.getByRole("row").filter({ hasText: longPath });
    await expectSeen(row);
    const lines = (at: number) =>
      row
        .getByRole("cell")
        .nth(at)
        .evaluate((cell) => {
          const range = cell.ownerDocument.createRange();
          range.selectNodeContents(cell);
          return Math.round(range.getBoundingClientRect().height / 20);
        });
    expect([await lines(0), await lines(2)]).toEqual([expect.any(Number), 1]);
    expect(await lines(0)).toBeGreaterThan(1);
  }),
);

test(
  "an address in letters from right to left begins at the left, in a list of differences as in that of pages",
  scene(async () => {
    await fetchAll(product, objectId);
    site.pages.set(arabicPath, "<title>Seven</title><p>Other words");
    await fetchAll(product, objectId);
    const listed = rows().getByText("سترة/7");
    await stage.page.goto(`/objects/${objectId}`);
    await expectSeen(listed);
    expect((await lookAt(listed, 0)).fromLeft).toBeLessThan(2);
    await stage.page.goto(`/diff/bulk?bulk=${objectId}&idx1=1&idx2=0`);
    for (const place of [
      stage.page.getByRole("navigation", { name: "Pages that differ" }),
      stage.page.locator("#page-0"),
    ]) {
      const address = place.getByText("سترة/7");
      await expectSeen(address);
      expect((await lookAt(address, 0)).fromLeft).toBeLessThan(2);
    }
  }),
);
