import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { Browser } from "playwright-core";
import { launchBrowser } from "../support/browser.js";
import { startProduct, type Product } from "../support/product.js";
import { createStage, expectSeen } from "../support/stage.js";
import { until } from "../support/until.js";

/** A newcomer without a site of their own sees a difference: the sample site, from the empty home to the first change. */
const stage = createStage();
const { scene, said, button } = stage;
let product: Product;
let browser: Browser;

beforeAll(async () => {
  [product, browser] = await Promise.all([
    startProduct({
      PROVIDER_NAME: "Example Ltd",
      PROVIDER_ADDRESS: "1 Mill Lane\\nSampleton",
      PROVIDER_EMAIL: "a@example.org",
    }),
    launchBrowser(),
  ]);
  await stage.open(browser, product.address);
});
afterAll(async () => {
  await browser.close();
  await product.stop();
});

/** Returns how far the name of a page is from the edge of its row: further if a picture of the page, or an empty frame for it, precedes it. */
async function nameInset(): Promise<number> {
  const row = stage.rows().first();
  const [box, name] = [await row.boundingBox(), await row.locator("[title]").first().boundingBox()];
  return (name?.x ?? 0) - (box?.x ?? 0);
}

test(
  "one click on the empty home registers the sample and finds its pages",
  scene(async () => {
    await stage.page.goto("/");
    await expectSeen(said("No test objects yet"));
    await button("Try it with a sample site").click();
    await expectSeen(stage.page.getByRole("heading", { name: "Sample site" }));
    await until("the crawl has ended", async () => {
      const [object] = await product.rest.call("listTestObjects");
      return object !== undefined && !object.progress.crawl.running;
    });
    await expectSeen(stage.rows().filter({ hasText: "Assam Second Flush" }));
    await expectSeen(said("Next: fetch all pages."));
    expect(await nameInset()).toBeLessThan(24);
  }),
);

test(
  "fetched twice, it shows what changed and what did not",
  scene(async () => {
    await button("Fetch All").click();
    await until("every page has its first snapshot", async () => {
      const count = await stage.rows().filter({ hasText: "First snapshot" }).count();
      return count > 0 && count === (await stage.rows().count());
    });
    await expectSeen(said("fetch again later"));
    expect(await nameInset()).toBeGreaterThan(52);
    await button("Fetch All").click();
    await expectSeen(
      stage
        .rows()
        .filter({ hasText: "Our teas" })
        .filter({ hasText: /[^n]changed/i }),
    );
    await expectSeen(
      stage
        .rows()
        .filter({ hasText: "About us" })
        .filter({ hasText: /unchanged/i }),
    );
  }),
);

test(
  "the fourth click from an empty product shows the first difference",
  scene(async () => {
    // one click registered the sample, two clicks fetched it
    await stage.page.getByRole("link", { name: /^Review \d+ changes?$/ }).click();
    const kinds = stage.page.getByRole("list", { name: "Kinds of change" }).getByRole("listitem");
    await expectSeen(kinds.first());
    expect(await kinds.first().textContent()).toMatch(/^\d+ pages?/);
  }),
);

test(
  "what changed on a site is one click from home, among 200 objects on a phone too",
  scene(async () => {
    for (let number = 0; number < 199; number += 1)
      await product.rest.call("createTestObject", {
        body: { name: `Site ${number}`, url: `http://site-${number}.invalid/` },
      });
    await stage.page.setViewportSize({ width: 390, height: 844 });
    await stage.page.goto("/");
    // what changed is listed before what did not, so no scrolling is needed
    const answer = stage.page.getByRole("link", { name: /^\d+ to review$/ }).first();
    await expectSeen(answer);
    expect((await answer.boundingBox())?.y).toBeLessThan(844);
    await answer.click();
    await expectSeen(stage.page.getByRole("list", { name: "Kinds of change" }));
    await stage.page.setViewportSize({ width: 1280, height: 900 });
  }),
);

test("asked for again, it is the same object", async () => {
  expect(await product.rest.call("createSample", { body: {} })).toMatchObject({ created: false });
});

test(
  "the imprint names the provider of the configuration",
  scene(async () => {
    await stage.page.goto("/imprint");
    await expectSeen(said("Example Ltd"));
    await expectSeen(said(/1 Mill Lane\s+Sampleton/));
    await expectSeen(stage.page.getByRole("link", { name: "a@example.org" }));
  }),
);
