import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { Browser, Locator, Page } from "playwright-core";
import { axeFaults } from "../support/axe.js";
import { launchBrowser } from "../support/browser.js";
import { type Say, textsIn } from "../support/every-screen.js";
import { crawl, fetchAll, register } from "../support/job.js";
import type { Product } from "../support/product.js";
import { shareProduct } from "../support/shared-product.js";
import { startSite, type Site } from "../support/site.js";
import { expectGone, expectSeen } from "../support/stage.js";
import { until } from "../support/until.js";

/** Everything can be done without a mouse, by Tab, Enter, Space, arrows and Escape, and the focus is never lost. */
const names = Array.from({ length: 6 }, (_, index) => `p${index}`);
let product: Product;
let site: Site;
let browser: Browser;
let objectId: string;
let release = 0;

/** Publishes two kinds of change on each page. */
const publish = () => {
  release += 1;
  for (const name of names)
    site.pages.set(
      `/${name}`,
      `<title>Page ${name}</title><h1>${name}</h1><p>Words of release ${release}</p><p>Words</p><footer>© ${2000 + release} Us</footer>`,
    );
};

beforeAll(async () => {
  [product, site, browser] = await Promise.all([
    // deletions can be undone
    shareProduct({ UNDO_SECONDS: "20" }),
    startSite({ "/": names.map((name) => `<a href="/${name}">${name}</a>`).join("") }),
    launchBrowser(),
  ]);
  publish();
  objectId = await register(product, site.url, "The shop");
  await crawl(product, objectId);
  await fetchAll(product, objectId);
});
afterAll(async () => {
  await browser.close();
  await product.stop();
  await site.close();
});

/** How long it may take until the focus is where it belongs. */
const soonMs = 20_000;

/** A person who works on a screen with the keyboard alone. */
class Hands {
  constructor(
    readonly page: Page,
    readonly say: Say,
  ) {}

  press = (key: string) => this.page.keyboard.press(key);
  button = (english: string, within: Page | Locator = this.page) =>
    within.getByRole("button", { name: this.say(english), exact: true }).first();
  dialog = () => this.page.getByRole("dialog");

  /** Presses Tab until this has the focus: at most 120 times, which is enough for the longest page. */
  async walkTo(goal: Locator): Promise<void> {
    await expectSeen(goal);
    for (let steps = 0; steps < 120; steps++) {
      if (await goal.first().evaluate((element) => element === document.activeElement)) return;
      await this.press("Tab");
    }
    throw new Error(`Tab does not lead to ${goal.toString()}, but to ${await this.focused()}`);
  }

  async use(goal: Locator): Promise<void> {
    await this.walkTo(goal);
    await this.press("Enter");
  }

  focused = () =>
    this.page.evaluate(() => {
      const { activeElement: element } = document;
      return `${element?.tagName} ${element?.getAttribute("aria-label") ?? element?.textContent.trim().slice(0, 60)}`;
    });

  /** Waits until this has the focus. */
  async standsOn(goal: Locator): Promise<void> {
    await until(
      `the focus on ${goal.toString()}`,
      () => goal.first().evaluate((element) => element === document.activeElement),
      soonMs,
    ).catch(async (error: unknown) => {
      throw new Error(`The focus is on ${await this.focused()}`, { cause: error });
    });
  }

  /** Opens a menu with the arrow up, which leads to its last item, and chooses the item of this name. */
  async choose(menu: Locator, english: string): Promise<void> {
    const item = this.page.getByRole("menuitem", { name: this.say(english), exact: true });
    const items = this.page.getByRole("menuitem");
    await this.walkTo(menu);
    await this.press("Enter");
    await this.standsOn(items.first());
    await this.press("End");
    await this.standsOn(items.last());
    await this.press("Home");
    await this.standsOn(items.first());
    await this.press("Escape");
    await expectGone(items);
    await this.standsOn(menu);
    await this.press("ArrowUp");
    await this.standsOn(items.last());
    const isThere = () => item.evaluate((element) => element === document.activeElement);
    for (let steps = 0; steps < 20 && !(await isThere()); steps++) await this.press("ArrowUp");
    await this.standsOn(item);
    await this.press("Enter");
  }
}

const sizes = { desktop: { width: 1440, height: 900 }, phone: { width: 390, height: 844 } } as const;

async function sitDown(language: "en" | "de", size: keyof typeof sizes): Promise<Hands> {
  const context = await browser.newContext({
    baseURL: product.address,
    locale: language === "en" ? "en-GB" : "de-DE",
    viewport: sizes[size],
    reducedMotion: "reduce",
    // axe is not part of the application, whose policy would refuse it
    bypassCSP: true,
  });
  context.setDefaultTimeout(8_000);
  return new Hands(await context.newPage(), await textsIn(language));
}

