import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { Browser } from "playwright-core";
import { launchBrowser } from "../support/browser.js";
import { register } from "../support/job.js";
import type { Product } from "../support/product.js";
import { shareProduct } from "../support/shared-product.js";
import { createStage, expectGone } from "../support/stage.js";
import { until } from "../support/until.js";

/** Dialogs opened by the keyboard: the focus begins at the first field, not at the cross, and returns to the button. */
const stage = createStage();
let product: Product;
let browser: Browser;
let objectId: string;

beforeAll(async () => {
  [product, browser] = await Promise.all([shareProduct(), launchBrowser()]);
  objectId = await register(product, "http://127.0.0.1:9/", "The shop");
  const channel = { kind: "webhook", name: "Hook", url: "https://hooks.example.com/" } as const;
  await product.rest.call("createChannel", { body: channel });
  await stage.open(browser, product.address);
});
afterAll(async () => {
  await browser.close();
  await product.stop();
});

const hasFocus = (name: string, role: "combobox" | "button" | "textbox"): Promise<boolean> =>
  stage.page
    .getByRole(role, { name, exact: true })
    .first()
    .evaluate((element) => element === document.activeElement);

test.each([
  ["Add Schedule", "/objects/:id/schedules", "What", "combobox"],
  ["Add Rule", "/objects/:id/rules", "Ignore", "combobox"],
  ["Add Channel", "/notifications", "Kind", "combobox"],
  ["Add Route", "/notifications", "Send to", "combobox"],
  ["Make Token", "/access", "Name", "textbox"],
] as const)("%s", async (button, address, field, role) => {
  const path = address.replace(":id", objectId);
  await stage.page.goto(path);
  const opener = stage.page.getByRole("button", { name: button, exact: true }).first();
  await opener.press("Enter");
  await until(`the focus is in ${field}`, () => hasFocus(field, role));
  await stage.page.keyboard.press("Escape");
  await expectGone(stage.page.getByRole("dialog"));
  await until("the focus is back", () => hasFocus(button, "button"));
  expect(new URL(stage.page.url()).pathname).toBe(path);
});

test("what takes the place of a pressed button has the focus, and after a choice the title of its card", async () => {
  const { page } = stage;
  const params = { id: objectId };
  await product.rest.call("updateTestObject", { params, body: { request_headers: ["X-Shop: 1"], exclude_list: [] } });
  await page.goto(`/objects/${objectId}`);
  await page.getByRole("button", { name: /^Options/ }).press("Enter");
  await page.getByRole("button", { name: /^Visit pages as/ }).press("Enter");
  await page.getByRole("button", { name: "Replace" }).press("Enter");
  await until("the focus is in the field", () => hasFocus("Request headers", "textbox"));
  await page.getByRole("textbox", { name: "Exclude URL patterns" }).fill("/mine");
  await product.rest.call("updateTestObject", { params, body: { exclude_list: ["/theirs"] } });
  const save = page.getByRole("button", { name: "Save", exact: true });
  await save.press("Enter");
  await page.getByText("Exclude URL patterns: stored now is /theirs").waitFor();
  await until("the focus is back on the button", () => hasFocus("Save", "button"));
  await page.getByRole("button", { name: "Use the stored value: Exclude URL patterns" }).press("Enter");
  const title = page.getByRole("button", { name: /^Options/ });
  await until("the focus is on the title", () => title.evaluate((element) => element === document.activeElement));
  expect(await title.getAttribute("tabindex")).toBeNull();
});

test("after a row is deleted the focus is on the next one, and after the last one on the heading", async () => {
  const { page } = stage;
  const body = { work: "fetch", time: { type: "every", minutes: 60 } } as const;
  await product.rest.call("createSchedule", { params: { id: objectId }, body });
  await product.rest.call("createSchedule", { params: { id: objectId }, body });
  await page.goto(`/objects/${objectId}/schedules`);
  const rows = page.getByRole("list", { name: "Schedules" }).getByRole("listitem");
  const deleteFirst = async (left: number) => {
    await rows.first().getByRole("button", { name: "Delete", exact: true }).press("Enter");
    await page.getByRole("dialog").getByRole("button", { name: "Delete schedule" }).press("Enter");
    await expectGone(page.getByRole("dialog"));
    await until("the row is gone", async () => (await rows.count()) === left);
  };
  const focused = () => page.evaluate(() => document.activeElement?.closest("li, h1, h2, h3")?.tagName);
  await until("two rows", async () => (await rows.count()) === 2);
  await deleteFirst(1);
  await until("the focus is in the other row", async () => (await focused()) === "LI");
  await deleteFirst(0);
  await until("the focus is on a heading", async () => /^H[1-3]$/.test((await focused()) ?? ""));
});
