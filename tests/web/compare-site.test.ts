import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { Browser } from "playwright-core";
import { launchBrowser } from "../support/browser.js";
import { crawl, fetchAll, register } from "../support/job.js";
import type { Product } from "../support/product.js";
import { shareProduct } from "../support/shared-product.js";
import { startSite, type Site } from "../support/site.js";
import { createStage, expectGone, expectSeen } from "../support/stage.js";
import { until } from "../support/until.js";

/** A whole site at two times, and feeds, in a real Chromium. */
const names = Array.from({ length: 6 }, (_, index) => `p${index}`);
const stage = createStage();
const { scene, button, path } = stage;
let product: Product;
let site: Site;
let browser: Browser;
let objectId: string;

const heading = (name: string | RegExp) => stage.page.getByRole("heading", { name, level: 1 });
const rows = (name: string) => stage.page.getByRole("list", { name, exact: true }).getByRole("listitem");
const dialog = () => stage.page.getByRole("dialog");

beforeAll(async () => {
  [product, site, browser] = await Promise.all([
    shareProduct(),
    startSite({ "/": names.map((name) => `<a href="/${name}">${name}</a>`).join("") }),
    launchBrowser(),
  ]);
  for (const name of names) site.pages.set(`/${name}`, `<h1>${name}</h1><p>Words</p>`);
  objectId = await register(product, site.url, "The shop");
  await crawl(product, objectId);
  await fetchAll(product, objectId);
  site.pages.set("/p1", "<h1>p1</h1><p>Other words</p>");
  await fetchAll(product, objectId);
  site.pages.set("/p2", "<h1>p2</h1><p>Other words</p>");
  site.pages.set("/p3", (_request, response) => void response.writeHead(404).end("gone"));
  await fetchAll(product, objectId);
  await stage.open(browser, product.address);
});
afterAll(async () => {
  await browser.close();
  await product.stop();
  await site.close();
});

describe("comparing the whole site", () => {
  test(
    "the first fetch with the newest snapshots: what differs is reviewed as a fetch is",
    scene(async () => {
      await stage.page.goto(`/objects/${objectId}`);
      await button("More").click();
      await stage.page.getByRole("menuitem", { name: "Compare the whole site" }).click();
      await stage.page.getByRole("radio", { name: "A fetch" }).check();
      await stage.page.getByRole("combobox", { name: "Fetch", exact: true }).click();
      await stage.page.getByRole("option").last().click();
      await button("Compare").click();
      await expectSeen(heading("3 pages with differences to review"));
      expect(path()).toMatch(/^\/runs\/.*\/review$/);
      await expectSeen(stage.page.getByText("The newest snapshots with an earlier fetch, 7 pages"));
      await until("one kind of change", async () => (await rows("Kinds of change").count()) === 1);
      // the gone page waits too, so it is seen before everything is accepted
      await expectSeen(rows("Pages that are gone").getByText(/\/p3$/));
      await stage.page.getByRole("button", { name: /gone$/ }).click();
      await expectGone(rows("Pages that are gone"));
      await rows("Pages")
        .getByRole("button", { name: /^Accept .*\/p3$/ })
        .click();
      await expectSeen(heading("2 pages with differences to review"));
      await button("Accept all").click();
      await expectSeen(heading("No difference waits for review"));
    }),
  );

  test(
    "what was accepted is what is compared with next",
    scene(async () => {
      await stage.page.getByRole("link", { name: "Compare with…" }).click();
      await expectSeen(heading("Compare the whole site"));
      await expectSeen(rows("Comparisons").getByText("3 pages with differences"));
      await stage.page.getByRole("radio", { name: "What was accepted" }).check();
      await button("Compare").click();
      await expectSeen(heading("Nothing differs"));
    }),
  );

  test(
    "what changed in a time is reviewed from where it is listed",
    scene(async () => {
      await stage.page.goto(`/objects/${objectId}?status=since&days=1`);
      await button("Review").click();
      await expectSeen(heading(/pages with differences to review$/));
    }),
  );
});

describe("feeds", () => {
  test(
    "the address of a feed is shown once, can be renewed, and the feed is deleted",
    scene(async () => {
      await stage.page.goto("/notifications");
      await button("Make Feed").click();
      const address = dialog().getByText(/\/feeds\/[\w-]{43}$/);
      await expectSeen(address);
      const first = (await address.textContent()) ?? "";
      await dialog().getByRole("button", { name: "Done" }).click();
      await expectGone(dialog());
      await rows("Feeds").getByRole("button", { name: "New Address" }).click();
      await dialog().getByRole("button", { name: "New address" }).click();
      await expectSeen(address);
      expect(await address.textContent()).not.toBe(first);
      await stage.page.keyboard.press("Escape");
      await expectGone(dialog());
      await rows("Feeds").getByRole("button", { name: "Delete" }).click();
      await expectSeen(stage.page.getByText("No feeds yet"));
    }),
  );
});
