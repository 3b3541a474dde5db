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
