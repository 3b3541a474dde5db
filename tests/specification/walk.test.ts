import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { Browser } from "playwright-core";
import { prepareSample, type Sample, screens } from "../../benches/screens/screens.mjs";
import { launchBrowser } from "../support/browser.js";
import { createGate } from "../support/gate.js";
import { crawl, register } from "../support/job.js";
import type { Product } from "../support/product.js";
import { shareProduct } from "../support/shared-product.js";
import { manual, startSite, type Site } from "../support/site.js";
import { createStage, expectGone, expectSeen } from "../support/stage.js";
import { until } from "../support/until.js";

/**
 * What the specification says of screens, states, rules, messages and constants, sentence by sentence, as far as no other
 * test shows it; `table.ts` says which test shows what. The product is the real one, whose connections are cut or held at times.
 */
const pageCount = 27;
const gate = createGate();
const stage = createStage();
const { said, button, path, query } = stage;
const stop = new AbortController();
let product: Product;
let site: Site;
let browser: Browser;
let sample: Sample;
let manualId: string;

beforeAll(async () => {
  const pages = Object.entries(manual(pageCount, "first")).map(([address, html]) => [address, gate.behind(html)]);
  [product, site, browser] = await Promise.all([shareProduct(), startSite(Object.fromEntries(pages)), launchBrowser()]);
  sample = await prepareSample(product.rest, stop.signal);
  manualId = await register(product, site.url, "The manual");
  await crawl(product, manualId);
  await stage.open(browser, product.address);
});
afterAll(async () => {
  stop.abort();
  await browser.close();
  await product.stop();
  await site.close();
});

const object = () => `/objects/${sample.objectId}`;
const meta = (selector: string, attribute: string) => stage.page.locator(selector).getAttribute(attribute);

describe("§2 shared layout and route table", () => {
  test.each(screens.filter(({ act, missing }) => act === undefined && missing !== true))(
    "$name: header, footer, console button, title, description, canonical address and social preview tags",
    async (screen) => {
      const address = screen.address(sample);
      await stage.page.goto(address);
      await expectSeen(
        said(screen.ready === "1 object shown" ? "All 2 objects shown" : screen.ready).filter({ visible: true }),
      );
      const header = stage.page.getByRole("banner");
      const links = await header
        .locator("a")
        .evaluateAll((found) => found.map((link) => `${link.textContent} ${link.getAttribute("href")}`));
      expect(links).toEqual([
        "web-tester /",
        "Objects /",
        "Diff Anything /diff-anything",
        "HTML Formatter /format-html",
        "Import/Export /import-export",
      ]);
      expect(await header.evaluate((element) => getComputedStyle(element).position)).toBe("sticky");
      const footer = stage.page.getByRole("contentinfo");
      expect(await footer.textContent()).toContain(`© ${new Date().getFullYear()}`);
      expect(await footer.getByRole("link", { name: "Imprint" }).getAttribute("href")).toBe("/imprint");
      expect(await footer.getByRole("link", { name: "Data Protection" }).getAttribute("href")).toBe("/privacy");
      await expectSeen(stage.page.getByRole("button", { name: /^Console/ }));
      const title = await stage.page.title();
      expect(title).toMatch(/^.+ – website monitoring and testing$/);
      const canonical = product.address + address;
      expect({
        description: await meta('meta[name="description"]', "content"),
        canonical: await meta('link[rel="canonical"]', "href"),
        social: [
          await meta('meta[property="og:title"]', "content"),
          await meta('meta[property="og:url"]', "content"),
          await meta('meta[name="twitter:card"]', "content"),
        ],
        socialDescription: await meta('meta[property="og:description"]', "content"),
      }).toEqual({
        description: expect.stringMatching(/\w+ \w+.*\./),
        canonical,
        social: [title, canonical, "summary"],
        socialDescription: await meta('meta[name="description"]', "content"),
      });
    },
  );

  test("no two screens have the same title", async () => {
    const titles: string[] = [];
    for (const screen of screens.filter(({ act, missing }) => act === undefined && missing !== true)) {
      await stage.page.goto(screen.address(sample));
      await expectSeen(stage.page.getByRole("heading", { level: 1 }));
      titles.push(await stage.page.title());
    }
    expect(new Set(titles).size).toBe(titles.length);
  });

  test("a screen that breaks says Unexpected Application Error!", async () => {
    let loads = 0;
    stage.page.on("request", (request) => {
      if (request.isNavigationRequest()) loads++;
    });
    await stage.page.route("**/assets/imprint-*.js", (route) => route.abort());
    await stage.page.goto("/imprint");
    // the page reloads itself once, in case the server was updated
    await until("the second load", () => loads === 2);
    await stage.page.waitForLoadState();
    await expectSeen(stage.page.getByRole("heading", { name: "Unexpected Application Error!" }));
    await stage.page.unroute("**/assets/imprint-*.js");
    await button("Reload").click();
    await expectSeen(stage.page.getByRole("heading", { name: "Imprint" }));
  });
});

