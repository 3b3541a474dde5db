import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { Browser, Locator } from "playwright-core";
import { launchBrowser } from "../support/browser.js";
import { crawl, fetchAll, register, runEnded, startFetch } from "../support/job.js";
import type { Product } from "../support/product.js";
import { shareProduct } from "../support/shared-product.js";
import { startSite } from "../support/site.js";
import { createStage } from "../support/stage.js";
import { until } from "../support/until.js";

/** Lines that are hard to show, in a real Chromium. */
const stage = createStage();
const { scene, button } = stage;
let product: Product;
let browser: Browser;

beforeAll(async () => {
  [product, browser] = await Promise.all([shareProduct(), launchBrowser()]);
  await stage.open(browser, product.address);
});
afterAll(async () => {
  await browser.close();
  await product.stop();
});

const compare = async (a: string, b: string) => {
  await stage.page.goto("/diff-anything");
  await stage.page.getByLabel("Content A", { exact: true }).fill(a);
  await stage.page.getByLabel("Content B", { exact: true }).fill(b);
  await button("Compare").click();
  await stage.page.locator("[data-index]").first().waitFor();
};

/** Returns the gaps between neighbouring rows in px: negative where one covers the other. */
const apart = () =>
  stage.page.locator("[data-index]").evaluateAll((rows) => {
    const boxes = rows.map((row) => row.getBoundingClientRect()).toSorted((a, b) => a.top - b.top);
    return boxes.slice(1).map((box, index) => Math.round(box.top - (boxes[index]?.bottom ?? 0)));
  });

test(
  "rows follow one another where they turn out of another height than was thought, in a window of any width",
  scene(async () => {
    const words = Array.from({ length: 1_600 }, (_, index) => `word${index}`);
    const line = words.join(" ");
    await compare(`${line}\nsame\n${line}`, `${line.replace("word50 ", "another ")}\nsame\n${line}`);
    for (const width of [1_280, 1_000, 1_500]) {
      await stage.page.setViewportSize({ width, height: 900 });
      await until("the rows follow one another", async () => (await apart()).every((gap) => gap === 0));
      expect((await apart()).length).toBeGreaterThan(0);
    }
    await stage.page.setViewportSize({ width: 1_280, height: 900 });
  }),
);

test(
  "a change that cannot be seen is named: of line ends, of spaces, of what has no width",
  scene(async () => {
    await compare("12 EUR\nzero width\nword", "12\u00A0EUR\nzero\u200B width\nother");
    const named = stage.page.locator("mark [data-unseen]");
    await named.nth(1).waitFor();
    expect(await named.evaluateAll((all) => all.map((mark) => getComputedStyle(mark, "::before").content))).toEqual([
      '"U+00A0"',
      '"U+200B"',
    ]);
    // in a contrast theme, they are as readable as the words of other marks
    await stage.page.emulateMedia({ forcedColors: "active" });
    const colours = await stage.page
      .locator("mark:has([data-unseen])")
      .first()
      .evaluate((mark) => {
        const sign = mark.querySelector("[data-unseen]") ?? mark;
        return [getComputedStyle(mark), getComputedStyle(sign, "::before")].map((style) => [
          style.color,
          style.backgroundColor,
        ]);
      });
    await stage.page.emulateMedia({ forcedColors: "none" });
    expect(colours[1]).toEqual(colours[0]);
  }),
);

test(
  "what would turn a line around is named in lines that did not change, too",
  scene(async () => {
    await compare("abc\u202egpj.exe\nword", "abc\u202egpj.exe\nother");
    const named = stage.page.locator('[data-unseen="U+202E"]');
    await named.first().waitFor();
    const [first, last] = await lettersAfter(named.first());
    expect(last).toBeGreaterThan(first);
  }),
);

test(
  "and in the samples of a review, whose lines stay apart",
  scene(async () => {
    const site = await startSite({ "/": "<p>abc.exe</p>" });
    const objectId = await register(product, site.url, "Turned around");
    await crawl(product, objectId);
    await fetchAll(product, objectId);
    site.pages.set("/", "<p>abc\u202egpj.exe</p>\n<p>more</p>");
    const id = await startFetch(product, objectId);
    await runEnded(product, id);
    await site.close();
    await stage.page.goto(`/runs/${id}/review`);
    const named = stage.page.getByRole("listitem").locator('[data-unseen="U+202E"]');
    await named.waitFor();
    const [first, last] = await lettersAfter(named);
    expect(last).toBeGreaterThan(first);
    expect(await named.locator("..").innerText()).toContain(".exe</p>\n<p>more");
  }),
);

test(
  "white space alone is named beside the number of changes, where there is no word to count",
  scene(async () => {
    const { page } = stage;
    const words = page.getByText("Only white space differs", { exact: true });
    await compare("<p>one two</p>\nend", "<p>one   two</p>\nend");
    expect(await words.count()).toBe(0);
    await page.getByText("By Word", { exact: true }).click();
    await words.waitFor();
    await page.getByLabel("Content B", { exact: true }).fill("<p>one   three</p>\nend");
    await button("Compare").click();
    await words.waitFor({ state: "detached" });
    await page.getByText("+1", { exact: false }).first().waitFor();
    expect(await words.count()).toBe(0);
  }),
);

/** Where the first and the seventh letter after a named sign are drawn, in px from the left: in this order where they are read from left to right. */
const lettersAfter = (sign: Locator) =>
  sign.evaluate((element) => {
    const text = element.nextSibling;
    if (text === null) throw new Error("no text follows");
    const left = (at: number) => {
      const range = document.createRange();
      range.setStart(text, at);
      range.setEnd(text, at + 1);
      return range.getBoundingClientRect().left;
    };
    return [left(0), left(6)] as const;
  });
