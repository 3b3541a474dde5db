import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { Browser } from "playwright-core";
import { launchBrowser, openScreen } from "../support/browser.js";
import { createGate } from "../support/gate.js";
import { crawl, fetchAll, register, runEnded, startFetch } from "../support/job.js";
import type { Product } from "../support/product.js";
import { shareProduct } from "../support/shared-product.js";
import { startSite, type Site } from "../support/site.js";
import { createStage, expectGone, expectSeen } from "../support/stage.js";
import { until } from "../support/until.js";

/** Habits of people: one action quickly after the other, a key held down, a keyboard of another script, text copied. */
const twins = ["/a", "/b", "/c"];
const stage = createStage();
const { scene, said, toast, button, rows, differences, path, query } = stage;
let product: Product;
let site: Site;
let browser: Browser;
let objectId: string;
let runId: string;

const publish = (release: number) => {
  for (const [index, name] of twins.entries())
    site.pages.set(
      name,
      `<title>Not found</title>\n<h1>Page</h1>\n<p>Words</p>\n<p>Release ${index} ${release}</p>\n<p>End</p>\n<i>Set in ${2000 + release}</i>`,
    );
};

beforeAll(async () => {
  [product, site, browser] = await Promise.all([
    // deletions can be undone
    shareProduct({ UNDO_SECONDS: "60" }),
    startSite({ "/": twins.map((name) => `<a href="${name}">${name}</a>`).join("") }),
    launchBrowser(),
  ]);
  publish(1);
  objectId = await register(product, site.url, "The shop");
  await crawl(product, objectId);
  await fetchAll(product, objectId);
  publish(2);
  runId = await startFetch(product, objectId);
  await runEnded(product, runId);
  await stage.open(browser, product.address);
});
afterAll(async () => {
  await browser.close();
  await product.stop();
  await site.close();
});

/** Presses a key as a keyboard of another script sends it. */
const pressElsewhere = (key: string, code: string, ctrlKey = false) =>
  stage.page.evaluate(
    (press) => document.body.dispatchEvent(new KeyboardEvent("keydown", { ...press, bubbles: true, cancelable: true })),
    { key, code, ctrlKey },
  );

describe("a review", () => {
  const kinds = () => stage.page.locator("[data-fingerprint]");
  const accepted = () => stage.page.locator("[data-said=accepted]").count();
  const verdicts = () => product.db.query(`SELECT 1 FROM verdict`);

  test(
    "a key that is held down accepts one kind of change, not all of them one after the other",
    scene(async () => {
      await stage.page.goto(`/runs/${runId}/review`);
      await expectSeen(kinds().nth(1));
      await stage.page.keyboard.down("a");
      await until("one is accepted", async () => (await accepted()) === 1);
      // the keyboard repeats a key that is held down
      for (let repeats = 0; repeats < 3; repeats += 1) await stage.page.keyboard.down("a");
      await stage.page.keyboard.up("a");
      await stage.page.keyboard.press("z");
      await until("nothing is accepted", async () => (await accepted()) === 0);
      expect(await verdicts()).toEqual([]);
    }),
  );

  test(
    "what was taken back where it stands is nothing that Undo would take back once more, and what was said twice is one",
    scene(async () => {
      const accept = kinds().first().getByRole("button", { name: "Accept", exact: true });
      await accept.click();
      await expectSeen(button("Undo"));
      await kinds().first().getByRole("button", { name: "Take back" }).click();
      await expectGone(button("Undo"));
      await accept.dblclick();
      await until("it is accepted", async () => (await accepted()) === 1);
      await button("Undo").click();
      await until("nothing is accepted", async () => (await accepted()) === 0);
      await expectGone(button("Undo"));
    }),
  );
});

