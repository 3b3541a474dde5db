import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import type { Browser } from "playwright-core";
import { launchBrowser } from "../support/browser.js";
import { crawl, fetchAll, register } from "../support/job.js";
import type { Product } from "../support/product.js";
import { shareProduct } from "../support/shared-product.js";
import { startSite, type Site } from "../support/site.js";
import { createStage, expectGone, expectSeen } from "../support/stage.js";

/** What the screens show and start without a network, or if the server fails: no failure is hidden, and none looks like an answer. */
const stage = createStage();
const { said, button, toast } = stage;
let product: Product;
let site: Site;
let browser: Browser;
let objectId: string;
/** More pages than a dropdown lists at once. */
const pages = 104;

beforeAll(async () => {
  const names = Array.from({ length: pages }, (_, index) => `/p${index}`);
  const links = names.map((name) => `<a href="${name}">${name}</a>`).join("");
  [product, site, browser] = await Promise.all([
    shareProduct(),
    startSite({ "/": links, ...Object.fromEntries(names.map((name) => [name, `<title>Page ${name}</title>`])) }),
    launchBrowser(),
  ]);
  objectId = await register(product, site.url, "The shop");
  await crawl(product, objectId);
  await fetchAll(product, objectId);
  await stage.open(browser, product.address);
});
beforeEach(() => stage.page.context().setOffline(false));
afterAll(async () => {
  await browser.close();
  await product.stop();
  await site.close();
});

const runs = async () => (await product.rest.call("listRuns", { params: { id: objectId }, query: {} })).items.length;

test("what is started without a network is said to have failed, and does not begin by itself later", async () => {
  const { page } = stage;
  await page.goto(`/objects/${objectId}`);
  await expectSeen(button("Fetch All"));
  const before = await runs();
  await page.context().setOffline(true);
  await expectSeen(said("You are offline."));
  await button("Fetch All").first().click();
  await expectSeen(page.getByRole("alert").filter({ hasText: "The server did not answer." }));
  await button("Crawl").first().click();
  await expectSeen(page.getByRole("alert").filter({ hasText: "Failed to start crawl" }));
  await page.context().setOffline(false);
  await expectGone(said("You are offline."));
  await expectSeen(button("Fetch All"));
  expect(await button("Fetch All").first().isEnabled()).toBe(true);
  expect(await runs()).toBe(before);
});

test("a product on this machine works without a network, and nothing says that it does not", async () => {
  const { page } = stage;
  await page.goto("/imprint");
  await expectSeen(button("Console"));
  await page.waitForLoadState("networkidle");
  // the event of a browser that has lost its network; the server on this machine still answers
  const asked = page.waitForResponse("**/config.json");
  await page.evaluate(() => window.dispatchEvent(new Event("offline")));
  await asked;
  await page.getByRole("banner").getByRole("link", { name: "Objects", exact: true }).click();
  await page
    .getByRole("link", { name: /The shop/ })
    .first()
    .click();
  await expectSeen(stage.rows());
  await expectSeen(page.getByRole("heading", { name: "The shop", level: 1 }));
  expect(await said("You are offline.").count()).toBe(0);
  const before = await runs();
  await button("Fetch All").first().click();
  await expectSeen(toast(`Fetching ${pages + 1} snapshot(s)...`));
  expect(await runs()).toBe(before + 1);
});

test.each(["", "&view=history"])("a search that failed says why, and is done again (%s)", async (view) => {
  const { page } = stage;
  const address = view === "" ? "**/api/search/stream?*" : "**/api/search/history?*";
  const body = JSON.stringify({ status: 500, code: "internal", message: "The index is being repaired." });
  await page.route(address, (route) => route.fulfill({ status: 500, contentType: "application/json", body }));
  await page.goto(`/objects/${objectId}/search?q=Page${view}`);
  const alert = page.getByRole("alert").filter({ hasText: "HTTP 500: The index is being repaired." });
  await expectSeen(alert);
  const form = await page.getByRole("search").locator("..").boundingBox();
  expect((await alert.boundingBox())?.y).toBeGreaterThanOrEqual((form?.y ?? 0) + (form?.height ?? 0) + 16);
  await expectSeen(said("No results found"));
  expect(await said(/Nothing in any snapshot matches|was never on any/).count()).toBe(0);
  await page.unroute(address);
  await button("Try again").click();
  await expectSeen(page.getByRole("article"));
  await expectGone(said("No results found"));
});

test("a dropdown says that it lists the first of many, and why it lists nothing", async () => {
  const { page } = stage;
  await page.goto(`/objects/${objectId}`);
  const field = page.getByRole("combobox", { name: "Instance" });
  await field.click();
  const others = page.getByRole("option", { name: "The first 100 are listed. Type to find others." });
  await expectSeen(others);
  expect(await others.getAttribute("aria-disabled")).toBe("true");
  await field.fill("p103");
  await expectSeen(page.getByRole("option", { name: /p103/ }));
  await expectGone(others);
  const list = "**/testinstances?limit=1000*";
  await page.route(list, (route) => route.fulfill({ status: 502, body: "Bad Gateway" }));
  await page.goto(`/objects/${objectId}`);
  await field.click();
  await expectSeen(said("HTTP 502: Bad Gateway").filter({ visible: true }));
  await page.unroute(list);
  await page.keyboard.press("Escape");
  await field.blur();
  await field.click();
  await expectSeen(page.getByRole("option"));
});

