import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { Browser } from "playwright-core";
import { file, png } from "../support/asset-site.js";
import { launchBrowser, openScreen } from "../support/browser.js";
import { askByPages, followLink } from "../support/foreign-page.js";
import { register } from "../support/job.js";
import type { Product } from "../support/product.js";
import { shareProduct } from "../support/shared-product.js";
import { startSite, type Site } from "../support/site.js";
import { until } from "../support/until.js";

/** What pages of other sites can do to the product in a real Chromium, where no token is set (with a token: `tests/replay/token.test.ts`). */
let product: Product;
let site: Site;
let browser: Browser;
/** A snapshot whose page has a stylesheet, a picture and a font. */
let snapshotId: string;

beforeAll(async () => {
  [product, site, browser] = await Promise.all([
    shareProduct({ CHROMIUM_PATH: "/nonexistent" }),
    startSite({
      "/": `<!doctype html><title>Own</title><link rel="stylesheet" href="/own.css"><h1>Wares</h1><img src="/ware.png">`,
    }),
    launchBrowser(),
  ]);
  const style = "@font-face { font-family: own; src: url(/own.woff2) } h1 { font-family: own }";
  site.pages.set("/own.css", file("text/css", style));
  site.pages.set("/own.woff2", file("font/woff2", Buffer.concat([Buffer.from("wOF2\0\x01\0\0"), Buffer.alloc(64)])));
  site.pages.set("/ware.png", file("image/png", png(8, 8, 0x336699)));
  const objectId = await register(product, site.url, "Own font");
  await product.rest.call("updateTestObject", {
    params: { id: objectId },
    body: { fetch_mode: "http", asset_snapshots: true },
  });
  await product.rest.call("snapshotOne", { params: { id: objectId } });
  snapshotId = await until("the snapshot", async () => {
    const [row] = await product.db.query<{ id: string }>(`SELECT id FROM test_snapshot WHERE state = 'done'`);
    return row?.id;
  });
}, 240_000);
afterAll(async () => {
  await browser?.close();
  await product?.stop();
  await site?.close();
});

test("they cannot ask for anything below /api, not even without reading the answer", async () => {
  const { crossSite, sameSite, own } = await askByPages(browser, product, site, "/api/testobjects");
  for (const statuses of [crossSite, sameSite])
    expect(Object.entries(statuses).filter(([, status]) => status !== 403)).toEqual([]);
  // The product's own page may send the same requests; the beacon is refused for not being JSON. Forms are refused: the product submits none, and hides
  // their origin.
  expect(own).toMatchObject({ img: 200, iframe: 200, script: 200, fetch: 200, "fetch-cors": 200, beacon: 415 });
  expect(Object.keys(own).filter((way) => own[way] === 403)).toEqual(["form"]);
});

test("a link in a mail opens a stored page, a file and the API's description, and no call", async () => {
  const html = await (await fetch(`${product.address}/api/testsnapshots/${snapshotId}/render`)).text();
  const picture = /src="(\/api\/assets\/[^"]+\.png)"/.exec(html)?.[1] ?? "no picture";
  const statuses: [string, number][] = [];
  for (const address of [
    `/api/testsnapshots/${snapshotId}/render`,
    picture,
    "/api/docs",
    "/",
    "/api/testobjects",
    "/api/export",
    `/api/testsnapshots/${snapshotId}`,
  ])
    statuses.push([address, await followLink(browser, site, product.address + address)]);
  expect(statuses.map(([, status]) => status)).toEqual([200, 200, 200, 200, 403, 403, 403]);
});

test("a page that is replayed is of no origin: what it loads says so, and is answered", async () => {
  const { page } = await openScreen(browser, product.address);
  const seen = new Map<string, string>();
  page.on("response", async (response) => {
    const address = new URL(response.url()).pathname;
    if (!address.startsWith("/api/assets/")) return;
    const { "sec-fetch-site": from, "sec-fetch-dest": as } = await response.request().allHeaders();
    seen.set(address.replace(/.+\./, ""), `${as} ${from} ${response.status()}`);
  });
  await page.goto(`/snapshots/${snapshotId}`);
  await until("the files of the page", () => seen.size === 3);
  expect(Object.fromEntries(seen)).toEqual({
    css: "style cross-site 200",
    png: "image cross-site 200",
    woff2: "font cross-site 200",
  });
  await page.context().close();
});
