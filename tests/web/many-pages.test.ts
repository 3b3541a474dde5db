import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { Browser } from "playwright-core";
import { launchBrowser } from "../support/browser.js";
import { register } from "../support/job.js";
import type { Product } from "../support/product.js";
import { shareProduct } from "../support/shared-product.js";
import { createStage, expectSeen } from "../support/stage.js";

/** A site with more pages than its pickers list. */
const stage = createStage();
const { scene } = stage;
let product: Product;
let browser: Browser;
let objectId: string;

beforeAll(async () => {
  [product, browser] = await Promise.all([shareProduct(), launchBrowser()]);
  objectId = await register(product, "http://127.0.0.1:9/", "The shop");
  await product.db.query(
    `INSERT INTO test_instance (test_object_id, url, name)
     SELECT $1, 'http://127.0.0.1:9/of-' || n, 'Page ' || n FROM generate_series(1001, 2010) n`,
    [objectId],
  );
  await stage.open(browser, product.address);
});
afterAll(async () => {
  await browser.close();
  await product.stop();
});

test.each([
  ["name", "Page 2009"],
  ["address", "of-2009"],
])("the last page is found in a picker by its %s, and stays chosen", async (_, typed) => {
  await scene(async () => {
    const { page } = stage;
    await page.goto(`/objects/${objectId}`);
    const picker = page.getByRole("combobox", { name: "Instance" });
    await picker.click();
    await expectSeen(page.getByRole("option", { name: "Page 1001" }));
    await picker.fill(typed);
    await page.getByRole("option", { name: "Page 2009" }).click();
    expect(await picker.inputValue()).toBe("Page 2009");
    await picker.fill("Page 1001");
    await expectSeen(page.getByRole("option", { name: "Page 1001" }));
    await page.keyboard.press("Escape");
    await picker.blur();
    expect(await picker.inputValue()).toBe("Page 2009");
  })();
});
