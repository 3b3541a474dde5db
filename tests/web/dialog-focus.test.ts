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