describe("a comparison", () => {
  beforeAll(async () => {
    const pages = await product.rest.call("listReviewPages", { params: { id: runId }, query: { kind: "changed" } });
    const [page] = pages.items;
    await stage.page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await stage.page.goto(`/diff?a=${page?.compared_with}&b=${page?.snapshot_id}&view=split&as=source`);
    await expectSeen(differences());
  });

  /** Selects the text from one line to another of one side with the mouse, and returns what is copied. */
  const copied = async (side: "a" | "b") => {
    const lines = differences().locator(`[data-side=${side}]`);
    const [first, last] = [lines.filter({ hasText: "Words" }), lines.filter({ hasText: "End" })];
    const [from, to] = [await first.boundingBox(), await last.boundingBox()];
    if (from === null || to === null) throw new Error("The lines are not shown");
    await stage.page.mouse.move(from.x + 70, from.y + 8);
    await stage.page.mouse.down();
    await stage.page.mouse.move(to.x + to.width - 20, to.y + 8, { steps: 5 });
    await stage.page.mouse.up();
    await stage.page.keyboard.press("Control+c");
    return stage.page.evaluate(() => navigator.clipboard.readText());
  };

  test.each([
    ["a", 1],
    ["b", 2],
  ] as const)("text that is copied from side %s of two is that side's alone", async (side, release) => {
    await scene(async () => {
      const lines = (await copied(side)).trim().split("\n").slice(-2);
      expect(lines).toEqual([expect.stringMatching(new RegExp(`^<p>Release \\d ${release}</p>$`)), "<p>End</p>"]);
    })();
  });

  test(
    "letters mean the same on a keyboard that writes another script, and a key that is held down is one act",
    scene(async () => {
      expect(query()["view"]).toBe("split");
      await pressElsewhere("г", "KeyU");
      await until("the unified view", () => query()["view"] !== "split");
      await pressElsewhere("л", "KeyK", true);
      await expectSeen(stage.page.getByRole("dialog"));
      await stage.page.keyboard.press("Escape");
      await expectGone(stage.page.getByRole("dialog"));
      const steps = () => stage.page.evaluate(() => history.length);
      const [before, a] = [await steps(), query()["a"]];
      for (let presses = 0; presses < 4; presses += 1) await stage.page.keyboard.down("x");
      await stage.page.keyboard.up("x");
      await until("the snapshots are swapped", () => query()["b"] === a);
      expect(await steps()).toBe(before + 1);
    }),
  );
});

test(
  "a button that is clicked twice by habit, or on which Enter is held down, takes one snapshot",
  scene(async () => {
    const { items } = await product.rest.call("listTestInstances", { params: { id: objectId }, query: { q: "/c" } });
    const params = { id: items[0]?.id ?? "" };
    const snapshots = async () => (await product.rest.call("getTestInstance", { params })).testsnapshots;
    const before = (await snapshots()).length;
    const taken = async (count: number) => {
      await until("an end of all", async () => {
        const all = await snapshots();
        return all.length >= before + count && all.every(({ state }) => state === "done");
      });
      expect(await snapshots()).toHaveLength(before + count);
    };
    await stage.page.goto(`/instances/${params.id}`);
    await button("New Snapshot").dblclick();
    await expectSeen(toast("Snapshot queued"));
    await taken(1);
    await stage.page.reload();
    await button("New Snapshot").focus();
    for (let repeats = 0; repeats < 4; repeats += 1) await stage.page.keyboard.down("Enter");
    await stage.page.keyboard.up("Enter");
    await expectSeen(toast("Snapshot queued"));
    await taken(2);
  }),
);

test("a run goes on to its end on the screen where no websocket comes through", async () => {
  const gate = createGate();
  site.pages.set("/", gate.behind("Home"));
  gate.holdAfter(0);
  const { page } = await openScreen(browser, product.address);
  await page.routeWebSocket(/\/ws/, (socket) => socket.close());
  const run = await startFetch(product, objectId);
  await page.goto(`/objects/${objectId}`);
  const bar = page.getByRole("progressbar", { name: /^Fetch/ });
  await expectSeen(bar);
  gate.open();
  await runEnded(product, run);
  await expectGone(bar);
  await page.context().close();
}, 60_000);

test(
  "pages of one name that are deleted one after the other are each brought back by a toast of their own, beside the Console button",
  scene(async () => {
    await stage.page.goto(`/objects/${objectId}`);
    for (const left of [3, 2]) {
      await stage.page.getByRole("button", { name: "Delete Not found" }).first().click();
      await stage.page.getByRole("dialog").getByRole("button", { name: "Delete instance" }).click();
      await until("one page less", async () => (await rows().count()) === left);
    }
    const undo = toast("Not found").getByRole("button", { name: "Undo" });
    await until("two ways back", async () => (await undo.count()) === 2);
    const box = async (of: typeof undo) => (await of.first().boundingBox()) ?? { x: 0, width: 0 };
    const told = await box(toast("Not found"));
    expect(told.x + told.width).toBeLessThanOrEqual(
      (await box(stage.page.getByRole("button", { name: /^Console/ }))).x,
    );
    await undo.last().click();
    await until("one page more", async () => (await rows().count()) === 3);
    await undo.click();
    await until("all pages", async () => (await rows().count()) === 4);
  }),
);

