import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { Browser } from "playwright-core";
import { launchBrowser } from "../support/browser.js";
import { crawl, fetchAll, register } from "../support/job.js";
import type { Product } from "../support/product.js";
import { shareProduct } from "../support/shared-product.js";
import { manual, startSite, type Site } from "../support/site.js";
import { createStage, expectGone, expectSeen } from "../support/stage.js";
import { until } from "../support/until.js";

/** Searching the snapshots of a site in a real Chromium. */
const pageCount = 27;
const stage = createStage();
const { scene, said, button, path, query } = stage;
let product: Product;
let site: Site;
let browser: Browser;
let objectId: string;

beforeAll(async () => {
  [product, site, browser] = await Promise.all([
    shareProduct(),
    startSite(
      manual(
        pageCount,
        "Retry-After: 100% <b>of</b> it\n<p>retry-AFTER again\n<p>and retry-after\n<p>once more, retry-after",
      ),
    ),
    launchBrowser(),
  ]);
  objectId = await register(product, site.url, "The manual");
  await crawl(product, objectId);
  await fetchAll(product, objectId);
  site.pages.set("/p3.html", manual(pageCount, "nothing of the kind")["/p3.html"] ?? "");
  await fetchAll(product, objectId);
  await stage.open(browser, product.address);
});
afterAll(async () => {
  await browser.close();
  await product.stop();
  await site.close();
});

const articles = () => stage.page.getByRole("article");
const searches: string[] = [];

test(
  "the object's page leads to a search that sends nothing before there is a text",
  scene(async () => {
    stage.page.on("request", (request) => {
      if (request.url().includes("/api/search")) searches.push(request.url());
    });
    await stage.page.goto(`/objects/${objectId}`);
    await stage.page.getByRole("link", { name: "Search snapshots" }).click();
    await expectSeen(stage.page.getByRole("heading", { name: "Search snapshots", level: 1 }));
    expect(path()).toBe(`/objects/${objectId}/search`);
    await stage.page.getByRole("combobox", { name: "Snapshot index" }).click();
    expect(await stage.page.getByRole("option").allTextContents()).toEqual([
      "All Snapshots",
      "Index 1 (latest)",
      "Index 2 (second latest)",
    ]);
    await stage.page.keyboard.press("Escape");
    await stage.page.getByRole("textbox", { name: "Text" }).press("Enter");
    expect(searches).toEqual([]);
  }),
);

test(
  "results stand by page with their lines, the hit marked, and load to the end",
  scene(async () => {
    await stage.page.getByRole("textbox", { name: "Text" }).fill("retry-after");
    await button("Search").click();
    await expectSeen(said("212 matches"));
    expect(query()).toEqual({ q: "retry-after" });
    await expectSeen(said("on 27 of 27 pages, in 53 snapshots"));
    const first = articles().first();
    await expectSeen(first.getByText("4 matches").first());
    await expectSeen(first.locator("mark").filter({ hasText: "Retry-After" }));
    expect(await first.locator("mark").count()).toBe(3);
    await first.getByRole("button", { name: "1 more on this page" }).click();
    await until("all lines of the page", async () => (await first.locator("mark").count()) === 4);
    const link = first.getByRole("link", { name: "View Instance" });
    expect([await link.getAttribute("target"), await link.getAttribute("href")]).toEqual([
      "_blank",
      expect.stringMatching(/^\/instances\/[0-9a-f-]+$/),
    ]);
    await stage.page.mouse.move(600, 600);
    await until("the last page", async () => {
      await stage.page.mouse.wheel(0, 1500);
      return (await said("All 27 pages shown").count()) === 1;
    });
    expect(await articles().count()).toBe(27);
  }),
);

test(
  "the first pages of many are not called all while the others are counted",
  scene(async () => {
    let release = () => {};
    const released = new Promise<void>((resolve) => (release = resolve));
    await stage.page.route(/\/api\/search\/summary/, async (route) => {
      await released;
      await route.continue();
    });
    // by way of an empty page: the same address again would be shown scrolled to its end, and so with all of its pages
    await stage.page.goto("about:blank");
    await stage.page.goto(`/objects/${objectId}/search?q=retry-after`);
    await expectSeen(said(/^\d+ pages so far/)).finally(release);
    await expectSeen(said("212 matches"));
    await stage.page.unroute(/\/api\/search\/summary/);
  }),
);

