import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { Browser, Page } from "playwright-core";
import { launchBrowser } from "../support/browser.js";
import { register } from "../support/job.js";
import type { Product } from "../support/product.js";
import { shareProduct } from "../support/shared-product.js";
import { createStage } from "../support/stage.js";
import { until } from "../support/until.js";

/** Changes of a test object's options that are not saved yet survive going to other screens and back. */
const stage = createStage();
const { scene } = stage;
let product: Product;
let browser: Browser;
let id: string;

beforeAll(async () => {
  [product, browser] = await Promise.all([shareProduct(), launchBrowser()]);
  id = await register(product, "http://127.0.0.1:9/", "The shop");
  await stage.open(browser, product.address);
});
afterAll(async () => {
  await browser.close();
  await product.stop();
});

const patterns = (page: Page) => page.getByRole("textbox", { name: "Exclude URL patterns" });
const unsaved = (page: Page) => page.getByText("Unsaved changes");

test(
  "what is not saved is kept for the way back, and beside it what was saved elsewhere meanwhile",
  scene(async () => {
    const { page } = stage;
    await page.goto(`/objects/${id}`);
    await page.getByRole("button", { name: /^Options/ }).click();
    await patterns(page).fill("/cart/*");
    await unsaved(page).waitFor();
    await page.getByRole("link", { name: "Imprint" }).click();
    await page.getByRole("heading", { name: "Imprint" }).waitFor();
    await product.rest.call("updateTestObject", { params: { id }, body: { request_delay_ms: 1234 } });
    await page.goBack();
    await unsaved(page).waitFor();
    expect(await patterns(page).inputValue()).toBe("/cart/*");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await until("nothing left to save", async () => (await unsaved(page).count()) === 0);
    const saved = (await product.rest.call("listTestObjects")).find((object) => object.id === id);
    expect(saved).toMatchObject({ exclude_list: ["/cart/*"], request_delay_ms: 1234 });
    await page.getByRole("link", { name: "Imprint" }).click();
    await page.goBack();
    await page.getByRole("button", { name: /^Options/, expanded: false }).waitFor();
  }),
  60_000,
);

test(
  "what was saved elsewhere since it was edited here is not overwritten, unless the person says so",
  scene(async () => {
    const { page } = stage;
    const theirs = (exclude_list: string[]) =>
      product.rest.call("updateTestObject", { params: { id }, body: { exclude_list } });
    const stored = async () =>
      (await product.rest.call("listTestObjects")).find((object) => object.id === id)?.exclude_list;
    const save = () => page.getByRole("button", { name: "Save", exact: true }).click();
    await theirs([]);
    await page.goto(`/objects/${id}`);
    await page.getByRole("button", { name: /^Options/ }).click();
    await patterns(page).fill("/mine/*");
    await theirs(["/theirs/*"]);
    await save();
    await page.getByText("Exclude URL patterns: stored now is /theirs/*").waitFor();
    expect(await stored()).toEqual(["/theirs/*"]);
    expect(await patterns(page).inputValue()).toBe("/mine/*");
    await page.getByRole("button", { name: "Use the stored value: Exclude URL patterns" }).click();
    await until("nothing left to save", async () => (await unsaved(page).count()) === 0);
    expect(await patterns(page).inputValue()).toBe("/theirs/*");

    await patterns(page).fill("/mine/*");
    await theirs(["/again/*"]);
    await save();
    await page.getByRole("button", { name: "Keep mine: Exclude URL patterns" }).click();
    await save();
    await until("nothing left to save", async () => (await unsaved(page).count()) === 0);
    expect(await stored()).toEqual(["/mine/*"]);
  }),
  60_000,
);

test(
  "the same holds for secrets, which are never shown",
  scene(async () => {
    const { page } = stage;
    const theirs = (line: string) =>
      product.rest.call("updateTestObject", { params: { id }, body: { request_headers: [line] } });
    const stored = async () =>
      (await product.rest.call("listTestObjects")).find((object) => object.id === id)?.request_header_names;
    const save = () => page.getByRole("button", { name: "Save", exact: true }).click();
    await page.goto(`/objects/${id}`);
    await page.getByRole("button", { name: /^Options/ }).click();
    await page.getByRole("button", { name: /^Visit pages as/ }).click();
    await page.getByRole("textbox", { name: "Request headers" }).fill("X-Mine: 1");
    await theirs("X-Theirs: 1");
    await save();
    await page.getByText("Request headers: others are stored now, which are never shown").waitFor();
    expect(await stored()).toEqual(["X-Theirs"]);
    await page.getByRole("button", { name: "Keep mine: Request headers" }).click();
    await save();
    await until("nothing left to save", async () => (await unsaved(page).count()) === 0);
    expect(await stored()).toEqual(["X-Mine"]);

    // the name stays, and only the value is another one
    await page.getByRole("button", { name: "Replace" }).click();
    await page.getByRole("textbox", { name: "Request headers" }).fill("X-Other: 1");
    await theirs("X-Mine: 2");
    await save();
    await page.getByRole("button", { name: "Use the stored value: Request headers" }).click();
    await until("nothing left to save", async () => (await unsaved(page).count()) === 0);
    expect(await stored()).toEqual(["X-Mine"]);
  }),
  60_000,
);