test(
  "pages that are ignored, and the way back, leave the exclude patterns that somebody else has added meanwhile",
  scene(async () => {
    const excluded = async () =>
      (await product.rest.call("listTestObjects")).find(({ id }) => id === objectId)?.exclude_list ?? [];
    const others = async (exclude_list: string[]) =>
      void (await product.rest.call("updateTestObject", { params: { id: objectId }, body: { exclude_list } }));
    await stage.page.goto(`/objects/${objectId}`);
    await button("Choose pages").click();
    await rows().filter({ hasText: "/b" }).getByRole("checkbox").check();
    await others(["/hers/*"]);
    await button("Ignore").click();
    await stage.page.getByRole("dialog").getByRole("button", { name: "Ignore pages" }).click();
    await until("one page less", async () => (await rows().count()) === 3);
    expect(await excluded()).toEqual(["/hers/*", "/b"]);
    await others(["/hers/*", "/b", "/his/*"]);
    await toast("1 page").getByRole("button", { name: "Undo" }).click();
    await until("all pages", async () => (await rows().count()) === 4);
    expect(await excluded()).toEqual(["/hers/*", "/his/*"]);
  }),
);

test("a search in a page that was deleted says so, instead of finding nothing in it", async () => {
  const { items } = await product.rest.call("listTestInstances", { params: { id: objectId }, query: { q: "/a" } });
  const address = `/objects/${objectId}/search?q=Words&instance=${items[0]?.id}`;
  await stage.page.goto(address);
  await expectSeen(said("Only this instance is searched."));
  await expectSeen(stage.page.getByRole("region", { name: "Results" }).getByRole("link", { name: /View Instance/ }));
  await product.rest.call("deleteTestInstance", { params: { id: items[0]?.id ?? "" }, query: {} });
  await stage.page.goto(address);
  await expectSeen(said("Instance not found."));
  expect(await said("No results found").count()).toBe(0);
  await button("Search all instances").click();
  await expectSeen(stage.page.getByRole("region", { name: "Results" }).getByRole("link", { name: /View Instance/ }));
  expect(path()).toBe(`/objects/${objectId}/search`);
});

test(
  "what is typed right after Ctrl K is looked for, however late the palette comes, and is no key of the page",
  scene(async () => {
    let release = () => {};
    const released = new Promise<void>((resolve) => (release = resolve));
    await stage.page.route(/command-palette[^/]*\.js/, async (route) => {
      await released;
      await route.continue();
    });
    await stage.page.goto("/imprint");
    await expectSeen(button("Console"));
    await stage.page.keyboard.press("Control+k");
    await stage.page.keyboard.type("t shopc");
    await stage.page.keyboard.press("Backspace");
    release();
    await until("what was typed", async () => {
      const field = stage.page.getByPlaceholder(/object or page/i).last();
      return (await field.count()) === 1 && (await field.inputValue()) === "t shop";
    });
    await stage.page.keyboard.press("End");
    await stage.page.keyboard.type("!");
    expect(
      await stage.page
        .getByPlaceholder(/object or page/i)
        .last()
        .inputValue(),
    ).toBe("t shop!");
    expect(await said("Live Job Console").count()).toBe(0);
    await stage.page.unroute(/command-palette[^/]*\.js/);
    await stage.page.keyboard.press("Escape");
  }),
);

test(
  "Escape closes the list of keys also before it is there",
  scene(async () => {
    const { page } = stage;
    let release = () => {};
    const released = new Promise<void>((resolve) => (release = resolve));
    const part = /keys-help[^/]*\.js/;
    await page.route(part, async (route) => {
      await released;
      await route.continue();
    });
    await page.goto("/imprint");
    await expectSeen(button("Console"));
    const asked = page.waitForRequest(part);
    await page.keyboard.press("?");
    const request = await asked;
    await page.keyboard.press("Escape");
    release();
    // once its code runs, two drawings are enough to show it
    const url = request.url();
    await page.evaluate(async (address) => {
      await import(address);
      for (let drawn = 0; drawn < 2; drawn += 1) await new Promise(requestAnimationFrame);
    }, url);
    expect(await page.getByRole("dialog").count()).toBe(0);
    await page.keyboard.press("?");
    await expectSeen(page.getByRole("dialog").getByText("This list"));
    await page.keyboard.press("Escape");
    await expectGone(page.getByRole("dialog"));
    await page.unroute(part);
  }),
);

test.each(["/format-html", "/diff-anything"])("what no browser can show is not pasted into %s", (address) =>
  scene(async () => {
    const { page } = stage;
    await page.goto(address);
    const field = page.getByRole("textbox").first();
    await expectSeen(field);
    /** @returns whether the field accepts a pasted text of this many characters */
    const takes = (chars: number) =>
      field.evaluate((element, length) => {
        const clipboardData = new DataTransfer();
        clipboardData.setData("text/plain", "<p>".padEnd(length, "x"));
        return element.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
      }, chars);
    expect(await takes(1_000)).toBe(true);
    expect(await page.getByRole("alert").count()).toBe(0);
    expect(await takes(11 * 1024 * 1024)).toBe(false);
    await expectSeen(page.getByRole("alert").filter({ hasText: "What you pasted has 11 MB." }));
  })(),
);