test(
  "a phrase over two lines is found as it was pasted, without the end of its last line",
  scene(async () => {
    await stage.page.goto(`/objects/${objectId}/search`);
    await stage.page.getByRole("textbox", { name: "Text" }).focus();
    await stage.page.keyboard.insertText("AFTER again\n<p>and\n");
    await stage.page.keyboard.press("Enter");
    await expectSeen(said("on 27 of 27 pages"));
    expect(query()).toEqual({ q: "AFTER again\n<p>and" });
    expect(await stage.page.getByRole("textbox", { name: "Text" }).inputValue()).toBe("AFTER again\n<p>and");
  }),
);

test(
  "an index narrows the search, in the address and on the screen",
  scene(async () => {
    // opened again: the scrolling that the wheel of the test before began would move the choices away
    await stage.page.goto(`/objects/${objectId}/search?q=retry-after`);
    await stage.page.getByRole("combobox", { name: "Snapshot index" }).click();
    await stage.page.getByRole("option", { name: "Index 1 (latest)" }).click();
    await expectSeen(said("on 26 of 27 pages"));
    expect(query()).toEqual({ q: "retry-after", idx: "0" });
  }),
);

test(
  "a snapshot opens at its matches, and keys go from one to the next",
  scene(async () => {
    await articles().first().getByRole("link", { name: /^#2,/ }).click();
    await expectSeen(said("4 matches, line"));
    await expectSeen(
      stage.page.getByRole("region", { name: "HTML" }).locator("mark").filter({ hasText: "Retry-After" }),
    );
    const line = await said("4 matches, line").textContent();
    await stage.page.keyboard.press("n");
    await until("the next line", async () => (await said("4 matches, line").textContent()) !== line);
    await stage.page.goBack();
    await expectSeen(said("on 26 of 27 pages"));
  }),
);

test(
  "tells on which pages a text was added or removed",
  scene(async () => {
    await stage.page.getByText("Added and removed", { exact: true }).click();
    await until("27 histories", async () => {
      await stage.page.mouse.wheel(0, 1500);
      return (await articles().count()) === pageCount;
    });
    const gone = articles().filter({ hasText: "Not on the page any more" });
    expect(await gone.count()).toBe(1);
    await expectSeen(gone.getByText("First seen in"));
    expect(await gone.getByRole("listitem").allTextContents()).toEqual([
      expect.stringMatching(/Added.*0 → 4 matches/),
      expect.stringMatching(/Removed.*4 → 0 matches/),
    ]);
    expect(query()).toMatchObject({ view: "history" });
  }),
);

test(
  "what is searched for stands in the middle of its field, on a phone too",
  scene(async () => {
    await stage.page.goto(`/objects/${objectId}/search?q=Chapter`);
    const field = stage.page.getByRole("textbox", { name: "Text" });
    for (const width of [390, 1280]) {
      await stage.page.setViewportSize({ width, height: 900 });
      const off = await field.evaluate((element) => {
        const { paddingTop, lineHeight, height } = getComputedStyle(element);
        return Number.parseFloat(paddingTop) + Number.parseFloat(lineHeight) / 2 - Number.parseFloat(height) / 2;
      });
      expect({ width, isOff: Math.abs(off) > 2 }).toEqual({ width, isOff: false });
    }
  }),
);

test(
  "the search of one instance leads back to it, and says when nothing is found",
  scene(async () => {
    const [row] = await product.db.query<{ id: string }>(`SELECT id FROM test_instance WHERE url LIKE '%/p3.html'`);
    await stage.page.goto(`/instances/${row?.id ?? ""}`);
    await stage.page.getByRole("link", { name: "Search", exact: true }).click();
    await expectSeen(said("Only this instance is searched."));
    expect(query()).toEqual({ instance: row?.id });
    await stage.page.getByRole("textbox", { name: "Text" }).fill("nothing of the kind");
    await stage.page.keyboard.press("Enter");
    await expectSeen(said("1 match"));
    expect(await articles().count()).toBe(1);
    await stage.page.getByRole("textbox", { name: "Text" }).fill("no such thing %");
    await stage.page.keyboard.press("Enter");
    await expectSeen(said("No results found"));
    await expectGone(articles());
    const sent = searches.length;
    await stage.page.getByRole("textbox", { name: "Text" }).fill("");
    await stage.page.keyboard.press("Enter");
    await expectGone(said("No results found"));
    expect(searches.length).toBe(sent);
    await stage.page.getByRole("link", { name: "Chapter 3" }).click();
    expect(path()).toBe(`/instances/${row?.id}`);
  }),
);