describe.each([
  ["en", "desktop"],
  ["de", "phone"],
] as const)("in %s on a %s", (language, size) => {
  let hands: Hands;
  beforeAll(async () => {
    publish();
    await fetchAll(product, objectId);
    hands = await sitDown(language, size);
  });
  afterAll(() => hands.page.context().close());

  const kinds = () =>
    hands.page.getByRole("list", { name: hands.say("Kinds of change") }).locator("[data-fingerprint]");
  const heading = (words: string | RegExp) => hands.page.getByRole("heading", { name: words, level: 1 });
  const saidOf = (index: number, said: "accepted" | "problem") =>
    expectSeen(hands.page.locator(`[data-fingerprint]:nth-child(${index + 1})[data-said=${said}]`));

  test("a review is opened from home, and its changes are walked", async () => {
    const { page, say } = hands;
    await page.goto("/");
    await hands.use(
      page.getByRole("link", { name: say("{waiting} to review").replace("{waiting}", "6"), exact: true }),
    );
    await until("two kinds of change", async () => (await kinds().count()) === 2);
    await hands.use(
      kinds()
        .first()
        .getByRole("link", { name: say("Compare"), exact: true }),
    );
    await expectSeen(page.getByRole("region", { name: say("Differences") }));
    const at = (position: number) => page.getByText(new RegExp(`^${position} / 2$`)).first();
    await hands.use(hands.button("Next change"));
    await expectSeen(at(2));
    await hands.use(hands.button("Previous change"));
    await expectSeen(at(1));
    await page.goBack();
    await expectSeen(kinds());
    await hands.press("j");
    await hands.standsOn(kinds().first());
    const close = hands.button("Hide pages", kinds().first());
    await hands.press("Enter");
    await expectSeen(close);
    await hands.press("Enter");
    await expectGone(close);
  });

  test("changes are accepted, taken back, called a problem and ignored", async () => {
    const { page, say } = hands;
    await hands.use(hands.button("Accept", kinds().first()));
    await saidOf(0, "accepted");
    await hands.standsOn(kinds().first());
    await hands.use(hands.button("Undo"));
    await expectGone(page.locator("[data-said]"));
    await hands.standsOn(page.getByRole("heading", { level: 1 }));
    await hands.use(hands.button("Problem…", kinds().nth(1)));
    await hands.standsOn(hands.dialog().getByLabel(say("Note")));
    await page.keyboard.type("The year is wrong");
    await hands.use(hands.button("Say so", hands.dialog()));
    await saidOf(1, "problem");
    await until("the focus in its row", () =>
      kinds()
        .nth(1)
        .evaluate((row) => row.contains(document.activeElement)),
    );
    await hands.use(
      kinds()
        .first()
        .getByRole("link", { name: say("Ignore always…"), exact: true }),
    );
    await expectSeen(hands.dialog());
    await hands.press("Escape");
    await expectGone(hands.dialog());
    await page.goBack();
    await expectSeen(kinds());
  });

  test("all are accepted, and the words that say so have the focus", async () => {
    await hands.use(hands.button("Accept all"));
    const words = heading(hands.say("No change waits for review"));
    await expectSeen(words);
    await hands.standsOn(words);
    // a kind of change that has a verdict is paler, and can still be read
    await saidOf(0, "accepted");
    expect(await axeFaults(hands.page, ["color-contrast"])).toEqual([]);
    await hands.page.goto(`/objects/${objectId}`);
    await expectSeen(hands.page.getByRole("link", { name: hands.say("Changes reviewed"), exact: true }));
    await hands.page.goBack();
    await expectSeen(kinds());
  });

  test("the fetch gets a label, and the review a link to share", async () => {
    const { page, say } = hands;
    const menu = page.getByRole("main").getByRole("button", { name: say("More"), exact: true });
    const open = async (english: string) => {
      if (size === "phone") await hands.choose(menu, english);
      else await hands.use(hands.button(english));
      await expectSeen(hands.dialog());
    };
    const opener = (english: string) => (size === "phone" ? menu : hands.button(english));
    await open("Label…");
    await hands.standsOn(hands.dialog().getByRole("textbox", { name: say("Label") }));
    await page.keyboard.type("release 1");
    await hands.use(hands.button("Save", hands.dialog()));
    await expectGone(hands.dialog());
    await expectSeen(page.getByText("release 1", { exact: true }));
    await hands.standsOn(opener("Change label…"));
    await open("Share…");
    await hands.use(hands.button("Make Link", hands.dialog()));
    await expectSeen(hands.dialog().locator("[data-secret]"));
    await hands.walkTo(hands.button("Copy Link", hands.dialog()));
    await hands.press("Escape");
    await expectGone(hands.dialog());
    await hands.standsOn(opener("Share…"));
  });

  test("a page is deleted, the focus is on the next one, and the page comes back", async () => {
    const { page, say } = hands;
    const rows = page.getByRole("list", { name: say("Instances"), exact: true }).getByRole("listitem");
    const deleteOf = (index: number) =>
      page.getByRole("button", { name: say("Delete {label}").replace("{label}", `Page p${index}`) });
    await page.goto(`/objects/${objectId}`);
    await expectSeen(rows);
    const order = await rows.getByRole("link").evaluateAll((links) => links.map((link) => link.ariaLabel ?? ""));
    const at = names.findIndex((name) => order[2] === `Page ${name}`);
    await hands.use(deleteOf(at));
    await hands.standsOn(hands.button("Cancel", hands.dialog()));
    await hands.press("Escape");
    await expectGone(hands.dialog());
    await hands.standsOn(deleteOf(at));
    await hands.press("Enter");
    await hands.use(hands.button("Delete instance", hands.dialog()));
    await expectGone(deleteOf(at));
    await until(
      "the focus in the row that followed",
      () => rows.nth(2).evaluate((row) => row.contains(document.activeElement)),
      soonMs,
    ).catch(async (error: unknown) => {
      throw new Error(`The focus is on ${await hands.focused()}`, { cause: error });
    });
    await hands.use(hands.button("Undo", page.getByRole("status")));
    await expectSeen(deleteOf(at));
    await until("some focus", async () => !(await hands.focused()).startsWith("BODY"), soonMs);
  });
});

