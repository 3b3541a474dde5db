import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { Browser } from "playwright-core";
import { inTheme } from "../support/axe.js";
import { launchBrowser, openScreen } from "../support/browser.js";
import { invariantFaults } from "../support/invariants.js";
import { crawl, fetchAll, register } from "../support/job.js";
import type { Product } from "../support/product.js";
import { shareProduct } from "../support/shared-product.js";
import { manual, startSite, type Site } from "../support/site.js";
import { createStage, expectGone, expectSeen } from "../support/stage.js";
import { until } from "../support/until.js";

/** What the screens do beside the main job: keys, wrong addresses, deletion. */
const pageCount = 13;
const stage = createStage();
const { scene, said, toast, button, rows, path, query } = stage;
let product: Product;
let site: Site;
let browser: Browser;
let objectPath: string;

beforeAll(async () => {
  [product, site, browser] = await Promise.all([
    shareProduct(),
    startSite(manual(pageCount, "first")),
    launchBrowser(),
  ]);
  const id = await register(product, site.url, "The manual");
  objectPath = `/objects/${id}`;
  await crawl(product, id);
  await fetchAll(product, id);
  await stage.open(browser, product.address);
});
afterAll(async () => {
  await browser.close();
  await product.stop();
  await site.close();
});

test("what goes wrong on a page is noticed", async () => {
  const { page, problems, refused } = await openScreen(browser, product.address);
  await page.goto("/snapshots/no-id");
  await page.setContent(
    `<script>inline()</script><img src="http://127.0.0.1:9/x.png"><script src="/no-such-file.js"></script>`,
  );
  await page.evaluate(() => console.error("told to the console"));
  await page.evaluate(() => setTimeout(() => Reflect.get(globalThis, "nothing").at(0)));
  await until("an uncaught exception", () => problems.some((text) => text.startsWith("uncaught: ")));
  expect(problems).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/^error: Executing inline script violates .*Content Security Policy/),
      expect.stringMatching(/^error: Loading the image .* violates .*Content Security Policy/),
      "request to http://127.0.0.1:9/x.png",
      "error: told to the console",
    ]),
  );
  expect(refused).toEqual(expect.arrayContaining(["404 /api/testsnapshots/no-id", "404 /no-such-file.js"]));
  await page.context().close();
});

describe("by keyboard", () => {
  test(
    "rows are walked, opened and filtered",
    scene(async () => {
      await stage.page.goto(objectPath);
      await expectSeen(rows());
      const focused = () => stage.page.evaluate(() => document.activeElement?.getAttribute("aria-label"));
      await stage.page.keyboard.press("j");
      const first = await focused();
      await stage.page.keyboard.press("j");
      const second = await focused();
      expect([first, second]).toEqual([expect.any(String), expect.any(String)]);
      expect(second).not.toBe(first);
      await stage.page.keyboard.press("k");
      expect(await focused()).toBe(first);
      await stage.page.keyboard.press("Enter");
      await expectSeen(stage.page.getByRole("heading", { name: first ?? "", exact: true, level: 1 }));
      await stage.page.goBack();
      await expectSeen(rows());
      await stage.page.keyboard.press("/");
      await stage.page.keyboard.type("p11");
      await until("one row", async () => (await rows().count()) === 1);
      expect(query()).toEqual({ q: "p11" });
      // letters that are typed into a field are not taken for keyboard commands
      await stage.page.keyboard.type("jkt?");
      await expectSeen(said("No instance matches this filter"));
      expect(await stage.page.getByRole("dialog").count()).toBe(0);
    }),
  );

  test(
    "the list of keys opens and closes",
    scene(async () => {
      await stage.page.goto(objectPath);
      await expectSeen(rows());
      await stage.page.keyboard.press("?");
      const help = stage.page.getByRole("dialog", { name: "Keyboard" });
      await expectSeen(help.getByText("Next row"));
      await stage.page.keyboard.press("Escape");
      await expectGone(help);
    }),
  );

  test(
    "an object is found and opened by its name",
    scene(async () => {
      await stage.page.goto("/imprint");
      // wait for the page, as a person would before pressing keys
      await expectSeen(button("Console"));
      await stage.page.keyboard.press("Control+k");
      await stage.page
        .getByPlaceholder(/object or page/i)
        .last()
        .fill("manual");
      // Enter opens the selected result, and a result is selected a moment after it is found
      await expectSeen(stage.page.getByRole("dialog").locator("[data-selected]").filter({ hasText: "The manual" }));
      await stage.page.keyboard.press("Enter");
      await expectSeen(stage.page.getByRole("heading", { name: "The manual", level: 1 }));
      expect(path()).toBe(objectPath);
    }),
  );
});