describe("§2 waiting", () => {
  test.each([
    ["/", "**/api/testobjects", "Loading test objects…"],
    ["object", "**/api/testobjects/*", "Loading test object…"],
    ["search", "**/api/search/stream*", "Searching..."],
  ])("%s says what it waits for, beside a spinner", async (where, call, words) => {
    const held = Promise.withResolvers<void>();
    await stage.page.route(call, async (route) => {
      await held.promise;
      await route.continue();
    });
    await stage.page.goto(where === "/" ? "/" : where === "object" ? object() : `${object()}/search?q=Sencha`);
    await expectSeen(said(words));
    held.resolve();
    await expectGone(said(words));
    await stage.page.unroute(call);
  });
});

describe("§2 screens", () => {
  test("home: sizes with the provider in brackets and the last two segments of paths", async () => {
    await stage.page.goto("/");
    await expectSeen(said(/^\(\w+.*\)$/));
    const stats = await product.rest.call("getStats");
    await expectSeen(said(`(${stats.db.provider})`));
    for (const place of [stats.log.path, stats.assets.path])
      await expectSeen(stage.page.getByText(place.split("/").filter(Boolean).slice(-2).join("/"), { exact: true }));
    expect(
      await stage.page
        .getByRole("definition")
        .filter({ hasText: /^\d+(\.\d)? (B|KB|MB|GB|TB)$/ })
        .count(),
    ).toBe(3);
  });

  test("the dropdown searches by subsequence and obeys arrows, Enter and Escape", async () => {
    await stage.page.goto(object());
    const field = stage.page.getByRole("combobox", { name: "Instance" });
    expect(await field.getAttribute("placeholder")).toBe("Select...");
    await field.click();
    await expectSeen(stage.page.getByRole("option"));
    await field.fill("snhmdr");
    await until("one choice", async () => (await stage.page.getByRole("option").count()) === 1);
    await stage.page.keyboard.press("Enter");
    expect(await field.inputValue()).toContain("Sencha Midori");
    // choosing the chosen option again does not clear it
    await field.fill("snhmdr");
    await until("one choice again", async () => (await stage.page.getByRole("option").count()) === 1);
    await stage.page.keyboard.press("Enter");
    await until("the same choice", async () => (await field.inputValue()).includes("Sencha Midori"));
    await field.fill("qqq");
    await expectSeen(said("No results found"));
    await stage.page.keyboard.press("Escape");
    await expectGone(said("No results found").filter({ visible: true }));
    await field.fill("");
    await stage.page.keyboard.press("ArrowDown");
    await stage.page.keyboard.press("ArrowDown");
    await stage.page.keyboard.press("Enter");
    await until("the choice", async () => (await field.inputValue()) !== "");
    await stage.page.getByRole("button", { name: "Clear", exact: true }).first().click();
    await until("nothing chosen", async () => (await field.inputValue()) === "");
  });

  test("bulk diff: the object's card counts from 1 and opens zero-based indices with the view", async () => {
    const { page } = stage;
    const held = Promise.withResolvers<void>();
    await page.route("**/assets/timeline-*.js", async (route) => {
      await held.promise;
      await route.continue();
    });
    await page.goto(object());
    await page.getByRole("combobox", { name: "Index A" }).click();
    await until("both indices", async () => (await page.getByRole("option").count()) === 2);
    // content that appears above an open list does not push it out of sight
    held.resolve();
    await expectSeen(page.getByRole("region", { name: "Timeline" }));
    await page.waitForLoadState("networkidle");
    expect(await page.getByRole("option").count()).toBe(2);
    await page.unroute("**/assets/timeline-*.js");
    await page.keyboard.press("Escape");
    await button("Open Bulk Diff").click();
    await until("the bulk diff", () => path() === "/diff/bulk");
    expect(query()).toEqual({ bulk: sample.objectId, idx1: "1", idx2: "0", view: "unified" });
    await stage.page.getByRole("combobox", { name: "Index A" }).first().click();
    const options = stage.page.getByRole("option");
    await expectSeen(options);
    expect([await options.count(), await options.first().textContent(), await options.nth(1).textContent()]).toEqual([
      20,
      "Index 1 (latest)",
      "Index 2 (second latest)",
    ]);
  });

  test("diff options: types, split for lines only, unchanged lines from 0 to 100 and 3 at first", async () => {
    await stage.page.goto(`/diff?a=${sample.older}&b=${sample.newer}`);
    const context = stage.page.getByRole("textbox", { name: "Unchanged Lines" });
    await expectSeen(context);
    expect(await context.inputValue()).toBe("3");
    for (const type of ["By Line", "By Word", "By Character"]) await expectSeen(said(type));
    await expectSeen(said("Line Numbers"));
    await context.fill("100");
    await until("the upper bound", () => query()["context"] === "100");
    await context.fill("101");
    await context.blur();
    expect(Number(await context.inputValue())).toBeLessThanOrEqual(100);
    await context.fill("-5");
    await context.blur();
    expect(Number(await context.inputValue())).toBeGreaterThanOrEqual(0);
    await said("By Word").click();
    await until("words", () => query()["diffType"] === "words");
    // the address changes before the screen is drawn again
    await until("no split view", () => stage.page.getByRole("switch", { name: "Split View" }).isDisabled());
  });

  test("a snapshot: id, preview of 600 px, and its page in a new tab", async () => {
    await stage.page.goto(`/snapshots/${sample.newer}`);
    await expectSeen(said(sample.newer));
    const frame = await stage.page.locator("iframe").boundingBox();
    expect(frame?.height).toBeCloseTo(600, 1);
    const link = stage.page.getByRole("link", { name: "Open in new tab" });
    expect([await link.getAttribute("href"), await link.getAttribute("target")]).toEqual([
      `/snapshots/${sample.newer}/render`,
      "_blank",
    ]);
    await stage.page.goto(`/snapshots/${sample.newer}/render`);
    await stage.page.getByRole("link", { name: "Snapshot 2" }).click();
    await stage.page.waitForURL(`**/snapshots/${sample.newer}`);
  });

  test("an instance: dates as dd.mm.yyyy hh:mm, texts that can be edited, assets on demand", async () => {
    const asked: string[] = [];
    stage.page.on("request", (request) => asked.push(request.url()));
    await stage.page.goto(`/instances/${sample.instanceId}`);
    const card = stage.page.getByRole("article", { name: "Snapshot 2" });
    await expectSeen(card.getByText(/^\d\d\.\d\d\.\d{4} \d\d:\d\d$/));
    await card.getByRole("button", { name: /^HTML/ }).click();
    await card.getByLabel("HTML of snapshot 2").fill("<p>mine");
    await card.getByRole("button", { name: /^Headers/ }).click();
    expect(JSON.parse(await card.getByLabel("Headers of snapshot 2").inputValue())).toMatchObject({
      "content-type": expect.any(String),
    });
    expect(asked.filter((url) => url.includes("_action=assets"))).toEqual([]);
    await card.getByRole("button", { name: /^Assets/ }).click();
    await expectSeen(card.getByText("style.css"));
  });

  test("an instance: its latest preview, without rights, leads to the whole page and to a visual diff", async () => {
    const { page } = stage;
    await page.goto(`/instances/${sample.instanceId}`);
    const preview = page.getByRole("link", { name: "Snapshot 2 as it looked" });
    await expectSeen(preview.frameLocator("iframe").getByRole("heading"));
    expect(await preview.locator("iframe").getAttribute("sandbox")).toBe("");
    expect(await page.getByRole("link", { name: "Visual diff with #1" }).getAttribute("href")).toBe(
      `/diff/visual?a=${sample.older}&b=${sample.newer}`,
    );
    await preview.click();
    await until("the whole page", () => stage.path() === `/snapshots/${sample.newer}/render`);
  });

  test("where assets are not kept, previews are disabled in words", async () => {
    const params = { id: sample.objectId };
    await product.rest.call("updateTestObject", { params, body: { asset_snapshots: false } });
    await stage.page.goto(`/instances/${sample.instanceId}`);
    await expectSeen(said("Previews are disabled for this test object."));
    expect(await said("Previews are disabled for this test object.").count()).toBe(1);
    expect(await stage.page.locator("iframe").count()).toBe(0);
    await stage.page.goto(`/snapshots/${sample.newer}`);
    await expectSeen(said(/^Previews are disabled for this test object/));
    expect(await stage.page.locator("iframe").count()).toBe(0);
    const link = said(/^Previews are disabled for this test object/).getByRole("link");
    expect(await link.getAttribute("href")).toBe(object());
    await product.rest.call("updateTestObject", { params, body: { asset_snapshots: true } });
  });
});