test("two snapshots are swapped, and swapped back, where the focus is", async () => {
  const hands = await sitDown("en", "desktop");
  const { items } = await product.rest.call("listTestInstances", { params: { id: objectId }, query: { limit: 1 } });
  const id = items[0]?.id;
  await hands.page.goto(`/diff?instance1=${id}&snapshot1=1&instance2=${id}&snapshot2=0`);
  const swap = hands.button("Swap A and B");
  const older = hands.page.getByRole("combobox", { name: "Snapshot A" });
  await hands.walkTo(swap);
  const before = await older.inputValue();
  for (const isBack of [false, true]) {
    await hands.press("Enter");
    await until("the swapped snapshots", async () => ((await older.inputValue()) === before) === isBack);
    await hands.standsOn(swap);
  }
  expect(await older.inputValue()).toBe(before);
  await hands.page.context().close();
});

test("Escape leads from the menu of a phone back to its button", async () => {
  const hands = await sitDown("en", "phone");
  await hands.page.goto("/");
  const menu = hands.button("Menu");
  await hands.use(menu);
  await hands.walkTo(hands.page.getByRole("navigation", { name: "Menu" }).getByRole("link").nth(1));
  await hands.press("Escape");
  await hands.standsOn(menu);
  expect(await menu.getAttribute("aria-expanded")).toBe("false");
  await hands.page.context().close();
});

test("who comes by a link to a line goes on from the change there", async () => {
  const { page, press } = await sitDown("en", "desktop");
  const shopId = await register(product, site.url, "Another shop");
  await crawl(product, shopId);
  await fetchAll(product, shopId);
  publish();
  await fetchAll(product, shopId);
  const { items } = await product.rest.call("listTestInstances", { params: { id: shopId }, query: { limit: 20 } });
  const { id } = items.find(({ url }) => url.endsWith("/p3")) ?? { id: "" };
  const standsAt = (place: string) =>
    until(`the change ${place}`, () => page.getByText(place, { exact: true }).first().isVisible());
  await page.goto(`/diff?instance1=${id}&snapshot1=1&instance2=${id}&snapshot2=0&as=formatted`);
  await standsAt("1 / 2");
  const lines = page.locator("a[data-line^=b]");
  const last = await lines.last().getAttribute("data-line");
  await page.goto(`/diff?instance1=${id}&snapshot1=1&instance2=${id}&snapshot2=0&as=formatted&line=${last ?? ""}`);
  await standsAt("2 / 2");
  await press("p");
  await standsAt("1 / 2");
  expect(new URL(page.url()).searchParams.get("line")).toBe(last);
  await page.context().close();
});

test.each([
  ["/format-html", "HTML", "Format"],
  ["/diff-anything", "Content A", "Format HTML"],
])(
  "who formats and clears on %s stays at the button, and then begins anew in the field",
  async (address, name, format) => {
    const hands = await sitDown("en", "desktop");
    const { page } = hands;
    await page.goto(address);
    const field = page.getByRole("textbox", { name, exact: true });
    await field.fill("<ul><li>Assam</li><li>Sencha</li></ul>".repeat(2_000));
    await hands.use(hands.button(format));
    await until("it is formatted", async () => (await field.inputValue()).includes("\n"));
    await hands.standsOn(hands.button(format));
    await hands.use(hands.button("Clear"));
    await hands.standsOn(field);
    expect(await field.inputValue()).toBe("");
    await page.context().close();
  },
);

test("an object is deleted by the last item of its menu", async () => {
  const hands = await sitDown("de", "desktop");
  const { page, say } = hands;
  await page.goto(`/objects/${objectId}`);
  const menu = page
    .getByRole("main")
    .getByRole("button", { name: say("More"), exact: true })
    .first();
  await hands.choose(menu, "Delete object");
  await hands.standsOn(hands.button("Cancel", hands.dialog()));
  await hands.press("Escape");
  await expectGone(hands.dialog());
  await hands.standsOn(menu);
  await hands.choose(menu, "Delete object");
  await hands.use(hands.button("Delete object", hands.dialog()));
  await until("the home page", () => new URL(page.url()).pathname === "/");
  expect((await product.rest.call("listTestObjects")).map(({ id }) => id)).not.toContain(objectId);
  await page.context().close();
});
