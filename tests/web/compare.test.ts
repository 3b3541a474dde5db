import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { Browser, Locator } from "playwright-core";
import { launchBrowser } from "../support/browser.js";
import { crawl, fetchAll, register } from "../support/job.js";
import type { Product } from "../support/product.js";
import { shareProduct } from "../support/shared-product.js";
import { manual, startSite, type Site } from "../support/site.js";
import { createStage, expectGone, expectSeen } from "../support/stage.js";
import { until } from "../support/until.js";

/** Comparing many pages, and pasted contents, in a real Chromium. */
const pageCount = 27;
const stage = createStage();
const { scene, said, toast, button, differences, path, query } = stage;
/** Finds the place in the list of pages that the toolbar shows; exact, since "1 / 25" is a part of "21 / 25". */
const at = (place: string) => stage.page.getByText(place, { exact: true });
let product: Product;
let site: Site;
let browser: Browser;
let objectId: string;

beforeAll(async () => {
  [product, site, browser] = await Promise.all([
    shareProduct(),
    startSite(manual(pageCount, "first")),
    launchBrowser(),
  ]);
  objectId = await register(product, site.url, "The manual");
  await crawl(product, objectId);
  await fetchAll(product, objectId);
  for (const [address, html] of Object.entries(manual(pageCount, "second")))
    if (address !== "/" && address !== "/p3.html") site.pages.set(address, html);
  await fetchAll(product, objectId);
  await stage.open(browser, product.address);
});
afterAll(async () => {
  await browser.close();
  await product.stop();
  await site.close();
});