test("a screen that was opened while the server was away comes back by itself", async () => {
  const { page } = stage;
  const calls = /\/(api\/|config\.json)/;
  await page.route(calls, (route) => route.fulfill({ status: 502, body: "Bad Gateway" }));
  await page.goto("/");
  await expectSeen(page.getByRole("alert").filter({ hasText: "HTTP 502: Bad Gateway" }));
  await page.unroute(calls);
  await expectSeen(page.getByRole("link", { name: /The shop/ }));
  await expectGone(page.getByRole("alert"));
});

test("one Try again reads all that failed on a screen, also the name in the breadcrumb, and each of it once", async () => {
  const { page } = stage;
  const object = new RegExp(`/api/testobjects/${objectId}$`);
  const list = new RegExp(`/api/testobjects/${objectId}/lifecycle`);
  // other than 502, this is not asked again by itself
  for (const calls of [object, list]) await page.route(calls, (route) => route.fulfill({ status: 500, body: "Oops" }));
  await page.goto(`/objects/${objectId}/lifecycle`);
  await expectSeen(page.getByRole("alert").filter({ hasText: "HTTP 500: Oops" }));
  const crumb = page.getByRole("main").getByRole("link", { name: "The shop" });
  expect(await crumb.count()).toBe(0);
  for (const calls of [object, list]) await page.unroute(calls);
  const asked: string[] = [];
  page.on("request", (request) => asked.push(request.url()));
  await button("Try again").click();
  await expectSeen(crumb);
  await expectGone(page.getByRole("alert"));
  expect(asked.filter((url) => object.test(url))).toHaveLength(1);
  expect(asked.filter((url) => list.test(url))).toHaveLength(1);
});

/**
 * Holds back what the server answers from now on, or only what this matches.
 * @returns lets everything through
 */
async function hold(calls = /\/(api\/|config\.json)/): Promise<() => void> {
  let release = () => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  await stage.page.route(calls, async (route) => {
    await released;
    await route.continue().catch(() => undefined);
  });
  return release;
}
const silent = () => stage.page.getByRole("status").filter({ hasText: "The server does not answer." });

test("a server that hangs is said on every screen, and a button in work shows that it works", async () => {
  const { page } = stage;
  await page.goto(`/objects/${objectId}`);
  await expectSeen(stage.rows());
  const goOn = await hold();
  const crawlButton = button("Crawl").first();
  await crawlButton.click();
  await page.locator("button[aria-busy=true]").filter({ hasText: "Crawl" }).waitFor();
  await expectSeen(silent());
  // it stays while the server is asked again
  await page.waitForRequest("**/config.json");
  await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
  expect(await silent().count()).toBe(1);
  await page.getByRole("banner").getByRole("link", { name: "Import/Export", exact: true }).click();
  await expectSeen(page.getByRole("heading", { name: "Import / Export", level: 1 }));
  await expectSeen(silent());
  goOn();
  await expectGone(silent());
});

test("a server that hangs before a screen's own code is there is said on the screen before", async () => {
  const { page } = stage;
  await page.goto("/imprint");
  await expectSeen(button("Console"));
  await page.waitForLoadState("networkidle");
  const goOn = await hold(/\/(api\/|config\.json|assets\/.*\.js)/);
  await page.getByRole("link", { name: "Data Protection" }).click();
  await expectSeen(silent());
  goOn();
  await expectGone(silent());
  await expectSeen(page.getByRole("heading", { level: 1 }));
});

test("an answer that takes long alone is no silence", async () => {
  const { page } = stage;
  await page.goto(`/objects/${objectId}`);
  await expectSeen(stage.rows());
  await page.waitForLoadState("networkidle");
  const goOn = await hold(/\/api\/.*\/lifecycle/);
  // the next time is when it is asked whether the server answers at all
  const asked = page.waitForResponse("**/config.json");
  await button("More").first().click();
  await page.getByRole("menuitem", { name: "Pages that came and went" }).click();
  await asked;
  await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
  expect(await silent().count()).toBe(0);
  goOn();
  await expectSeen(page.getByRole("heading", { name: "Pages that came and went", level: 1 }));
});

test("a full disk is said on every screen, until there is room", async () => {
  const { page } = stage;
  let isFull = true;
  await page.route("**/config.json", async (route) => {
    const answer = await route.fetch();
    await route.fulfill({ response: answer, json: { ...(await answer.json()), disk_full: isFull } });
  });
  const alert = page.getByRole("alert").filter({ hasText: "The disk of the data directory is full." });
  await page.goto("/");
  await expectSeen(alert);
  await page.getByRole("banner").getByRole("link", { name: "Import/Export", exact: true }).click();
  await expectSeen(alert);
  isFull = false;
  await expectGone(alert);
  await page.unroute("**/config.json");
});
