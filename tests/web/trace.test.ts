import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { Browser } from "playwright-core";
import { launchBrowser } from "../support/browser.js";
import { crawl, fetchAll, register } from "../support/job.js";
import type { Product } from "../support/product.js";
import { shareProduct } from "../support/shared-product.js";
import { startSite, type Site } from "../support/site.js";
import { createStage, expectSeen } from "../support/stage.js";

/** The screen of a snapshot tells since when its page has had a line or a text, in a real Chromium. */
const stage = createStage();
const { scene, button, path } = stage;
let product: Product;
let site: Site;
let browser: Browser;
/** Ids of the snapshots, oldest first. */
let ids: string[] = [];

const page = (words: string) => `<!doctype html>\n<title>Shop</title>\n<h1>Shop</h1>\n<p>Price: ${words}</p>\n`;

beforeAll(async () => {
  [product, site, browser] = await Promise.all([shareProduct(), startSite({ "/": page("10") }), launchBrowser()]);
  const id = await register(product, site.url, "The shop");
  await crawl(product, id);
  for (const words of ["10", "12", "12", "14"]) {
    site.pages.set("/", page(words));
    await fetchAll(product, id);
  }
  const { items } = await product.rest.call("listTestInstances", { params: { id }, query: {} });
  const instance = await product.rest.call("getTestInstance", { params: { id: items[0]?.id ?? "" }, query: {} });
  ids = instance.testsnapshots.map((snapshot) => snapshot.id).toReversed();
  await stage.open(browser, product.address);
});
afterAll(async () => {
  await browser.close();
  await product.stop();
  await site.close();
});

const answer = (words: string) => stage.page.getByText(words);

test(
  "a click on a line's number tells who brought the line and who took it, and both are a click away",
  scene(async () => {
    await stage.page.goto(`/snapshots/${ids[2]}`);
    await button("Line 4: since when?").click();
    await expectSeen(stage.page.getByRole("code").getByText("<p>Price: 12</p>"));
    await expectSeen(answer("does not have it").first());
    await expectSeen(answer("still has it"));
    expect(new URL(stage.page.url()).searchParams.get("line")).toBe("4");
    await stage.page.getByRole("link", { name: "Compare", exact: true }).first().click();
    await stage.page.waitForURL(/\/diff\?/);
    expect(path()).toBe("/diff");
    expect(Object.fromEntries(new URL(stage.page.url()).searchParams)).toMatchObject({ a: ids[0], b: ids[1] });
  }),
);

test(
  "by the keyboard a text is looked for, in each form, and the address tells it to others",
  scene(async () => {
    await stage.page.goto(`/snapshots/${ids[3]}`);
    await stage.page.getByLabel("Text to look for").fill("Price: 12");
    await stage.page.keyboard.press("Enter");
    await expectSeen(answer("The page lacks it up to its newest snapshot"));
    await stage.page.getByRole("radio", { name: "Formatted" }).press("Space");
    await stage.page.waitForURL(/form=formatted/);
    await stage.page.reload();
    await expectSeen(answer("The page lacks it up to its newest snapshot"));
    expect(await stage.page.getByLabel("Text to look for").inputValue()).toBe("Price: 12");
  }),
);

const refused: string[] = [];
test(
  "a line that is not there, and what is no number, are said in words",
  scene(async () => {
    refused.push(`400 /api/testsnapshots/${ids[3]}/trace`);
    await stage.page.goto(`/snapshots/${ids[3]}?line=99`);
    await expectSeen(answer("this snapshot has 4 lines"));
    await stage.page.getByLabel("Number of the line").fill("abc");
    await expectSeen(answer("Enter a line number, from 1"));
    expect(await button("Find").isDisabled()).toBe(true);
  }, refused),
);
