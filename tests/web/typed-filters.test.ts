import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { Browser, Page } from "playwright-core";
import { launchBrowser } from "../support/browser.js";
import { crawl, fetchAll, register, runEnded, startFetch } from "../support/job.js";
import type { Product } from "../support/product.js";
import { shareProduct } from "../support/shared-product.js";
import { manual, startSite, type Site } from "../support/site.js";
import { createStage } from "../support/stage.js";
import { until } from "../support/until.js";

/** A filter that was typed is still there after a reload and after going back, in a real Chromium. */
const stage = createStage();
const { scene } = stage;
let product: Product;
let site: Site;
let browser: Browser;
const addresses = { home: "/", object: "", review: "", bulk: "" };

beforeAll(async () => {
  [product, site, browser] = await Promise.all([shareProduct(), startSite(manual(4, "one")), launchBrowser()]);
  const id = await register(product, site.url, "The manual");
  await register(product, `${site.url}p1.html`, "Beside it");
  await crawl(product, id);
  await fetchAll(product, id);
  for (const [path, page] of Object.entries(manual(4, "two"))) site.pages.set(path, page);
  const runId = await startFetch(product, id);
  await runEnded(product, runId);
  addresses.object = `/objects/${id}`;
  addresses.review = `/runs/${runId}/review`;
  addresses.bulk = `/diff/bulk?bulk=${id}&idx1=1&idx2=0`;
  await stage.open(browser, product.address);
});
afterAll(async () => {
  await browser.close();
  await product.stop();
  await site.close();
});

const listed = (page: Page) => page.getByRole("region", { name: "Test objects" }).getByRole("listitem");
const instances = (page: Page) => page.getByRole("list", { name: "Instances" }).getByRole("listitem");
const found = (page: Page) => page.getByRole("list", { name: "Pages", exact: true }).getByRole("listitem");
const differing = (page: Page) => page.getByRole("navigation", { name: "Pages that differ" }).getByRole("listitem");

test.each([
  ["home", "Filter by name or URL", "q", "beside", listed],
  ["object", "Filter by name or path", "q", "p2", instances],
  ["review", "Find pages of this run", "q", "p2", found],
  ["bulk", "Filter pages", "pages", "p2", differing],
] as const)(
  "%s: %s",
  (screen, label, parameter, typed, rows) =>
    scene(async () => {
      const { page } = stage;
      const field = page.getByRole("textbox", { name: label });
      const isFound = (where: string) =>
        until(`one row ${where}`, async () => (await rows(page).count()) === 1 && (await field.inputValue()) === typed);
      await page.goto(addresses[screen]);
      await field.fill(typed);
      await isFound("once it was typed");
      await until("the address", async () => new URL(page.url()).searchParams.get(parameter) === typed);
      await page.reload();
      await isFound("after a reload");
      await page.getByRole("link", { name: "Imprint" }).click();
      await page.getByRole("heading", { name: "Imprint" }).waitFor();
      await page.goBack();
      await isFound("on the way back");
      expect(await field.inputValue()).toBe(typed);
      await field.fill("");
      await until("an address without it", async () => !new URL(page.url()).searchParams.has(parameter));
    })(),
  60_000,
);

test(
  "how many pages of an object a text finds stands beside it, and is read out",
  scene(async () => {
    const { page } = stage;
    await page.goto(addresses.object);
    const count = page
      .getByRole("main")
      .getByRole("status")
      .filter({ hasText: /^\d+ instances?$/ });
    await until("all pages", async () => (await instances(page).count()) === 4);
    expect(await count.count()).toBe(0);
    const filter = page.getByRole("textbox", { name: "Filter by name or path" });
    for (const [typed, words] of [
      ["Chapter", "3 instances"],
      ["p2", "1 instance"],
      ["nowhere", "0 instances"],
    ] as const) {
      await filter.fill(typed);
      await until(words, async () => (await count.allTextContents()).join() === words);
    }
    await filter.fill("");
    await until("no count", async () => (await count.count()) === 0);
  }),
);

test(
  "a kind of pages that was chosen in a review stays too",
  scene(async () => {
    const { page } = stage;
    const kind = page.getByRole("button", { name: /^\d+ changed/ });
    await page.goto(addresses.review);
    await kind.click();
    await page.reload();
    await until("the kind", async () => (await kind.getAttribute("aria-pressed")) === "true");
    await kind.click();
    expect(new URL(page.url()).searchParams.has("kind")).toBe(false);
  }),
);

test(
  "what is found may be opened at once, however long its screen takes to come",
  scene(async () => {
    const { page } = stage;
    await page.goto(addresses.review);
    await page.getByRole("textbox", { name: "Find pages of this run" }).waitFor();
    // the code of the diff's screen is loaded long after the filter would have been written into the address
    await page.route(/\/assets\/.*\.js$/, async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      await route.continue();
    });
    await page.getByRole("textbox", { name: "Find pages of this run" }).fill("p2");
    await page.evaluate(async () => {
      const links = () => document.querySelectorAll<HTMLElement>("[aria-label=Pages] li a");
      while (links().length !== 1) await new Promise((resolve) => setTimeout(resolve, 5));
      links()[0]?.click();
    });
    await page.getByRole("region", { name: "Differences" }).first().waitFor();
    await page.unroute(/\/assets\/.*\.js$/);
    await page.goBack();
    await found(page).first().waitFor();
    expect(await found(page).count()).toBe(1);
  }),
  60_000,
);

test(
  "whoever left the filter by Escape is not put back into it by what is drawn next",
  scene(async () => {
    const { page } = stage;
    await page.goto(addresses.object);
    await until("all pages", async () => (await instances(page).count()) === 4);
    const filter = page.getByRole("textbox", { name: "Filter by name or path" });
    await filter.focus();
    await page.keyboard.press("Escape");
    await page.evaluate(async () => {
      document.querySelector("main")?.append(document.createElement("i"));
      await new Promise((resolve) => requestAnimationFrame(resolve));
    });
    expect(await page.evaluate(() => document.activeElement === document.body)).toBe(true);
    await page.keyboard.press("j");
    expect(await page.evaluate(() => document.activeElement?.matches("[data-row]"))).toBe(true);
    expect(await filter.inputValue()).toBe("");
  }),
);

test(
  "whoever goes on from the filter at once, by keys, stands on a row that stays",
  scene(async () => {
    const { page } = stage;
    const filter = page.getByRole("textbox", { name: "Filter by name or path" });
    await page.goto(addresses.object);
    await until("all pages", async () => (await instances(page).count()) === 4);
    await filter.fill("Chapter");
    await until("the address", async () => new URL(page.url()).searchParams.get("q") === "Chapter");
    await until("the chapters", async () => (await instances(page).count()) === 3);
    let release = () => {};
    const released = new Promise<void>((resolve) => (release = resolve));
    await page.route(/q=p2/, async (route) => {
      await released;
      await route.continue();
    });
    await filter.fill("p2");
    for (const key of ["Escape", "j"]) await page.keyboard.press(key);
    await until("the filter is asked for", async () => new URL(page.url()).searchParams.get("q") === "p2");
    release();
    await until("one row", async () => (await instances(page).count()) === 1);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Chapter 2", level: 1 }).waitFor();
    expect(new URL(page.url()).pathname).toMatch(/^\/instances\//);
    await page.unroute(/q=p2/);
  }),
  60_000,
);