test(
  "a name of one long word pushes nothing out of a phone",
  scene(async () => {
    const { page } = stage;
    const params = { id: objectPath.split("/").at(-1) ?? "" };
    const name = `An object with ${"Donaudampfschifffahrtsgesellschaft".repeat(5)}`;
    await product.rest.call("updateTestObject", { params, body: { name } });
    await page.setViewportSize({ width: 390, height: 844 });
    for (const part of ["", "/rules", "/schedules", "/lifecycle", "/checks", "/search"]) {
      await page.goto(objectPath + part);
      await expectSeen(page.getByRole("navigation", { name: "Breadcrumb" }).getByText(name));
      expect([part, await page.evaluate(() => document.documentElement.scrollWidth)]).toEqual([part, 390]);
    }
    // and the home screen fits when it says what begins next
    const time = { type: "every", minutes: 60 } as const;
    const schedule = await product.rest.call("createSchedule", { params, body: { work: "fetch", time } });
    await page.goto("/");
    await expectSeen(page.getByRole("link", { name: "All schedules" }));
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    await product.rest.call("deleteSchedule", { params: { id: schedule.id } });
    // and an address with a long host ends before the menu in the corner
    const url = `https://${"some-department.".repeat(6)}example/`;
    const { id } = await product.rest.call("createTestObject", { body: { name: "Long host", url } });
    await page.goto(`/objects/${id}`);
    const [link, menu] = [page.getByRole("main").getByTitle(url), button("More").first()];
    await expectSeen(link);
    const [words, dots] = [await link.boundingBox(), await menu.boundingBox()];
    expect((words?.x ?? 0) + (words?.width ?? 0)).toBeLessThanOrEqual(dots?.x ?? 0);
    await page.goto("/imprint");
    await product.rest.call("deleteTestObject", { params: { id } });
    await page.setViewportSize({ width: 1280, height: 900 });
    await product.rest.call("updateTestObject", { params, body: { name: "The manual" } });
  }),
);

test(
  "on a phone one reads which snapshot it is after long names, and buttons of cards keep off their edges",
  scene(async () => {
    const { page } = stage;
    const params = { id: objectPath.split("/").at(-1) ?? "" };
    await product.rest.call("updateTestObject", {
      params,
      body: { name: "An object with a name of quite some words" },
    });
    const list = await product.rest.call("listTestInstances", { params, query: { q: "p1.html" } });
    const [snapshot] = list.items[0]?.history ?? [];
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto(`/snapshots/${snapshot?.snapshot_id ?? ""}`);
    const here = page.getByRole("navigation", { name: "Breadcrumb" }).getByText("#1", { exact: true });
    await expectSeen(here);
    expect(await here.evaluate((crumb) => crumb.scrollWidth <= crumb.clientWidth && crumb.clientWidth > 0)).toBe(true);
    const space = await page.getByRole("button", { name: "Open in new tab" }).evaluate((control) => {
      const card = control.closest("section")?.getBoundingClientRect();
      return control.getBoundingClientRect().top - (card?.top ?? 0);
    });
    expect(space).toBeGreaterThanOrEqual(8);
    // the menu of an object moves down when a notice appears above it
    await page.goto(objectPath);
    const menu = button("More");
    await expectSeen(menu);
    const below = () =>
      menu.evaluate((dots) => {
        const crumbs = dots.closest("main")?.querySelector("nav")?.getBoundingClientRect().bottom ?? Infinity;
        return Math.round(dots.getBoundingClientRect().top - crumbs);
      });
    // the notice that there is no network is loaded after the page itself
    await page.waitForLoadState("networkidle");
    const before = await below();
    await page.context().setOffline(true);
    try {
      await expectSeen(said("You are offline."));
      expect(await below()).toBe(before);
    } finally {
      await page.context().setOffline(false);
    }
    await expectGone(said("You are offline."));
    await page.setViewportSize({ width: 1280, height: 900 });
    await product.rest.call("updateTestObject", { params, body: { name: "The manual" } });
  }),
);

