import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { Browser, Page } from "playwright-core";
import { prepareSample, type Sample } from "../../benches/screens/screens.mjs";
import { inTheme } from "../support/axe.js";
import { launchBrowser } from "../support/browser.js";
import { cutWords } from "../support/cut-words.js";
import type { Product } from "../support/product.js";
import { shareProduct } from "../support/shared-product.js";
import { smallTargets, underConsole } from "../support/targets.js";
import { until } from "../support/until.js";

/** The screens for people who read German, on a phone, where longer words have the least room. */
let product: Product;
let browser: Browser;
let page: Page;
let sample: Sample;
let runId: string;
let german: Readonly<Record<string, string>>;
const stop = new AbortController();
const phone = { width: 390, height: 844 };

beforeAll(async () => {
  const catalogue = join(import.meta.dirname, "..", "..", "web", "src", "texts", "de.json");
  german = JSON.parse(await readFile(catalogue, "utf8"));
  [product, browser] = await Promise.all([shareProduct(), launchBrowser()]);
  sample = await prepareSample(product.rest, stop.signal);
  runId = (await product.rest.call("listTestObjects"))[0]?.history.at(-1)?.id ?? "";
  const context = await browser.newContext({
    baseURL: product.address,
    locale: "de-DE",
    viewport: phone,
    reducedMotion: "reduce",
  });
  context.setDefaultTimeout(30_000);
  page = await context.newPage();
});
afterAll(async () => {
  stop.abort();
  await browser.close();
  await product.stop();
});

/** Returns the texts that people read or hear, without code, texts of stored pages and the switch, which names the other language in that language. */
const readTexts = () =>
  page.evaluate(() => {
    const texts = new Set<string>();
    const isOwn = (element: Element | null) =>
      element?.closest("code, pre, .mono, body [lang], script, style") === null;
    const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walk.nextNode() !== null)
      if (isOwn(walk.currentNode.parentElement)) texts.add(walk.currentNode.textContent ?? "");
    for (const name of ["aria-label", "title", "placeholder", "alt"])
      for (const element of document.querySelectorAll(`[${name}]`))
        if (isOwn(element)) texts.add(element.getAttribute(name) ?? "");
    return [...texts].map((text) => text.trim());
  });

/** Names of the sample's pages that are words of the catalogue too. */
const names = new Set(["About", "Contact", "Delivery", "News"]);

/** Lists English texts on the screen that the catalogue could translate. */
async function englishLeft(): Promise<string[]> {
  const sayGerman = new Set(Object.values(german));
  return (await readTexts()).filter(
    (text) => (german[text] ?? text) !== text && !sayGerman.has(text) && !names.has(text),
  );
}

/** Lists what does not fit in windows from the narrowest phone to a desktop; 720 pixels are a window of 1440 pixels zoomed to 200 %. */
async function unfit(): Promise<string[]> {
  const found: string[] = [];
  for (const width of [320, phone.width, 720, 768, 1024, 1440]) {
    await page.setViewportSize({ width, height: phone.height });
    found.push(...(await cutWords(page)).map((words) => `${width}: ${words}`));
    if ((await overhang()) !== 0) found.push(`${width}: the page is wider than the window`);
  }
  await page.setViewportSize(phone);
  return found;
}

/** Returns by how many pixels the page is wider than the window. */
const overhang = () => page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);

async function open(address: string): Promise<void> {
  await page.goto(address);
  await page.locator("h1").first().waitFor();
  await until("the screen is whole", async () => (await page.locator("main [aria-busy=true]").count()) === 0);
}

test.each<[name: string, title: string, address: (of: Sample & { runId: string }) => string]>([
  ["home", "Testobjekte", () => "/"],
  ["object", "Sample site", ({ objectId }) => `/objects/${objectId}`],
  ["what changed", "Sample site", ({ objectId }) => `/objects/${objectId}?status=since`],
  ["search", "Suche: Sencha", ({ objectId }) => `/objects/${objectId}/search?q=Sencha`],
  ["page", "Our teas", ({ instanceId }) => `/instances/${instanceId}`],
  ["snapshot", "Snapshot 2 von Our teas", ({ newer }) => `/snapshots/${newer}`],
  ["comparison", "Our teas #1 und #2", ({ older, newer }) => `/diff?a=${older}&b=${newer}`],
  ["bulk comparison", "mit Unterschieden", ({ objectId }) => `/diff/bulk?bulk=${objectId}&idx1=1&idx2=0`],
  ["review", "Durchsicht von Sample site", (of) => `/runs/${of.runId}/review`],
  ["rules", "Regeln von Sample site", ({ objectId }) => `/objects/${objectId}/rules`],
  ["schedules", "Zeitpläne von Sample site", ({ objectId }) => `/objects/${objectId}/schedules`],
  ["whole site", "Sample site vergleichen", ({ objectId }) => `/objects/${objectId}/compare`],
  ["lifecycle", "Zu- und Abgänge", ({ objectId }) => `/objects/${objectId}/lifecycle`],
  ["checks", "Prüfungen", ({ objectId }) => `/objects/${objectId}/checks`],
  ["notifications", "Benachrichtigungen", () => "/notifications"],
  ["anything", "Beliebiges vergleichen", () => "/diff-anything"],
  ["formatter", "HTML-Formatierer", () => "/format-html"],
  ["import and export", "Import/Export", () => "/import-export"],
  ["imprint", "Impressum", () => "/imprint"],
  ["privacy", "Datenschutz", () => "/privacy"],
  ["lost", "Seite nicht gefunden", () => "/no/such/screen"],
])("%s is German and fits a phone", async (_name, title, address) => {
  await open(address({ ...sample, runId }));
  await until("the title", async () => (await page.title()).includes(title));
  expect({ english: await englishLeft(), overhang: await overhang() }).toEqual({ english: [], overhang: 0 });
  // every target is large enough for a thumb, and the console covers none
  expect({ small: await smallTargets(page), under: await underConsole(page) }).toEqual({ small: [], under: [] });
  expect(await unfit()).toEqual([]);
  expect(await page.locator("html").getAttribute("lang")).toBe("de");
  expect(await page.title()).toMatch(/ – Websites überwachen und testen$/);
});

