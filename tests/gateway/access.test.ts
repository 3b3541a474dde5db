import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { Browser } from "playwright-core";
import { launchBrowser } from "../support/browser.js";
import { gatewayOnly, startProduct, type Product } from "../support/product.js";
import { createStage, expectGone, expectSeen } from "../support/stage.js";

/**
 * The screens of a product that requires a token: the local setting `apiAuth`, its dialog, and the requests that then carry the token.
 * These tests are about refused calls, so a refused call does not count as a problem here.
 */
const token = "open-Sesame-7";
const stage = createStage();
const { said, button } = stage;
let product: Product;
let browser: Browser;

const dialog = () => stage.page.getByRole("dialog", { name: "API access" });

/** Opens the console, whose websocket the server has to accept, and closes it again. */
async function expectConsole(): Promise<void> {
  await button("Console").click();
  await expectSeen(said(`pid ${product.pidOf("gateway")}`));
  await stage.page.keyboard.press("Escape");
  await expectGone(stage.page.getByRole("dialog"));
}

beforeAll(async () => {
  [product, browser] = await Promise.all([startProduct({ ...gatewayOnly, API_TOKEN: token }), launchBrowser()]);
  await stage.open(browser, product.address);
});
afterAll(async () => {
  await browser.close();
  await product.stop();
});

test("who is turned away is asked for the token; a wrong one is refused in words", async () => {
  await stage.page.goto("/");
  await expectSeen(dialog());
  await dialog().getByLabel("Token", { exact: true }).fill("wrong");
  await button("Save").click();
  await expectSeen(said(/^Saved, but the server refused it\./));
});

test("the right one opens the screens and the console's websocket", async () => {
  await dialog().getByLabel("Token", { exact: true }).fill(token);
  await button("Save").click();
  await expectGone(dialog());
  await expectSeen(said("API access saved"));
  await expectSeen(said("No test objects yet"));
  await expectConsole();
  await stage.page.reload();
  await expectSeen(said("No test objects yet"));
});

test("a header of one's own does as well, kept as the specification names it", async () => {
  await button("API access").click();
  await dialog().getByText("Own header").click();
  await dialog().getByLabel("Header name").fill("two words");
  await dialog().getByLabel("Header value", { exact: true }).fill(token);
  await button("Save").click();
  await expectSeen(said("Enter the name of a header, for example X-API-Token."));
  await dialog().getByLabel("Header name").fill("X-API-Token");
  await button("Save").click();
  await expectGone(dialog());
  const kept = await stage.page.evaluate(() => JSON.parse(localStorage.getItem("apiAuth") ?? "{}") as unknown);
  expect(kept).toEqual({ enabled: true, mode: "header", token, headerName: "X-API-Token", headerValue: token });
  await expectConsole();
  await stage.page.reload();
  await expectSeen(said("No test objects yet"));
  await expectConsole();
});

test("switched off, the server turns the browser away again", async () => {
  await button("API access").click();
  await dialog().getByRole("switch").press("Space");
  await button("Save").click();
  await expectSeen(said("Saved, but this server asks for a token."));
});