test(
  "the same holds for the name and for the sitemaps; what nobody else changed is saved at once",
  scene(async () => {
    const { page } = stage;
    const theirs = (body: { name: string } | { sitemaps: string[] }) =>
      product.rest.call("updateTestObject", { params: { id }, body });
    const stored = async () => (await product.rest.call("listTestObjects")).find((object) => object.id === id);
    await page.goto(`/objects/${id}`);
    await page.getByRole("button", { name: "More", exact: true }).click();
    await page.getByRole("menuitem", { name: "Name and address" }).click();
    const dialog = page.getByRole("dialog", { name: "Name and address" });
    await dialog.getByLabel("Name").fill("My shop");
    await theirs({ name: "Their shop" });
    const save = dialog.getByRole("button", { name: "Save" });
    await save.click();
    await dialog.getByText("Name: stored now is Their shop").waitFor();
    expect((await stored())?.name).toBe("Their shop");
    await dialog.getByRole("button", { name: "Keep mine: Name" }).click();
    await save.click();
    await dialog.waitFor({ state: "detached" });
    expect((await stored())?.name).toBe("My shop");

    const row = page.getByRole("textbox", { name: "Sitemap 1", exact: true });
    const crawl = page.getByRole("button", { name: "Crawl Sitemaps" });
    await row.fill("http://127.0.0.1:9/mine.xml");
    await theirs({ sitemaps: ["http://127.0.0.1:9/theirs.xml"] });
    await crawl.click();
    await page.getByText("Sitemaps: stored now is http://127.0.0.1:9/theirs.xml").waitFor();
    expect((await stored())?.sitemaps).toEqual(["http://127.0.0.1:9/theirs.xml"]);
    expect(await row.inputValue()).toBe("http://127.0.0.1:9/mine.xml");
    await page.getByRole("button", { name: "Use the stored value: Sitemaps" }).click();
    expect(await row.inputValue()).toBe("http://127.0.0.1:9/theirs.xml");
    await page.getByRole("button", { name: "Add Sitemap" }).click();
    const second = page.getByRole("textbox", { name: "Sitemap 2", exact: true });
    await until("the new field has the focus", () => second.evaluate((field) => field === document.activeElement));
    await second.fill("127.0.0.1:9/more.xml");
    await crawl.click();
    await until("both are stored", async () => (await stored())?.sitemaps.length === 2);
    const remove = (n: number) => page.getByRole("button", { name: `Remove sitemap ${n}`, exact: true }).press("Enter");
    await remove(2);
    await second.waitFor({ state: "detached" });
    await until("the field before it has the focus", () => row.evaluate((field) => field === document.activeElement));
    await remove(1);
    await until("the last field is empty, and has it", () =>
      row.evaluate((field) => field === document.activeElement && (field as HTMLInputElement).value === ""),
    );
  }),
  60_000,
);

test(
  "the browser asks before it loads the screen anew, while there is something to save",
  scene(async () => {
    const { page } = stage;
    let asked = 0;
    page.on("dialog", (dialog) => {
      if (dialog.type() === "beforeunload") asked += 1;
    });
    await page.goto(`/objects/${id}`);
    await page.getByRole("button", { name: /^Options/ }).click();
    await patterns(page).fill("/other/*");
    await unsaved(page).waitFor();
    await page.reload();
    expect(asked).toBe(1);
    await page.getByRole("button", { name: /^Options/ }).click();
    await patterns(page).waitFor();
    await page.reload();
    expect(asked).toBe(1);
  }),
  60_000,
);

test(
  "all that is wrong with options is told at once, by their labels and at their fields, until they are edited",
  () =>
    scene(async () => {
      const { page } = stage;
      await page.goto(`/objects/${id}`);
      await page.getByRole("button", { name: /^Options/ }).click();
      await page.getByRole("button", { name: /^Visit pages as/ }).click();
      await page.getByLabel("Language").fill("no such language");
      await page.getByLabel("Time zone").fill("Nowhere");
      await page.getByRole("button", { name: "Save", exact: true }).click();
      const told = page.getByRole("alert").filter({ hasText: "Enter a" });
      await told.waitFor();
      expect(await told.getByText(/^Language: Enter a language/).count()).toBe(1);
      expect(await told.getByText(/^Time zone: Enter an IANA time zone/).count()).toBe(1);
      expect(await page.getByLabel("Time zone").getAttribute("aria-invalid")).toBe("true");
      await page.getByLabel("Time zone").fill("Europe/Berlin");
      await until("one fault is left", async () => (await told.getByText(/: Enter a/).allTextContents()).length === 1);
      await page.getByLabel("Language").fill("");
      await until("none is left", async () => (await told.count()) === 0);
      await page.getByRole("button", { name: "Save", exact: true }).click();
      await until("nothing left to save", async () => (await unsaved(page).count()) === 0);
    }, [`400 /api/testobjects/${id}`])(),
  60_000,
);