describe("what is taken along", () => {
  const download = async (act: () => Promise<void>) => {
    const [file] = await Promise.all([stage.page.waitForEvent("download"), act()]);
    return { name: file.suggestedFilename(), bytes: await readFile(await file.path()) };
  };
  const more = async (item: string) => {
    await button("More").click();
    await stage.page.getByRole("menuitem", { name: item }).click();
  };

  test(
    "a link to exactly this line, which is marked and in view where it is opened",
    scene(async () => {
      await stage.page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
      await stage.page.goto(`/diff/bulk?bulk=${objectId}&idx1=1&idx2=0`);
      await differences().first().getByText("second").waitFor();
      await stage.page.locator("a[data-line=b3]").first().click();
      await expectSeen(toast("Link to line 3 copied"));
      const link = await stage.page.evaluate(() => navigator.clipboard.readText());
      expect(new URL(link).searchParams.get("line")).toBe("b3");
      await stage.page.goto(link);
      const marked = stage.page.locator("[data-linked]");
      await expectSeen(marked.getByText("second"));
      // around the line of the link, folded unchanged lines are opened
      await stage.page.goto(link.replace("line=b3", "line=b1").replace("&as=", "&context=0&as="));
      await expectSeen(marked.getByText("<title>"));
      // and the key l copies a link to the change that is selected
      await stage.page.keyboard.press("l");
      await expectSeen(toast("Link to line 3 copied"));
      expect(query()).toMatchObject({ line: "b3" });
    }),
  );

  test(
    "a difference as a page that needs nothing and runs nothing, and as a picture",
    scene(async () => {
      const html = await download(() => more("Download as HTML"));
      expect(html.name).toMatch(/^chapter-\d+-1-2\.html$/);
      const text = html.bytes.toString("utf8");
      expect(text).toContain("default-src 'none'");
      expect(text).toContain("&lt;p&gt;");
      expect(text).not.toMatch(/<script|<img|<link|<iframe|https?:[^"<]*\.(?:js|css)/);
      const picture = await download(() => more("Download as picture"));
      expect(picture.name).toMatch(/^chapter-\d+-1-2\.png$/);
      expect([...picture.bytes.subarray(1, 4)].map((byte) => String.fromCodePoint(byte)).join("")).toBe("PNG");
      // width and height, from the first chunk of the PNG
      expect(picture.bytes.readUInt32BE(16)).toBe(2_400);
      expect(picture.bytes.readUInt32BE(20)).toBeGreaterThan(200);
    }),
  );

  test(
    "all changes of a fetch as one patch, which git applies",
    scene(async () => {
      await stage.page.goto(`/diff/bulk?bulk=${objectId}&idx1=1&idx2=0`);
      const bulk = await download(() => button("Download as patch").click());
      await expectSeen(toast("Patch of 25 pages saved"));
      const folder = await mkdtemp(join(tmpdir(), "web-tester-patch-"));
      const host = new URL(site.url).host.replace(":", "_");
      await mkdir(join(folder, host), { recursive: true });
      for (const [address, page] of Object.entries(manual(pageCount, "first")))
        await writeFile(join(folder, host, address === "/" ? "index.html" : address), page);
      await writeFile(join(folder, "all.patch"), bulk.bytes);
      await promisify(execFile)("git", ["apply", "all.patch"], { cwd: folder });
      expect(await readFile(join(folder, host, "p7.html"), "utf8")).toBe(manual(pageCount, "second")["/p7.html"]);
      expect(await readFile(join(folder, host, "p3.html"), "utf8")).toBe(manual(pageCount, "first")["/p3.html"]);
      await rm(folder, { recursive: true });
      // and the patch can be downloaded from the review of the same fetch
      await stage.page.goto(`/objects/${objectId}`);
      await stage.page.getByRole("link", { name: "Review 25 changes" }).click();
      const run = await download(() => button("Download as patch").click());
      expect(run.bytes.toString("utf8").split("\n+++ ").length).toBe(26);
    }),
  );
});

describe("bulk diff", () => {
  /** Returns the names of the pages that differ, in the order of the list. */
  const listed = async () => {
    const second = { idx1: 1, idx2: 0, limit: 20, offset: 20, html: "false" as const };
    const { diffs } = await product.rest.call("getBulkDiff", { params: { id: objectId }, query: second });
    return diffs.filter(({ skipped }) => !skipped).map(({ instanceName }) => instanceName);
  };
  test(
    "the object's page leads to all changes, and the title is the answer",
    scene(async () => {
      await stage.page.goto(`/objects/${objectId}`);
      await stage.page.getByRole("link", { name: "Review 25 changes" }).click();
      await expectSeen(stage.page.getByRole("heading", { name: "25 changed pages to review", level: 1 }));
      await stage.page.getByRole("link", { name: "Bulk Diff" }).click();
      await expectSeen(stage.page.getByRole("heading", { name: "25 of 27 pages differ", level: 1 }));
      expect([path(), query()]).toEqual(["/diff/bulk", { bulk: objectId, idx1: "1", idx2: "0" }]);
      expect(await stage.page.getByLabel("Index A", { exact: true }).first().inputValue()).toBe(
        "Index 2 (second latest)",
      );
      await expectSeen(differences().getByText("second"));
    }),
  );

  test(
    "pages load 20 at a time while one scrolls, to the end",
    scene(async () => {
      const cards = stage.page.getByRole("article");
      expect(await cards.count()).toBe(20);
      await stage.page.mouse.move(800, 600);
      await until("the last page", async () => {
        await stage.page.mouse.wheel(0, 1200);
        return (await said("All 25 changed pages shown").count()) === 1;
      });
      expect(await cards.count()).toBe(25);
    }),
  );

  test(
    "all of them go to paper, also those that were not loaded yet, and no controls",
    scene(async () => {
      const { page } = stage;
      await page.goto(`/diff/bulk?bulk=${objectId}&idx1=1&idx2=0`);
      await page.evaluate(() => (window.print = () => document.documentElement.setAttribute("data-printed", "")));
      await button("Print").click();
      await page.locator("html[data-printed]").waitFor();
      await page.emulateMedia({ media: "print" });
      const cards = page.locator("main article");
      await until("all drawn", async () => (await cards.getByText("second").count()) >= pageCount - 2);
      expect(await cards.count()).toBe(pageCount - 2);
      expect(await button("Print").count()).toBe(0);
      expect(await cards.getByRole("link", { name: "Open diff" }).filter({ visible: true }).count()).toBe(0);
      await page.emulateMedia({ media: null });
    }),
  );

  test(
    "a filter looks for pages that were not loaded yet",
    scene(async () => {
      await stage.page.goto("about:blank");
      await stage.page.goto(`/diff/bulk?bulk=${objectId}&idx1=1&idx2=0`);
      await expectSeen(said("5 more load as you scroll"));
      const list = stage.page.getByRole("navigation", { name: "Pages that differ" });
      const last = (await listed()).at(-1) ?? "";
      expect(await list.getByRole("button", { name: last }).count()).toBe(0);
      await stage.page.getByLabel("Filter pages").fill(last);
      await expectSeen(list.getByRole("button", { name: last }));
      await list.getByRole("button", { name: last }).click();
      await expectSeen(at("25 / 25"));
    }),
  );

  test(
    "keys go from page to page",
    scene(async () => {
      // opened again: the scrolling that the wheel of the test before began could end on any page
      await stage.page.goto(`/objects/${objectId}`);
      await stage.page.getByRole("link", { name: "Review 25 changes" }).click();
      await expectSeen(stage.page.getByRole("heading", { name: "25 changed pages to review", level: 1 }));
      await stage.page.getByRole("link", { name: "Bulk Diff" }).click();
      await expectSeen(at("1 / 25"));
      await stage.page.keyboard.press("n");
      await expectSeen(at("2 / 25"));
      await stage.page.keyboard.press("p");
      await expectSeen(at("1 / 25"));
      // the last page is not loaded yet, so p does not go from the first page to the last, and n leads to the second
      await stage.page.keyboard.press("p");
      await stage.page.keyboard.press("n");
      await expectSeen(at("2 / 25"));
    }),
  );

  test(
    "the key for the next page loads more behind the last that is loaded, and the ends meet",
    scene(async () => {
      const { page } = stage;
      const held: (() => void)[] = [];
      await page.route(/bulk-diff.*offset=20/, (route) => held.push(() => void route.continue()));
      // by way of an empty page: an address that is open already would keep its scroll position
      await page.goto("about:blank");
      await page.goto(`/diff/bulk?bulk=${objectId}&idx1=1&idx2=0`);
      await expectSeen(at("1 / 25"));
      for (let place = 2; place <= 20; place++) {
        await page.keyboard.press("n");
        await expectSeen(at(`${place} / 25`));
      }
      await page.keyboard.press("n");
      await until("more is asked for", () => held.length === 1);
      await expectSeen(at("20 / 25"));
      held[0]?.();
      await expectSeen(at("21 / 25"));
      await page.unroute(/bulk-diff.*offset=20/);
      for (let place = 22; place <= 25; place++) {
        await page.keyboard.press("n");
        await expectSeen(at(`${place} / 25`));
      }
      await page.keyboard.press("n");
      await expectSeen(at("1 / 25"));
      await page.keyboard.press("p");
      await expectSeen(at("25 / 25"));
      await page.mouse.move(800, 600);
      await page.mouse.wheel(0, -20_000);
      await expectSeen(at("1 / 25"));
    }),
  );

  test(
    "a difference is as tall as is expected before its place is known, so that nothing moves",
    scene(async () => {
      const { page } = stage;
      await page.addInitScript(() => {
        const measure = Object.getOwnPropertyDescriptor(Element.prototype, "getBoundingClientRect")?.value;
        Element.prototype.getBoundingClientRect = function (this: Element): DOMRect {
          const box: DOMRect = measure.call(this);
          if (this.parentElement?.ariaLabel?.startsWith("Differences of ") === true)
            document.documentElement.dataset["least"] = String(
              Math.min(box.height, Number(document.documentElement.dataset["least"] ?? box.height)),
            );
          return box;
        };
      });
      await page.reload();
      await expectSeen(differences().getByText("second"));
      expect(Number(await page.locator("html").getAttribute("data-least"))).toBeGreaterThan(0);
    }),
  );

  test(
    "what is skipped says why",
    scene(async () => {
      await button("Why").click();
      await expectSeen(said("Identical: both snapshots hold the same"));
    }),
  );

  test(
    "an index that nobody has shows totals and the list of reasons",
    scene(async () => {
      await stage.page.goto(`/diff/bulk?bulk=${objectId}&idx1=7&idx2=0`);
      await expectSeen(said("No diffs generated"));
      await expectSeen(said("Total instances: 27 · Skipped: 27"));
      await expectSeen(said("Only 2 finished snapshots, index 8 needs 8"));
    }),
  );

  test(
    "an address without an object says so",
    scene(async () => {
      await stage.page.goto("/diff/bulk");
      await expectSeen(said("Missing parameters"));
    }),
  );
});

/** Fills a field at once, as from a clipboard: typing thousands of lines takes Chromium minutes. */
const paste = (field: Locator, text: string) =>
  field.evaluate((element, value) => {
    Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, "value")?.set?.call(element, value);
    element.dispatchEvent(new Event("input", { bubbles: true }));
  }, text);

describe("pasted content", () => {
  const content = (side: "A" | "B") => stage.page.getByLabel(`Content ${side}`, { exact: true });

  test(
    "is compared in the browser, with the options after Compare",
    scene(async () => {
      await stage.page.goto("/");
      await stage.page.getByRole("link", { name: "Diff Anything" }).click();
      expect(await button("Compare").isDisabled()).toBe(true);
      await content("A").fill("<ul><li>one</li><li>two</li></ul>");
      expect(await button("Compare").isDisabled()).toBe(false);
      expect(await said("Unchanged Lines").count()).toBe(0);
      await button("Format HTML").first().click();
      await until("the formatted content", async () => (await content("A").inputValue()).includes("\n  <li>one</li>"));
      await content("B").fill("<ul>\n  <li>one</li>\n  <li>three</li>\n</ul>");
      await button("Compare").click();
      await expectSeen(differences().getByText("three"));
      await expectSeen(said("1 change"));
      await expectSeen(said("Unchanged Lines"));
      // the screen says that a content was changed since it was compared, and does not take it for the one that is shown
      await content("A").fill("<ul><li>one</li></ul>");
      await button("Format HTML").first().click();
      await expectSeen(said("The contents were changed since they were compared."));
      await button("Compare again").click();
      await expectGone(said("The contents were changed since they were compared."));
      await button("Clear").click();
      await expectGone(differences());
      expect([await content("A").inputValue(), await content("B").inputValue()]).toEqual(["", ""]);
      expect(await button("Compare").isDisabled()).toBe(true);
    }),
  );

  test(
    "of 20,000 lines, each changed, is drawn in few nodes",
    scene(async () => {
      const text = (word: string) => Array.from({ length: 20_000 }, (_, index) => `<p>${word} ${index}</p>`).join("\n");
      await paste(content("A"), text("old"));
      await paste(content("B"), text("new"));
      await button("Compare").click();
      await expectSeen(differences().getByText("old"));
      expect(await stage.page.evaluate(() => document.querySelectorAll("*").length)).toBeLessThan(5_000);
    }),
  );

  test(
    "of a very long line is whole on paper",
    scene(async () => {
      await stage.page.goto("/diff-anything");
      const long = "much of it stays as it is, ".repeat(300);
      await content("A").fill(`${long}first`);
      await content("B").fill(`${long}second`);
      await button("Compare").click();
      const shown = () => differences().evaluate(({ textContent }) => textContent.length);
      await expectSeen(differences().getByText("second"));
      expect(await shown()).toBeLessThan(long.length);
      await stage.page.emulateMedia({ media: "print" });
      await until("the whole line", async () => (await shown()) > 2 * long.length);
      await stage.page.emulateMedia({ media: null });
    }),
  );

  test(
    "the key End leads to the last line, although lines turn out taller than they look",
    scene(async () => {
      const text = (word: string) =>
        Array.from({ length: 5_000 }, (_, index) => `${"\t".repeat(80)}${word} ${index}`).join("\n");
      await paste(content("A"), text("old"));
      await paste(content("B"), text("new"));
      await button("Compare").click();
      await expectSeen(differences().getByText("old 0"));
      await stage.page.keyboard.press("End");
      await until("the last line on the screen", async () => {
        const last = differences().getByText("new 4999");
        if ((await last.count()) === 0) return false;
        return last.evaluate((line) => line.getBoundingClientRect().bottom <= window.innerHeight);
      });
    }),
  );

  test(
    "is formatted and copied",
    scene(async () => {
      await stage.page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
      await stage.page.getByRole("link", { name: "HTML Formatter" }).click();
      expect(await button("Format").isDisabled()).toBe(true);
      const field = stage.page.getByLabel("HTML", { exact: true });
      await field.fill("<div><p>one</p></div>");
      await button("Format").click();
      await until("the formatted HTML", async () => (await field.inputValue()) === "<div>\n  <p>one</p>\n</div>");
      await button("Copy").click();
      await expectSeen(button("Copied"));
      await expectSeen(button("Copy"));
      expect(await stage.page.evaluate(() => navigator.clipboard.readText())).toBe("<div>\n  <p>one</p>\n</div>");
      await button("Clear").click();
      expect(await field.inputValue()).toBe("");
    }),
  );
});
