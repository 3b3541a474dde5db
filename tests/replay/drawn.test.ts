import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { PNG } from "pngjs";
import { file } from "../support/asset-site.js";
import { launchBrowser } from "../support/browser.js";
import { chosenPicture, drawnPages } from "../support/drawn-pages.js";
import { fetchAll, register } from "../support/job.js";
import type { Product } from "../support/product.js";
import { shareProduct } from "../support/shared-product.js";
import { startSite, type Site } from "../support/site.js";

/** A stored page, shown with headers that let no script run, looks pixel by pixel as scripts had drawn the live page. */
let product: Product;
let site: Site;
let browser: Browser;
const usual = { viewport: { width: 1280, height: 900 }, deviceScaleFactor: 1, reducedMotion: "reduce" } as const;
const narrow = { ...usual, viewport: { width: 640, height: 700 }, deviceScaleFactor: 2 };
const fileTypes: Record<string, string> = { ".svg": "image/svg+xml", ".css": "text/css" };
const pathOf = (index: number) => `/page${index}`;
/** Pictures of the live pages by path: `drawn` with scripts, `plain` without. */
const live = new Map<string, { drawn: PNG; plain: PNG }>();
const stored = new Map<string, { render: string; warning: string | null }>();

beforeAll(async () => {
  const picture = chosenPicture();
  // the headless shell from npm has no WebGL: an installed browser draws here, if there is one
  if (process.env["TEST_HEADLESS_SHELL"] !== undefined) process.env["CHROMIUM_PATH"] = "";
  const env = { CHROMIUM_PATH: process.env["CHROMIUM_PATH"] ?? "" };
  [product, site, browser] = await Promise.all([shareProduct(env), startSite({}), launchBrowser()]);
  for (const [index, { html, files = {} }] of [...drawnPages, picture].entries()) {
    site.pages.set(pathOf(index), html);
    for (const [path, text] of Object.entries(files))
      site.pages.set(path, file(fileTypes[path.slice(path.lastIndexOf("."))] ?? "text/html", text));
  }
  for (const index of drawnPages.keys()) {
    const address = site.url.slice(0, -1) + pathOf(index);
    const plain = await photograph(address, { ...usual, javaScriptEnabled: false });
    live.set(pathOf(index), { drawn: await photograph(address, usual), plain });
  }
  await fetchPages([...drawnPages.keys()].map(pathOf), "");
  await fetchPages([pathOf(drawnPages.length)], "640x700@2");
}, 240_000);
afterAll(async () => {
  await browser.close();
  await site.close();
  await product.stop();
});

async function fetchPages(paths: readonly string[], viewport: string): Promise<void> {
  const id = await register(product, site.url, `Drawn ${viewport}`);
  const body = { fetch_mode: "browser" as const, asset_snapshots: true, viewport };
  await product.rest.call("updateTestObject", { params: { id }, body });
  await product.db.query(
    "INSERT INTO test_instance (test_object_id, url, name) SELECT $1, u, u FROM unnest($2::text[]) u",
    [id, paths.map((path) => site.url.slice(0, -1) + path)],
  );
  expect(await fetchAll(product, id)).toMatchObject({ total: paths.length, failed: 0 });
  const { items } = await product.rest.call("listTestInstances", { params: { id }, query: { limit: 100 } });
  for (const item of items) {
    const { testsnapshots, preview } = await product.rest.call("getTestInstance", {
      params: { id: item.id },
      query: {},
    });
    const [newest] = testsnapshots;
    if (newest === undefined) throw new Error(`${item.url} was not fetched`);
    const snapshot = await product.rest.call("getTestSnapshot", { params: { id: newest.id } });
    if (Array.isArray(snapshot) || snapshot.render === null) throw new Error(`${item.url} cannot be shown`);
    expect([preview?.viewport ?? viewport, snapshot.viewport]).toEqual([viewport, viewport]);
    stored.set(new URL(item.url).pathname, { render: product.address + snapshot.render, warning: snapshot.warning });
  }
}

async function look<Result>(
  address: string,
  options: BrowserContextOptions,
  take: (page: Page) => Promise<Result>,
): Promise<Result> {
  const context = await browser.newContext(options);
  try {
    const page = await context.newPage();
    await page.goto(address);
    const isLive = address.startsWith(site.url) && options.javaScriptEnabled !== false;
    if (isLive)
      await page.waitForFunction(() => document.title.endsWith("drawn") && document.readyState === "complete");
    return await take(page);
  } finally {
    await context.close();
  }
}

const photograph = (address: string, options: BrowserContextOptions): Promise<PNG> =>
  look(address, options, async (page) => {
    if (address.startsWith(site.url)) await layerFrames(page);
    return PNG.sync.read(await page.screenshot({ animations: "disabled" }));
  });

/**
 * Gives the frames of a live page layers of their own, as Chromium does with frames of another origin, which all stored ones
 * are. A layer's text is blended into the page once more, so without them greys would differ by a 255th.
 */
async function layerFrames(page: Page): Promise<void> {
  for (const frame of page.frames())
    await frame.evaluate(() => {
      for (const each of document.querySelectorAll("iframe")) each.style.willChange = "transform";
    });
}

/** Lists the pixels that have different colours, as `x,y`. */
function differing(one: PNG, other: PNG): string[] {
  const found: string[] = [];
  for (let at = 0; at < one.data.length; at += 4) {
    const pixel = at / 4;
    if (one.data.readUInt32BE(at) !== other.data.readUInt32BE(at))
      found.push(`${pixel % one.width},${Math.floor(pixel / one.width)}`);
  }
  return found;
}

describe("a stored page looks as the live one did", () => {
  test.each(drawnPages.map(({ name }, index) => [name, pathOf(index)]))("%s", async (_, path) => {
    const known = live.get(path);
    const kept = stored.get(path);
    if (known === undefined || kept === undefined) throw new Error("It was not fetched");
    const shown = await photograph(kept.render, { ...usual, deviceScaleFactor: 1 });
    // the control: scripts did draw something
    expect(differing(known.plain, known.drawn).length).toBeGreaterThan(100);
    expect([differing(known.drawn, shown), kept.warning]).toEqual([[], null]);
  });

  test("with the pictures that its own window chose, whatever the reader's screen", async () => {
    const path = pathOf(drawnPages.length);
    const address = site.url.slice(0, -1) + path;
    const colours = (shown: string, options: BrowserContextOptions) =>
      look(shown, options, async (page) => {
        const { data, width } = PNG.sync.read(await page.screenshot({ scale: "css" }));
        const at = (row: number) => ((row * 60 + 4) * width + 4) * 4;
        return [0, 1, 2, 3, 4].map((row) => data.subarray(at(row), at(row) + 3).toString("hex"));
      });
    const wanted = await colours(address, narrow);
    const render = stored.get(path)?.render ?? "";
    const sharp = { ...narrow, deviceScaleFactor: 2 };
    const coarse = { ...narrow, deviceScaleFactor: 1 };
    // on another screen the live page shows other pictures
    expect(await colours(address, coarse)).not.toEqual(wanted);
    expect(await colours(address, usual)).not.toEqual(wanted);
    for (const reader of [sharp, coarse, { ...coarse, deviceScaleFactor: 3 }, usual])
      expect(await colours(render, reader)).toEqual(wanted);
  });
});
