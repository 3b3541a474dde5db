import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { Browser } from "playwright-core";
import { launchBrowser } from "../support/browser.js";
import { crawl, register } from "../support/job.js";
import type { Product } from "../support/product.js";
import { shareProduct } from "../support/shared-product.js";
import { startSite, type Site } from "../support/site.js";
import { createStage, expectGone, expectSeen } from "../support/stage.js";
import { until } from "../support/until.js";

const stage = createStage();
const { scene, toast, button } = stage;
let product: Product;
let site: Site;
let browser: Browser;
let objectPath: string;

beforeAll(async () => {
  const plain = (body: string) => body;
  [product, site, browser] = await Promise.all([
    shareProduct(),
    startSite({
      "/": `<title>Home</title><a href="/a">a</a><a href="/private/b">b</a><a href="/missing">c</a><a href="http://127.0.0.2/x">x</a>`,
      "/a": `<title>A</title><a href="/missing">c</a>`,
      "/robots.txt": (_request, response) => {
        response.writeHead(200, { "content-type": "text/plain" }).end("User-agent: *\nDisallow: /private/\n");
      },
    }),
    launchBrowser(),
  ]);
  site.pages.set(
    "/map.xml",
    plain(`<urlset><url><loc>${site.url}s1</loc></url><url><loc>${site.url}s2</loc></url></urlset>`),
  );
  objectPath = `/objects/${await register(product, site.url, "Discovery")}`;
  await stage.open(browser, product.address);
});
afterAll(async () => {
  await browser.close();
  await product.stop();
  await site.close();
});

test(
  "sitemaps are added and read",
  scene(async () => {
    const { page } = stage;
    await page.goto(objectPath);
    await page.getByLabel("Sitemap 1", { exact: true }).fill(`${site.url}map.xml`);
    await button("Crawl Sitemaps").click();
    await expectSeen(toast("Starting sitemap crawl..."));
    await expectSeen(toast("Sitemap crawl completed! Found 2 URL(s)."));
  }),
);

test(
  "a crawl is reported with what failed and where it is linked",
  scene(async () => {
    const { page } = stage;
    await button("Crawl").click();
    await expectSeen(toast("Crawl completed! Found 2 page(s)."));
    await expectSeen(page.getByText("robots denied"));
    await button("Show report").click();
    await expectSeen(page.getByText("/missing"));
    await button("Show all 2 pages that carry it").click();
    await expectSeen(page.getByRole("list", { name: "Pages that link to /missing" }).getByText("/a", { exact: true }));
    await button("Robots denied 1").click();
    await expectSeen(page.getByText("/private/b"));
    const picture = process.env["DISCOVERY_PICTURE"];
    if (picture !== undefined) await page.screenshot({ path: picture, fullPage: true });
  }),
);

const refusals: string[] = [];
test(
  "a crawl that is refused says which one runs, and leads to it",
  scene(async () => {
    const { page } = stage;
    const held: (() => void)[] = [];
    site.pages.set("/", (_request, response) => {
      held.push(() => response.writeHead(200, { "content-type": "text/html" }).end("<title>Home</title>"));
    });
    // another window has just begun a crawl, of which this page does not know yet
    await page.route("**/crawl", async (route) => {
      await product.rest.call("crawl", { params: { id: objectPath.slice("/objects/".length) } });
      await route.continue();
    });
    refusals.push(`409 /api/testobjects/${objectPath.slice("/objects/".length)}/crawl`);
    await button("Crawl").click();
    await expectSeen(page.getByRole("alert").filter({ hasText: "Failed to start crawl" }));
    await expectSeen(page.getByText("Not started: a crawl is already running"));
    const picture = process.env["CONFLICT_PICTURE"];
    if (picture !== undefined) await page.screenshot({ path: picture });
    await button("Show it").click();
    await expectSeen(page.locator("#running-crawl:focus"));
    await page.unroute("**/crawl");
    await button("Stop crawl").click();
    await expectSeen(button("Crawl"));
    expect(await page.getByText("Not started: a crawl is already running").count()).toBe(0);
    for (const release of held) release();
  }, refusals),
);

test(
  "a fetch that was stopped does not say that it came to its end",
  scene(async () => {
    const { page } = stage;
    const held: (() => void)[] = [];
    site.pages.set("/", (_request, response) => {
      held.push(() => response.writeHead(200, { "content-type": "text/html" }).end("<title>Home</title>"));
    });
    await button("Fetch All").click();
    await until("the page that is held", () => Promise.resolve(held.length > 0));
    await button("Stop fetch").click();
    await expectSeen(toast("Stopped. What is finished stays."));
    await expectSeen(page.getByText(/^The last fetch of 4 pages was stopped, /));
    expect(await page.getByText(/\d of 4 pages/).count()).toBe(0);
    for (const release of held) release();
  }),
);

test(
  "options say how far a crawl goes, and what patterns would exclude",
  scene(async () => {
    const { page } = stage;
    await button("Options").click();
    await page.getByLabel("Exclude URL patterns").fill("/s*");
    await button("Preview these patterns").click();
    await expectSeen(page.getByText("2 of 4 instances would be excluded."));
    await page.getByRole("button", { name: /^How far a crawl goes/ }).click();
    await page.getByLabel("Ignore robots.txt (own site)").check();
    await button("Save").click();
    await expectSeen(toast("Saved: Exclude URL patterns and 1 other option"));
    await page.getByRole("button", { name: /^Fetch authentication/ }).click();
    const asked = page.getByRole("switch", { name: "Fetch authentication" });
    // the group of options may still be opening
    await until("something to save", async () => {
      if (!(await asked.isChecked())) await asked.click({ force: true });
      return button("Save").isEnabled();
    });
    await button("Save").click();
    await expectSeen(toast("Directory protection saved"));
  }),
);

test(
  "what is switched while a save is on its way stays switched, and is saved by the next one",
  scene(async () => {
    const { page } = stage;
    const id = objectPath.split("/").at(-1) ?? "";
    const isPatch = (url: URL) => url.pathname === `/api/testobjects/${id}`;
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    await page.route(isPatch, async (route) => {
      if (route.request().method() !== "PATCH") return route.continue();
      const response = await route.fetch();
      await held;
      return route.fulfill({ response });
    });
    const robots = page.getByRole("switch", { name: "Ignore robots.txt (own site)" });
    const patterns = page.getByRole("textbox", { name: "Exclude URL patterns" });
    await patterns.fill("/t*");
    await button("Save").click();
    await until("the save is done on the server", async () => {
      const object = await product.rest.call("getTestObject", { params: { id } });
      return !Array.isArray(object) && object.exclude_list[0] === "/t*";
    });
    // change another option while the answer to the save is on its way
    await robots.uncheck();
    release();
    await expectSeen(stage.said(/^Saved: Exclude URL patterns$/));
    expect(await robots.isChecked()).toBe(false);
    expect(await patterns.inputValue()).toBe("/t*");
    await button("Save").click();
    await expectSeen(toast("Saved: Ignore robots.txt (own site)"));
    await page.unroute(isPatch);
    expect(await product.rest.call("getTestObject", { params: { id } })).toMatchObject({
      exclude_list: ["/t*"],
      ignore_robots: false,
    });
  }),
);

test(
  "a crawl that found nothing says why without being asked",
  scene(async () => {
    const { page } = stage;
    const id = await register(product, site.url.replace("http:", "https:"), "Not by https");
    await crawl(product, id);
    await page.goto(`/objects/${id}`);
    await expectSeen(page.getByText("robots.txt could not be read"));
    await button("Hide report").click();
    await expectGone(page.getByText("robots.txt could not be read"));
  }),
);
