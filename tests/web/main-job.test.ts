import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { Browser } from "playwright-core";
import { launchBrowser } from "../support/browser.js";
import { createGate } from "../support/gate.js";
import { reached, runEnded, startFetch } from "../support/job.js";
import type { Product } from "../support/product.js";
import { shareProduct } from "../support/shared-product.js";
import { manual, startSite, type Site } from "../support/site.js";
import { createStage, expectGone, expectSeen } from "../support/stage.js";
import { until } from "../support/until.js";

/** The main job through the screens, in a real Chromium; each scene goes on where the one before it ended. */
const pageCount = 13;
const gate = createGate();
const stage = createStage();
const { scene, said, toast, button, rows, runs, differences, path, query } = stage;

/** The name and the text of a page: markup that must never become part of the product's own screens. */
const hostileName = '<img src=x onerror="hacked=1">';
const hostile = `<!doctype html><title>${hostileName}</title>\n<script>window.hacked = 1; alert(1)</script>\n<p onclick="hacked=1">first\n</textarea></pre><h1>Injected</h1>\n`;
let product: Product;
let site: Site;
let browser: Browser;
/** Addresses that later scenes come back to. */
let objectPath: string;
let changedPath: string;
let diffPath: string;

beforeAll(async () => {
  const pages = Object.entries({ ...manual(pageCount, "first"), "/p4.html": hostile }).map(([address, html]) => [
    address,
    gate.behind(html),
  ]);
  [product, site, browser] = await Promise.all([shareProduct(), startSite(Object.fromEntries(pages)), launchBrowser()]);
  await stage.open(browser, product.address);
});
afterAll(async () => {
  await browser.close();
  await product.stop();
  await site.close();
});

