import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { Browser } from "playwright-core";
import { launchBrowser } from "../support/browser.js";
import { register } from "../support/job.js";
import type { Product } from "../support/product.js";
import { shareProduct } from "../support/shared-product.js";
import { startSite, type Site } from "../support/site.js";
import { compared, uploadJson } from "../support/transfer.js";
import { createStage, expectSeen } from "../support/stage.js";
import { until } from "../support/until.js";

/** Duplicate on an object's screen, and how the home tells both objects apart. */
const stage = createStage();
const { button, toast, path } = stage;
let product: Product;
let site: Site;
let browser: Browser;
let objectId: string;

beforeAll(async () => {
  [product, site, browser] = await Promise.all([
    shareProduct(),
    startSite({ "/": "<title>Home</title>" }),
    launchBrowser(),
  ]);
  objectId = await register(product, site.url, "The shop");
  const secret = { auth_enabled: true, auth_username: "ada", auth_password: "secret" };
  const options = { exclude_list: ["/cart/*"], keep_days: 30, tags: ["shops"], ...secret };
  await product.rest.call("updateTestObject", { params: { id: objectId }, body: options });
  await product.rest.call("snapshotOne", { params: { id: objectId } });
  await until("the page is fetched", async () => {
    const [object] = await product.rest.call("listTestObjects");
    return object?.snapshots_total === 1 && !object.progress.snapshotAll.running;
  });
  await stage.open(browser, product.address);
});
afterAll(async () => {
  await browser.close();
  await product.stop();
  await site.close();
});

test("a duplicate has the options of its original, but neither its pages nor its password", async () => {
  await stage.page.goto(`/objects/${objectId}`);
  await button("More").click();
  await stage.page.getByRole("menuitem", { name: "Duplicate" }).click();
  await expectSeen(toast("Enter passwords, request headers and the login again."));
  await expectSeen(stage.page.getByRole("heading", { name: "The shop (copy)", level: 1 }));
  const id = path().split("/").at(-1) ?? "";
  expect(id).not.toBe(objectId);
  expect(await product.rest.call("getTestObject", { params: { id } })).toMatchObject({
    ...{ name: "The shop (copy)", url: site.url, instances_total: 0, exclude_list: ["/cart/*"], keep_days: 30 },
    ...{ tags: ["shops"], auth_enabled: false, auth_password_set: false },
  });
});

test("only what has no snapshots is asked to be crawled or fetched first", async () => {
  await stage.page.goto("/");
  const rows = stage.page.getByRole("listitem");
  await expectSeen(rows.filter({ hasText: "The shop (copy)" }).getByText("Crawl to begin"));
  const original = rows.filter({ hasText: "The shop" }).filter({ hasNotText: "(copy)" });
  await expectSeen(original.getByText("First snapshots"));
  expect(await original.getByText(/to begin$/).count()).toBe(0);
  // an imported history is no run, but has something to compare with
  const snapshots = [2, 1].map((day) => ({
    testinstance_id: "page",
    created_at: `2026-01-0${day}T00:00:00.000Z`,
    html: "<p>As ever</p>",
    headers: "{}",
  }));
  await uploadJson(product, {
    testObjects: [{ id: "old", name: "The archive", url: "http://127.0.0.1:9/" }],
    testInstances: [{ id: "page", testobject_id: "old", name: "", url: "http://127.0.0.1:9/" }],
    testSnapshots: snapshots.map((snapshot, index) => ({ id: `s${index}`, ...snapshot })),
  });
  await compared(product);
  await stage.page.reload();
  await expectSeen(rows.filter({ hasText: "The archive" }).getByText("Unchanged"));
});