test.each(["light", "dark"] as const)("a dialog is of one ground from its title down, in %s", (theme) =>
  scene(async () => {
    const { page } = stage;
    await page.goto("/");
    await inTheme(page, theme);
    await button("API access").click();
    const dialog = page.getByRole("dialog", { name: "API access" });
    await expectSeen(dialog.getByRole("switch"));
    const grounds = await dialog.locator("header").evaluate((head) => {
      const groundOf = (element: Element | null): string => {
        if (element === null) return "none";
        const { backgroundColor } = getComputedStyle(element);
        return backgroundColor === "rgba(0, 0, 0, 0)" ? groundOf(element.parentElement) : backgroundColor;
      };
      return { head: groundOf(head), body: groundOf(head.nextElementSibling) };
    });
    expect(grounds.head).toBe(grounds.body);
    await page.keyboard.press("Escape");
    await expectGone(dialog);
    await page.emulateMedia({ colorScheme: null });
  })(),
);

describe("what is not there", () => {
  const nobody = randomUUID();
  test.each([
    ["/instances/", "Instance not found.", `404 /api/testinstances/${nobody}`],
    ["/snapshots/", "Snapshot not found.", `404 /api/testsnapshots/${nobody}`],
  ])("%s", async (address, words, refusal) => {
    await scene(async () => {
      await stage.page.goto(address + nobody);
      await expectSeen(said(words));
    }, [refusal])();
    await scene(async () => {
      await stage.page.goto(`${address}no-id`);
      await expectSeen(said(words));
    }, [refusal.replace(nobody, "no-id")])();
  });

  test(
    "a review, which is not asked for again",
    scene(async () => {
      await stage.page.goto(`/runs/${nobody}/review`);
      await expectSeen(said("Review not found."));
      expect(await button("Try again").count()).toBe(0);
    }, [`404 /api/runs/${nobody}/review`]),
  );

  test(
    "an object, a comparison and a screen",
    scene(async () => {
      await stage.page.goto(`/objects/${nobody}`);
      await expectSeen(said("Test object not found."));
      await stage.page.goto(`/objects/${nobody}/search`);
      await expectSeen(said("Test object not found."));
      await stage.page.goto("/diff");
      await expectSeen(said("Missing parameters"));
      await expectSeen(said(/Choose them on the page of a test object/));
      await stage.page.goto("/diff/bulk");
      await expectSeen(stage.page.getByRole("heading", { name: "Bulk Diff", level: 1 }));
      await stage.page.goto("/no/such/screen");
      await expectSeen(stage.page.getByRole("heading", { name: "Page not found" }));
      await stage.page.getByRole("main").getByRole("link", { name: "Go to Objects" }).click();
      await expectSeen(stage.page.getByRole("heading", { name: "Objects", level: 1 }));
    }),
  );

  test(
    "a comparison of snapshots that are not there",
    scene(async () => {
      await stage.page.goto(`/diff?a=${nobody}&b=${nobody}`);
      await expectSeen(said(/^Error loading diff: .*no snapshot/));
      // trying again cannot help
      expect(await button("Try again").count()).toBe(0);
      await expectSeen(stage.page.getByRole("main").getByRole("link", { name: "Go to Objects" }));
    }, ["404 /api/diff/hunks", `404 /api/testsnapshots/${nobody}`]),
  );

  test(
    "a comparison of which one side is there offers the others of its page",
    scene(async () => {
      const { page } = stage;
      await page.goto(objectPath);
      await rows().getByRole("link", { name: "Chapter 3" }).click();
      await page.getByRole("article", { name: "Snapshot 1" }).getByRole("link", { name: "View" }).click();
      await expectSeen(page.getByRole("heading", { name: "Snapshot 1" }));
      const known = path().split("/").at(-1) ?? "";
      for (const [a, b] of [
        [known, nobody],
        [nobody, known],
      ]) {
        await page.goto(`/diff?a=${a}&b=${b}`);
        await expectSeen(said(/^Error loading diff: .*no snapshot/));
        await expectSeen(page.getByRole("heading", { name: "Chapter 3", level: 1 }));
        await page.getByRole("combobox", { name: a === nobody ? "Snapshot A" : "Snapshot B" }).click();
        await page.getByRole("option", { name: /^#1 / }).click();
        await button("Compare").click();
        await expectSeen(said("The two snapshots are identical"));
      }
    }, ["404 /api/diff/hunks", `404 /api/testsnapshots/${nobody}`, "404 /api/diff/hunks"]),
  );
});

/** The delay of an answer: longer than the interval at which lists follow events. */
const slowMs = 3_500;

describe("deletion asks first", () => {
  test(
    "an instance",
    scene(async () => {
      await stage.page.goto(objectPath);
      await rows().getByRole("link", { name: "Chapter 7" }).click();
      await button("Delete Instance").click();
      const question = stage.page.getByRole("dialog");
      await expectSeen(
        question.getByText('Are you sure you want to delete "Chapter 7"? This will delete all its snapshots.'),
      );
      expect(
        await question
          .getByRole("button", { name: "Cancel" })
          .evaluate((element) => element === element.ownerDocument.activeElement),
      ).toBe(true);
      await stage.page.keyboard.press("Escape");
      await expectGone(question);
      await button("Delete Instance").click();
      await question.getByRole("button", { name: "Delete instance" }).click();
      await expectSeen(toast("Instance deleted successfully"));
      await until("the page before", () => path() === objectPath);
      await expectSeen(said(`All ${pageCount - 1} instances shown`));
      expect(await rows().getByRole("link", { name: "Chapter 7" }).count()).toBe(0);
    }),
  );

  test(
    "an instance in the list",
    scene(async () => {
      await rows().getByRole("button", { name: "Delete Chapter 8" }).click();
      const question = stage.page.getByRole("dialog");
      await question.getByRole("button", { name: "Cancel" }).click();
      await expectGone(question);
      expect(await rows().count()).toBe(pageCount - 1);
      await rows().getByRole("button", { name: "Delete Chapter 8" }).click();
      await question.getByRole("button", { name: "Delete instance" }).click();
      await expectSeen(said(`All ${pageCount - 2} instances shown`));
    }),
  );

  test(
    "all snapshots, instances stay",
    scene(async () => {
      await button("Delete Snapshots").click();
      await stage.page.getByRole("dialog").getByRole("button", { name: "Delete snapshots" }).click();
      await expectSeen(toast(/Deleted \d+ snapshot\(s\)\./));
      await until(
        "empty instances",
        async () => (await rows().getByText("No snapshots yet").count()) === pageCount - 2,
      );
    }),
  );

  test(
    "the object",
    scene(async () => {
      await button("More").click();
      await stage.page.getByRole("menuitem", { name: "Delete object" }).click();
      const question = stage.page.getByRole("dialog");
      await expectSeen(
        question.getByText(
          'Are you sure you want to delete "The manual"? This will delete all instances and snapshots.',
        ),
      );
      // an event tells the browser of the deletion long before the call is answered: meanwhile it must not ask for anything of the object
      await stage.page.route("**/api/testobjects/*", async (route) => {
        if (route.request().method() !== "DELETE") return route.continue();
        const answer = await route.fetch();
        await new Promise((resolve) => setTimeout(resolve, slowMs));
        return route.fulfill({ response: answer });
      });
      await question.getByRole("button", { name: "Delete object" }).click();
      await expectSeen(toast("Test object deleted successfully"));
      await until("the home page", () => path() === "/");
      await expectSeen(said("No test objects yet"));
      await until("an empty database", async () => (await product.db.query("SELECT 1 FROM test_object")).length === 0);
      product.acknowledged = []; // deleted on purpose
      expect(await invariantFaults(product)).toEqual([]);
    }),
  );
});
