import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { Browser } from "playwright-core";
import { launchBrowser } from "../support/browser.js";
import { crawl, fetchAll, register } from "../support/job.js";
import type { Product } from "../support/product.js";
import { shareProduct } from "../support/shared-product.js";
import { startSite, type Site } from "../support/site.js";
import { createStage, expectGone, expectSeen } from "../support/stage.js";
import { until } from "../support/until.js";

/** The screens of an object that does not exist, or no longer exists, say so and offer nothing that would fail. */
const nobody = randomUUID();
const screens = ["rules", "schedules", "compare", "lifecycle", "checks", "search"];
const stage = createStage();
const { said, button } = stage;
let product: Product;
let site: Site;
let browser: Browser;
let objectId: string;

beforeAll(async () => {
  [product, site, browser] = await Promise.all([shareProduct(), startSite({ "/": "Home" }), launchBrowser()]);
  objectId = await register(product, site.url, "The shop");
  await stage.open(browser, product.address);
});
afterAll(async () => {
  await browser.close();
  await product.stop();
  await site.close();
});

test.each(screens)("%s of an object that is not there", async (screen) => {
  await stage.page.goto(`/objects/${objectId}/${screen}`);
  await expectSeen(stage.page.getByRole("link", { name: "The shop" }));
  expect(await said("Test object not found.").count()).toBe(0);
  await stage.page.goto(`/objects/${nobody}/${screen}`);
  await expectSeen(stage.page.getByRole("heading", { name: "Test object not found.", level: 1 }));
  await expectSeen(stage.page.getByRole("main").getByRole("link", { name: "Go to Objects" }));
  const buttons = await stage.page.getByRole("main").getByRole("button").allInnerTexts();
  expect(buttons.filter((text) => text !== "Console")).toEqual([]);
});

test("a bulk diff of an object that is not there is not asked for again", async () => {
  await stage.page.goto(`/diff/bulk?bulk=${nobody}&idx1=1&idx2=0`);
  await expectSeen(said(/^Error loading diff: .*There is no test object/));
  await expectSeen(stage.page.getByRole("alert").getByRole("link", { name: "Go to Objects" }));
  expect(await button("Try again").count()).toBe(0);
});

/** Sends the event of a person who comes back to this tab. */
const comeBack = () => stage.page.evaluate(() => window.dispatchEvent(new Event("visibilitychange")));

test.each(["instance", "snapshot", "review"] as const)(
  "%s: a screen that is open while its object is deleted elsewhere says so when one comes back to it",
  async (screen) => {
    const id = await register(product, site.url, `The shop of the ${screen}`);
    await crawl(product, id);
    await fetchAll(product, id);
    const { items } = await product.rest.call("listTestInstances", { params: { id }, query: {} });
    const page = await product.rest.call("getTestInstance", { params: { id: items[0]?.id ?? "" }, query: {} });
    const runs = await product.rest.call("listRuns", { params: { id }, query: {} });
    const addresses = {
      instance: `/instances/${page.id}`,
      snapshot: `/snapshots/${page.testsnapshots[0]?.id ?? ""}`,
      review: `/runs/${runs.items.find(({ kind }) => kind === "snapshot-all")?.id ?? ""}/review`,
    };
    await stage.page.goto(addresses[screen]);
    await expectSeen(stage.page.getByRole("link", { name: `The shop of the ${screen}` }));
    await product.rest.call("deleteTestObject", { params: { id } });
    const title = stage.page.getByRole("heading", { name: /^(Instance|Snapshot|Review) not found\.$/, level: 1 });
    await until("the screen to say so", async () => {
      await comeBack();
      return (await title.count()) === 1;
    });
  },
);

test("a screen that is open while its object is deleted elsewhere says so", async () => {
  await stage.page.goto(`/objects/${objectId}/rules`);
  await expectSeen(button("Add Rule"));
  await product.rest.call("deleteTestObject", { params: { id: objectId } });
  await expectSeen(said("Test object not found."));
  await expectGone(button("Add Rule"));
});
