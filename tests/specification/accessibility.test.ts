import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { Browser, Page } from "playwright-core";
import { emptyHome, prepareSample, type Sample, type ScreenToShow } from "../../benches/screens/screens.mjs";
import { axeFaults, faultsEverywhere } from "../support/axe.js";
import { launchBrowser } from "../support/browser.js";
import { everyScreen, type Say, textsIn } from "../support/every-screen.js";
import type { Product } from "../support/product.js";
import { shareProduct } from "../support/shared-product.js";
import { manual, startSite, type Site } from "../support/site.js";
import { until } from "../support/until.js";

/** Whether everybody can use the screens: axe on each of them in both themes and languages, and the main job with the keyboard alone. */
let product: Product;
let site: Site;
let browser: Browser;
let sample: Sample = { objectId: "", instanceId: "", older: "", newer: "", runId: "" };
let page: Page;
let inGerman: { page: Page; say: Say };
const stop = new AbortController();
const wide = { width: 1440, height: 900 };

beforeAll(async () => {
  [product, site, browser] = await Promise.all([shareProduct(), startSite(manual(3, "first")), launchBrowser()]);
  page = await pageIn("en-GB");
  inGerman = { page: await pageIn("de-DE"), say: await textsIn("de") };
});
afterAll(async () => {
  stop.abort();
  await browser.close();
  await product.stop();
  await site.close();
});

async function pageIn(locale: string): Promise<Page> {
  // axe is not part of the application, whose policy lets no other script in
  const context = await browser.newContext({
    baseURL: product.address,
    viewport: wide,
    locale,
    colorScheme: "light",
    reducedMotion: "reduce",
    bypassCSP: true,
  });
  context.setDefaultTimeout(30_000);
  return context.newPage();
}

/** Opens a screen in a desktop window and does what its row says; a screen in German is ready when nothing on it is loading. */
async function show({ address, ready, act }: ScreenToShow, on: { page: Page; say: Say } | undefined): Promise<Page> {
  const shown = on?.page ?? page;
  await shown.setViewportSize(wide);
  await shown.emulateMedia({ colorScheme: "light" });
  await shown.goto(address(sample));
  if (on === undefined) await shown.getByText(ready).filter({ visible: true }).first().waitFor();
  else await shown.locator("h1, iframe").first().waitFor();
  await until("the screen is whole", async () => (await shown.locator("main [aria-busy=true]").count()) === 0);
  await act?.(shown, on?.say ?? ((english) => english));
  return shown;
}

const faultsOf = async (screen: ScreenToShow) => faultsEverywhere(await show(screen, undefined));

test("what cannot be used by everybody is noticed", async () => {
  await page.goto("/imprint");
  await page.getByRole("heading", { name: "Imprint" }).waitFor();
  await page.evaluate(() => {
    const image = document.createElement("img");
    image.src = "/favicon.svg";
    const grey = document.createElement("p");
    grey.textContent = "hardly to be read";
    grey.style.color = "#ddd";
    document.querySelector("main")?.append(image, grey);
  });
  const found = await axeFaults(page);
  expect(found.map((fault) => fault.split(":")[0])).toEqual(expect.arrayContaining(["image-alt", "color-contrast"]));
});

test("an empty product has no fault", async () => {
  expect(await faultsOf(emptyHome)).toEqual({});
  expect(await faultsEverywhere(await show(emptyHome, inGerman))).toEqual({});
  await page.setViewportSize(wide);
  await page.emulateMedia({ colorScheme: "light" });
});

test("the main job is done with the keyboard alone", async () => {
  const focusedName = () => page.evaluate(() => document.activeElement?.textContent?.trim() ?? "");
  /** Presses Tab until the element with this name has the focus, and expects the focus to be visible there. */
  const tabTo = async (name: string | RegExp) => {
    for (let steps = 0; steps < 120; steps += 1) {
      await page.keyboard.press("Tab");
      const here = await focusedName();
      if (typeof name === "string" ? here === name : name.test(here)) {
        const outline = await page.evaluate(() => {
          const { outlineStyle, boxShadow } = getComputedStyle(document.activeElement ?? document.body);
          return outlineStyle !== "none" || boxShadow !== "none";
        });
        expect([here, outline]).toEqual([here, true]);
        return;
      }
    }
    throw new Error(`Tab does not come to ${String(name)}`);
  };
  // register
  await page.goto("/");
  await page.getByText("No test objects yet").waitFor();
  await until("the first field has the focus", () =>
    page.getByLabel("Name").evaluate((field) => field === field.ownerDocument.activeElement),
  );
  await page.keyboard.type("The manual");
  await page.keyboard.press("Tab");
  await page.keyboard.type(site.url);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "The manual", level: 1 }).waitFor();
  // crawl
  await tabTo("Crawl");
  await page.keyboard.press("Enter");
  await page.getByText("All 3 instances shown").waitFor();
  await page.getByRole("button", { name: "Crawl", exact: true }).waitFor();
  // fetch, twice, with a change in between
  const rows = page.getByRole("list", { name: "Instances" }).getByRole("listitem");
  await tabTo("Fetch All");
  await page.keyboard.press("Enter");
  await until("first snapshots", async () => (await rows.getByText("First snapshot").count()) === 3);
  site.pages.set("/p1.html", manual(3, "second")["/p1.html"] ?? "");
  await until("Fetch All is ready again", () =>
    page.getByRole("button", { name: "Fetch All", exact: true }).isEnabled(),
  );
  await tabTo("Fetch All");
  await page.keyboard.press("Enter");
  await page.getByRole("link", { name: "Review 1 change" }).waitFor();
  // compare
  await page.keyboard.press("/");
  await page.keyboard.type("p1.html");
  await until("one row", async () => (await rows.count()) === 1);
  await page.keyboard.press("Escape");
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Chapter 1", level: 1 }).waitFor();
  await tabTo("Compare with #1");
  await page.keyboard.press("Enter");
  await page.getByRole("region", { name: "Differences" }).getByText("second").first().waitFor();
  const id = (await product.rest.call("listTestObjects"))[0]?.id ?? "";
  await product.rest.call("deleteTestObject", { params: { id } });
  await until("the object is gone", async () => (await product.rest.call("listTestObjects")).length === 0);
});

test("the sample site is found and fetched twice", async () => {
  sample = await prepareSample(product.rest, stop.signal);
  expect(sample.older).not.toBe(sample.newer);
});

test.each([...everyScreen])("$name has no fault in either language", async (screen) => {
  const [english, german] = await Promise.all([faultsOf(screen), show(screen, inGerman).then(faultsEverywhere)]);
  expect({ english, german }).toEqual({ english: {}, german: {} });
});
