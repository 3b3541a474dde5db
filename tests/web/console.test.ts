import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { Browser } from "playwright-core";
import { launchBrowser } from "../support/browser.js";
import { crawl, fetchAll, register } from "../support/job.js";
import { startProduct, type Product } from "../support/product.js";
import { manual, startSite, type Site } from "../support/site.js";
import { createStage, expectGone, expectSeen } from "../support/stage.js";
import { until } from "../support/until.js";

/** The live job console as a person meets it, in a real Chromium; each scene goes on where the one before it ended. */
const pageCount = 110;
const stage = createStage();
const { scene, said, button } = stage;
let product: Product;
let site: Site;
let browser: Browser;
let objectId: string;

const log = () => stage.page.getByRole("log", { name: "Job lines" });
const shown = () => log().getByRole("listitem");
const fromBottomPx = () => log().evaluate((box) => box.scrollHeight - box.clientHeight - box.scrollTop);

beforeAll(async () => {
  [product, site, browser] = await Promise.all([
    startProduct(),
    startSite(manual(pageCount, "first")),
    launchBrowser(),
  ]);
  await stage.open(browser, product.address);
});
afterAll(async () => {
  await browser.close();
  await product.stop();
  await site.close();
});

test(
  "an empty console, opened from a page like any other",
  scene(async () => {
    await stage.page.goto("/imprint");
    await button("Console").waitFor();
    await stage.page.keyboard.press("c");
    await expectSeen(stage.page.getByRole("dialog", { name: /^Live Job Console/ }));
    await expectSeen(said(`pid ${product.pidOf("gateway")}`));
    await expectSeen(said("Streaming logs from background jobs."));
    await expectSeen(said("No console output yet."));
    await expectSeen(stage.page.getByText("Subscribed", { exact: true }));
  }),
);

test(
  "lines come while a job runs, and the newest is followed until the person scrolls up",
  scene(async () => {
    objectId = await register(product, site.url);
    await crawl(product, objectId);
    await expectSeen(said(/^Crawl finished: 110 pages found/));
    expect(await shown().count()).toBe(pageCount + 2);
    expect(await fromBottomPx()).toBeLessThanOrEqual(16);
    await log().evaluate((box) => box.scrollTo(0, 0));
    await expectSeen(button("Jump to newest"));
    await button("Jump to newest").click();
    await expectSeen(said("Following the newest line"));
    expect(await fromBottomPx()).toBeLessThanOrEqual(16);
  }),
);

test(
  "closed it counts what is unread, up to 99+; opened again it has the last 200 lines",
  scene(async () => {
    await stage.page.keyboard.press("Escape");
    await expectGone(stage.page.getByRole("dialog"));
    await fetchAll(product, objectId);
    await expectSeen(stage.page.getByText("99+"));
    await stage.page.getByRole("button", { name: /^Console/ }).click();
    await expectSeen(said(/^Fetch finished: 110 of 110 pages/));
    await expectGone(stage.page.getByText("99+"));
    expect(await shown().count()).toBe(200);
  }),
);

test(
  "cleared here and on the server, also for a page that is loaded anew",
  scene(async () => {
    await button("Clear logs").click();
    await expectSeen(said("No console output yet."));
    await until("the server's log is empty", async () => (await product.rest.call("getStats")).log.bytes === 0);
    await button("Unsubscribe").click();
    await expectSeen(said("Not subscribed"));
    await button("Subscribe").click();
    await expectSeen(stage.page.getByText("Subscribed", { exact: true }));
    await button("Close").click();
    await expectGone(stage.page.getByRole("dialog"));
    await stage.page.reload();
    await button("Console").click();
    await expectSeen(said("No console output yet."));
  }),
);