describe("what a walk through every screen found", () => {
  const phone = { width: 390, height: 600 };
  const scrolled = () => stage.page.evaluate(() => window.scrollY);

  test("a dropdown of indices says when each was fetched", async () => {
    const { page } = stage;
    await page.goto(`${object()}/search`);
    await page.getByRole("combobox", { name: "Snapshot index" }).click();
    await expectSeen(page.getByRole("option", { name: /^Index 1 \(latest\)/ }));
    const dates = await page
      .getByRole("option")
      .evaluateAll((options) =>
        options.map((option) => option.querySelector("[data-at]")?.getAttribute("data-at") ?? ""),
      );
    const about = expect.stringMatching(/^about \d\d\.\d\d\.\d{4} \d\d:\d\d$/);
    // the first option stands for all of them
    expect(dates).toEqual(["", about, about]);
    await page.keyboard.press("Escape");
  });

  test("back leads to where one was, a fresh address to its top", async () => {
    const { page } = stage;
    await page.setViewportSize(phone);
    await page.goto(object());
    await expectSeen(page.getByRole("list", { name: "Instances" }).getByRole("listitem"));
    await page.waitForLoadState("networkidle");
    const row = page.getByRole("list", { name: "Instances" }).getByRole("link").last();
    await row.scrollIntoViewIfNeeded();
    // a mouse click would first scroll the row to where nothing covers it
    const before = await row.evaluate((link) => {
      if (link instanceof HTMLElement) link.click();
      return window.scrollY;
    });
    expect(before).toBeGreaterThan(300);
    await until("the page of an instance", () => path().startsWith("/instances/"));
    await until("its top", async () => (await scrolled()) === 0);
    await page.goBack();
    await until("the place before", async () => Math.abs((await scrolled()) - before) < 50);
    await page.goto(`/instances/${sample.instanceId}`);
    await expectSeen(page.getByRole("heading", { level: 1 }));
    expect(await scrolled()).toBe(0);
    await page.setViewportSize({ width: 1440, height: 900 });
  });

  test("on paper stands what was found, without controls", async () => {
    const { page } = stage;
    const [last] =
      (await product.rest.call("listTestObjects")).find(({ id }) => id === sample.objectId)?.history.slice(-1) ?? [];
    await page.goto(`/runs/${last?.id ?? ""}/review`);
    const controls = [page.getByRole("button", { name: /^Console/ }), page.getByRole("button", { name: "Accept all" })];
    for (const control of controls) await expectSeen(control);
    await page.emulateMedia({ media: "print" });
    for (const control of controls) expect(await control.isVisible()).toBe(false);
    expect(await page.getByRole("banner").isVisible()).toBe(false);
    await expectSeen(page.getByText("Kinds of change"));
    await page.emulateMedia({ media: "screen" });
  });

  test("without a network a banner says so, and goes by itself", async () => {
    const { page } = stage;
    await page.goto("/imprint");
    await expectSeen(button("Console"));
    const banner = page.getByRole("status").filter({ hasText: "You are offline." });
    await page.context().setOffline(true);
    await expectSeen(banner);
    await page.context().setOffline(false);
    await expectGone(banner);
  });

  test("an object is renamed", async () => {
    const { page } = stage;
    await page.goto(`/objects/${manualId}`);
    await button("More").first().click();
    await page.getByRole("menuitem", { name: "Name and address" }).click();
    await page.getByRole("dialog").getByLabel("Name", { exact: true }).fill("The handbook");
    await page.getByRole("dialog").getByRole("button", { name: "Save", exact: true }).click();
    await expectSeen(page.getByRole("heading", { name: "The handbook", level: 1 }));
    expect((await product.rest.call("listTestObjects")).map(({ name }) => name)).toContain("The handbook");
  });

  test("an address without a scheme is asked for by https", async () => {
    const { page } = stage;
    const asked = Promise.withResolvers<unknown>();
    await page.route("**/api/testobjects", async (route) => {
      if (route.request().method() !== "POST") return route.continue();
      asked.resolve(route.request().postDataJSON());
      return route.abort();
    });
    await page.goto("/");
    await page.getByLabel("Name", { exact: true }).fill("Example");
    await page.getByLabel("URL", { exact: true }).fill("example.com");
    await button("Create").click();
    expect(await asked.promise).toEqual({ name: "Example", url: "https://example.com" });
    await page.unroute("**/api/testobjects");
  });

  test("tiles of an object lead to what they count", async () => {
    const { page } = stage;
    await page.goto(object());
    await expectSeen(page.getByRole("list", { name: "Instances" }).getByRole("listitem"));
    const tiles = await page
      .locator("main dl a")
      .evaluateAll((links) => links.map((link) => link.getAttribute("href")));
    expect(tiles).toEqual(expect.arrayContaining([object(), `${object()}?status=changed`]));
  });
});