test("the lines of the console are German, those that tell of failures too", async () => {
  const closed = "http://127.0.0.1:9/";
  const { id } = await product.rest.call("createTestObject", { body: { name: "Geschlossen", url: closed } });
  await product.rest.call("snapshotOne", { params: { id } });
  await open("/");
  await page.getByRole("button", { name: "Konsole" }).click();
  const log = page.getByRole("log", { name: "Zeilen der Aufträge" });
  await log.getByText(`Fehlgeschlagen: ${closed}: `).waitFor();
  const lines = await log.getByRole("listitem").allTextContents();
  const english = /Fetched|Visited|Crawl of|Crawl finished:|queued|Failed|Fetch finished/;
  expect(lines.filter((line) => english.test(line))).toEqual([]);
  for (const begins of ["Crawl von http", "Crawl fertig: ", "Snapshots eingereiht", " abgerufen (200, ", " besucht"])
    expect(lines.some((line) => line.includes(begins))).toBe(true);
  await page.keyboard.press("Escape");
  await product.rest.call("deleteTestObject", { params: { id } });
});

test("what is too small for a thumb, or lies under the Console button, is noticed", async () => {
  await open("/imprint");
  await page.evaluate(() => {
    const small = document.createElement("button");
    small.textContent = "Small";
    small.style.cssText = "position:fixed;right:40px;bottom:20px;height:20px;z-index:1";
    document.querySelector("main")?.append(small);
  });
  expect(await smallTargets(page)).toEqual([expect.stringMatching(/^button Small /)]);
  expect(await underConsole(page)).toEqual(["button Small"]);
});

test("the head of a review takes one row, the rest stands in a menu that keys open", async () => {
  await open(`/runs/${runId}/review`);
  const head = page.locator("main header").first();
  const rows = new Set<number>();
  for (const control of await head.locator("a, button").filter({ visible: true }).all())
    if ((await control.evaluate((element) => element.closest("nav"))) === null)
      rows.add(Math.round((await control.boundingBox())?.y ?? 0));
  expect(rows.size).toBe(1);
  await head.getByRole("button", { name: "Mehr" }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("menuitem", { name: "Drucken" }).waitFor();
  expect(await page.getByRole("menuitem").allTextContents()).toEqual([
    "Drucken",
    "Bezeichnen …",
    "Freigeben …",
    "Sammelvergleich",
  ]);
  // the first has the focus
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.getByRole("dialog").waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
});

test.each(["light", "dark"] as const)("on a desk nothing lies under the Console button, in %s", async (theme) => {
  await page.setViewportSize({ width: 1280, height: 800 });
  await inTheme(page, theme);
  const { objectId, older, newer, instanceId } = sample;
  for (const address of [
    "/",
    `/objects/${objectId}`,
    `/instances/${instanceId}`,
    `/runs/${runId}/review`,
    `/diff?a=${older}&b=${newer}`,
    `/diff/bulk?bulk=${objectId}&idx1=1&idx2=0`,
  ]) {
    await open(address);
    // at every scroll position
    expect({ address, under: await underConsole(page, 200) }).toEqual({ address, under: [] });
  }
  await page.setViewportSize(phone);
});

test("the sentences of a review are not squeezed beside its buttons", async () => {
  await page.setViewportSize({ width: 1280, height: 800 });
  await open(`/runs/${runId}/review`);
  const sentence = page.locator("main header p").first();
  expect(await sentence.evaluate(({ clientHeight }) => clientHeight)).toBeLessThan(30);
  await page.setViewportSize(phone);
});

test("another language is chosen in the menu, and is there after a reload", async () => {
  await open("/");
  await page.getByRole("button", { name: "Menü" }).click();
  await page.getByRole("button", { name: "English" }).click();
  await page.getByRole("heading", { name: "Objects", level: 1 }).waitFor();
  // the control: in English, the check does find texts
  expect(await englishLeft()).toEqual(expect.arrayContaining(["New TestObject", "Last runs:"]));
  await page.reload();
  await page.getByRole("heading", { name: "Objects", level: 1 }).waitFor();
  expect(await page.locator("html").getAttribute("lang")).toBe("en");
  expect(await page.title()).toBe("Objects – website monitoring and testing");
  await page.getByRole("button", { name: "Menu" }).click();
  await page.getByRole("button", { name: "Deutsch" }).click();
  await page.getByRole("heading", { name: "Testobjekte", level: 1 }).waitFor();
});