describe("the main job", () => {
  test(
    "an empty home, and a form that says what is wrong",
    scene(async () => {
      await stage.page.goto("/");
      await expectSeen(said("No test objects yet"));
      await expectSeen(said("Create one using the form above to get started."));
      await button("Create").click();
      await stage.page.getByLabel("Name").fill("The manual");
      await stage.page.getByLabel("URL").fill("ftp://example.org/");
      await button("Create").click();
      await expectSeen(said("Enter a full URL that starts with http:// or https://"));
      expect(await product.rest.call("listTestObjects")).toEqual([]);
    }),
  );

  test(
    "an object is created",
    scene(async () => {
      await stage.page.getByLabel("URL").fill(site.url);
      await button("Create").click();
      // the screen of the new object opens, and shows the next step
      await expectSeen(stage.page.getByRole("heading", { name: "The manual", level: 1 }));
      await expectSeen(said("No instances yet"));
      objectPath = path();
      expect(objectPath).toMatch(/^\/objects\/[0-9a-f-]{36}$/);
      expect(await stage.page.title()).toContain("The manual");
      await stage.page.goBack();
      const row = stage.page.getByRole("region", { name: "Test objects" }).getByRole("link", { name: /The manual/ });
      await row.click();
      await expectSeen(stage.page.getByRole("heading", { name: "The manual", level: 1 }));
    }),
  );

  test(
    "the crawl shows its progress as it goes",
    scene(async () => {
      gate.holdAfter(6);
      await button("Crawl").click();
      await expectSeen(toast("Starting crawl..."));
      await expectSeen(runs().getByText(`6 / ${pageCount}`));
      await expectSeen(stage.page.getByRole("progressbar", { name: /Crawl/ }));
      expect(await button("Crawling…").isDisabled()).toBe(true);
      gate.open();
      await expectSeen(toast(`Crawl completed! Found ${pageCount} page(s).`));
      await expectSeen(said(`All ${pageCount} instances shown`));
      await expectGone(stage.page.getByRole("progressbar", { name: /Crawl/ }));
      expect(await rows().count()).toBe(pageCount);
    }),
  );

  test(
    "a fetch of all shows its progress, also after a reload and on the home page",
    scene(async () => {
      gate.holdAfter(6);
      await button("Fetch All").click();
      await expectSeen(toast(`Fetching ${pageCount} snapshot(s)...`));
      await expectSeen(runs().getByText(`6 / ${pageCount}`));
      await stage.page.reload();
      await expectSeen(runs().getByText(`6 / ${pageCount}`));
      expect(await button("Fetching all…").isDisabled()).toBe(true);
      // the other button, at the top, says the same to screen readers
      expect(await button("Fetching all pages…").isDisabled()).toBe(true);
      await stage.page.goto("/");
      await expectSeen(said(`Fetch 6 / ${pageCount}`));
      await stage.page.goto(objectPath);
      await expectSeen(runs().getByText(`6 / ${pageCount}`));
      gate.open();
      await expectSeen(toast(`Successfully fetched ${pageCount} snapshot(s)!`));
      await expectSeen(rows().getByText("First snapshot"));
    }),
  );

  test(
    "the site changes; a second fetch finds what changed and what failed",
    scene(async () => {
      site.pages.set("/p1.html", manual(pageCount, "second")["/p1.html"] ?? "");
      site.pages.delete("/p2.html");
      await button("Fetch All").click();
      await expectSeen(toast(`Successfully fetched ${pageCount - 1} snapshot(s)!`));
      await stage.page.getByText("Changed 1", { exact: true }).first().click();
      await until("one row", async () => (await rows().count()) === 1);
      await expectSeen(rows().getByRole("link", { name: "Chapter 1" }));
      await expectSeen(rows().getByText("Changed"));
      expect(query()).toEqual({ status: "changed" });
      await stage.page.reload();
      await until("one row again", async () => (await rows().count()) === 1);
      await stage.page.getByText("Failed 1", { exact: true }).first().click();
      await expectSeen(rows().getByText("Failed 404"));
      expect(query()).toEqual({ status: "failed" });
    }),
  );

  test(
    "a failed page shows its reason",
    scene(async () => {
      await rows().getByRole("link", { name: "Chapter 2" }).click();
      const newest = stage.page.getByRole("article", { name: "Snapshot 2" });
      await expectSeen(newest.getByText(/answered 404 Not Found.*does not exist/));
      await newest.getByRole("link", { name: "View" }).click();
      await expectSeen(stage.page.getByRole("heading", { name: "Snapshot 2" }));
      await expectSeen(said(/answered 404 Not Found.*does not exist/));
      // and it offers what can be done: open the last good snapshot, or try again
      const failed = path();
      await stage.page.getByRole("link", { name: "Last good snapshot: #1" }).click();
      await expectSeen(said("<p>first"));
      expect(await button("Fetch again").count()).toBe(0);
      await stage.page.goto(failed);
      await button("Fetch again").click();
      await expectSeen(stage.page.getByRole("heading", { name: "Snapshot 3" }));
      await expectSeen(said(/answered 404 Not Found.*does not exist/));
    }),
  );

  test(
    "what changed since a day that one chooses",
    scene(async () => {
      const { page } = stage;
      await page.goto(`${objectPath}?status=since`);
      const changed = page.getByRole("list", { name: "Pages that changed" });
      await expectSeen(changed.getByRole("link", { name: "Chapter 1" }));
      await page.getByLabel("Changed since this day").fill("2024-02-29");
      await until("the day in the address", () => query()["days"] === "2024-02-29");
      await expectSeen(changed.getByRole("link", { name: "Chapter 1" }));
      const asked = page.waitForRequest((request) => request.url().includes("/changes?"));
      await page.reload();
      const since = new URL((await asked).url()).searchParams.get("since") ?? "";
      expect(new Date(since).getTime()).toBe(await page.evaluate(() => new Date("2024-02-29T00:00").getTime()));
      await expectSeen(changed.getByRole("link", { name: "Chapter 1" }));
    }),
  );

  test(
    "what changed in a page is seen line by line",
    scene(async () => {
      await stage.page.goto(`${objectPath}?status=changed`);
      await rows().getByRole("link", { name: "Chapter 1" }).click();
      await expectSeen(stage.page.getByRole("heading", { name: "Chapter 1", level: 1 }));
      changedPath = path();
      await stage.page.getByRole("link", { name: "Compare with #1" }).click();
      await expectSeen(differences().getByText("<p>first"));
      await expectSeen(differences().getByText("<p>second"));
      await expectSeen(said("1 change"));
      expect(query()).toEqual({ a: expect.any(String), b: expect.any(String) });
      diffPath = path() + new URL(stage.page.url()).search;
    }),
  );

  test(
    "every choice of view is in the address",
    scene(async () => {
      // the view at first is the same, from wherever the screen was opened
      const split = stage.page.getByRole("switch", { name: "Split View" });
      expect(await split.isChecked()).toBe(false);
      await split.click({ force: true });
      await until("the split view", () => query()["view"] === "split");
      await stage.page.keyboard.press("u");
      await until("the unified view", () => query()["view"] === "unified");
      await stage.page.keyboard.press("s");
      await until("the split view again", () => query()["view"] === "split");
      await until("the switch", () => split.isChecked());
      await stage.page.keyboard.press("u");
      await until("the unified view", () => query()["view"] === "unified");
      await stage.page.getByText("By Word").click();
      await until("words", () => query()["diffType"] === "words");
      await expectSeen(differences().locator("mark, ins, del").getByText("second"));
      await stage.page.getByText("By Character").click();
      await until("characters", () => query()["diffType"] === "chars");
      await stage.page.getByLabel("Unchanged Lines").fill("0");
      await until("no unchanged lines", () => query()["context"] === "0");
      await expectGone(differences().getByText("<p>Chapter 1"));
      await stage.page.reload();
      await expectSeen(differences().getByText("second"));
      expect(await stage.page.getByRole("radio", { name: "By Character" }).isChecked()).toBe(true);
      expect(await differences().getByText("<p>Chapter 1").count()).toBe(0);
      await stage.page.goto(diffPath);
      await expectSeen(differences().getByText("<p>Chapter 1"));
    }),
  );

  test(
    "a choice made before the one before it was drawn undoes nothing",
    scene(async () => {
      await stage.page.goto(diffPath);
      await expectSeen(differences().getByText("<p>Chapter 1"));
      const wasDrawn = await stage.page.evaluate(async () => {
        const characters = document.querySelector<HTMLInputElement>("input[type=radio][value=chars]");
        characters?.click();
        // React draws in a task of its own, which cannot come before these microtasks
        for (let turn = 0; turn < 1_000 && !location.search.includes("chars"); turn++) await Promise.resolve();
        const numbers = [...document.querySelectorAll("label")].find((label) => label.textContent === "Line Numbers");
        numbers?.click();
        return characters?.checked;
      });
      expect(wasDrawn).toBe(false);
      await until("no line numbers", () => query()["numbers"] === "off");
      expect(query()["diffType"]).toBe("chars");
      await until("characters", () => stage.page.getByRole("radio", { name: "By Character" }).isChecked());
      await stage.page.goto(diffPath);
    }),
  );

  test(
    "a snapshot shows what was stored",
    scene(async () => {
      await stage.page.goto(changedPath);
      // values for machines are only on the snapshot's own screen
      await expectSeen(stage.page.getByRole("article", { name: "Snapshot 1" }).getByText("200"));
      expect(await said(/^(sha-?256|HTTP$)/i).count()).toBe(0);
      await stage.page.getByRole("article", { name: "Snapshot 1" }).getByRole("link", { name: "View" }).click();
      await expectSeen(stage.page.getByRole("heading", { name: "Snapshot 1" }));
      await expectSeen(said("SHA-256"));
      await expectSeen(said("<p>first"));
      await expectSeen(said("content-type"));
      await stage.page.getByRole("link", { name: /Newer snapshot/ }).click();
      await expectSeen(stage.page.getByRole("heading", { name: "Snapshot 2" }));
      await expectSeen(said("<p>second"));
    }),
  );

  test(
    "what pages say stays text",
    scene(async () => {
      await stage.page.goto(objectPath);
      await rows().getByRole("link", { name: hostileName }).click();
      await expectSeen(stage.page.getByRole("heading", { name: hostileName, level: 1 }));
      await stage.page.getByRole("article", { name: "Snapshot 2" }).getByRole("button", { name: /HTML/ }).click();
      await expectSeen(said("window.hacked = 1; alert(1)"));
      await stage.page.getByRole("article", { name: "Snapshot 2" }).getByRole("link", { name: "View" }).click();
      await expectSeen(stage.page.getByRole("region", { name: "HTML" }).getByText("Injected"));
      expect(await stage.page.getByRole("heading", { name: "Injected" }).count()).toBe(0);
      expect(await stage.page.evaluate(() => "hacked" in globalThis)).toBe(false);
    }),
  );

  test(
    "two snapshots are chosen on the object's page",
    scene(async () => {
      await stage.page.goto(objectPath);
      for (const [label, text] of [
        ["Snapshot A", "chapter 1 #1"],
        ["Snapshot B", "chapter 1 #2"],
      ] as const) {
        const field = stage.page.getByRole("combobox", { name: label });
        await field.click();
        await expectSeen(stage.page.getByRole("option"));
        await field.fill(text);
        await until(
          "the choice",
          async () => (await stage.page.getByRole("option").first().textContent())?.toLowerCase() === text,
        );
        await stage.page.keyboard.press("Enter");
      }
      await button("Compare").click();
      await expectSeen(differences().getByText("second"));
      expect(query()).toEqual({
        a: new URLSearchParams(diffPath.split("?")[1]).get("a"),
        b: new URLSearchParams(diffPath.split("?")[1]).get("b"),
      });
    }),
  );

  test(
    "a fetch of no page asks which one",
    scene(async () => {
      await stage.page.goto(objectPath);
      await button("Fetch").click();
      await expectSeen(toast("Please select an instance to fetch."));
    }),
  );

  test.each([
    ["the home page", "/api/testobjects", () => "/"],
    ["the object's page", "/api/testobjects/*", () => objectPath],
  ])("a run that ended before %s listened is not shown as running", async (_what, call, address) => {
    await scene(async () => {
      gate.holdAfter(6);
      const runId = await startFetch(product, objectPath.split("/").at(-1) ?? "");
      await reached(product, runId, 6);
      const stale = Promise.withResolvers<void>();
      await stage.page.route(
        product.address + call,
        async (route) => {
          const response = await route.fetch();
          gate.open();
          await runEnded(product, runId);
          await route.fulfill({ response });
          stale.resolve();
        },
        { times: 1 },
      );
      await stage.page.goto(address());
      await stale.promise;
      await expectSeen(
        stage.page
          .getByRole("heading", { name: "The manual" })
          .or(stage.page.getByRole("link", { name: /The manual/ })),
      );
      await expectGone(said(new RegExp(`[0-9]+ / ${pageCount}`)));
    })();
  });
});
