import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { Browser } from "playwright-core";
import { launchBrowser } from "../support/browser.js";
import { crawl, fetchAll, register } from "../support/job.js";
import type { Product } from "../support/product.js";
import { shareProduct } from "../support/shared-product.js";
import { startSite, type Site } from "../support/site.js";
import { createStage, expectGone, expectSeen } from "../support/stage.js";
import { until } from "../support/until.js";

/** What matters and what does not, in a real Chromium: the review of a run, Ignore this…, the rules of an object. */
const nobody = randomUUID();
const names = Array.from({ length: 6 }, (_, index) => `p${index}`);
const stage = createStage();
const { scene, said, button, differences, path } = stage;
let product: Product;
let site: Site;
let browser: Browser;
let objectId: string;

const publish = (year: number, visits: number) => {
  for (const name of names)
    site.pages.set(
      `/${name}`,
      `<h1>${name}</h1><p class="seen">This page was seen ${visits} times</p><p>Words</p><footer>© ${year} Us</footer>`,
    );
};
const groups = () => stage.page.getByRole("list", { name: "Kinds of change" }).getByRole("listitem");
const heading = (name: string) => stage.page.getByRole("heading", { name, level: 1 });

beforeAll(async () => {
  [product, site, browser] = await Promise.all([
    shareProduct(),
    startSite({ "/": names.map((name) => `<a href="/${name}">${name}</a>`).join("") }),
    launchBrowser(),
  ]);
  publish(2025, 10);
  objectId = await register(product, site.url, "The shop");
  await crawl(product, objectId);
  await fetchAll(product, objectId);
  publish(2026, 11);
  await fetchAll(product, objectId);
  await stage.open(browser, product.address);
});
afterAll(async () => {
  await browser.close();
  await product.stop();
  await site.close();
});

describe("the review of a run", () => {
  test(
    "a review that cannot be read has the head of its screen",
    scene(async () => {
      const { page } = stage;
      await page.route(`**/api/runs/${nobody}/review?*`, (route) =>
        route.fulfill({ status: 500, json: { statusCode: 500, message: "The database rests" } }),
      );
      await page.goto(`/runs/${nobody}/review`);
      await expectSeen(said("The review could not be loaded"));
      await expectSeen(page.getByRole("heading", { name: "Review", level: 1 }));
      await page
        .getByRole("navigation", { name: "Breadcrumb" })
        .getByRole("link", { name: "Objects", exact: true })
        .click();
      await until("the home page", () => path() === "/");
    }, [`500 /api/runs/${nobody}/review`]),
  );

  test(
    "the home page says how many pages wait, and leads there; the row leads to its object",
    scene(async () => {
      await stage.page.goto("/");
      const rows = stage.page.getByRole("region", { name: "Test objects" });
      await rows.getByRole("link", { name: "6 to review", exact: true }).press("Enter");
      await expectSeen(heading("6 changed pages to review"));
      await stage.page.goBack();
      await rows.getByRole("link", { name: /^The shop .*6 to review$/ }).click({ position: { x: 200, y: 10 } });
      await expectSeen(heading("The shop"));
    }),
  );

  test(
    "the Review button leads to it: equal changes of all pages are one",
    scene(async () => {
      await stage.page.goto(`/objects/${objectId}`);
      await stage.page.getByRole("link", { name: "Review 6 changes" }).click();
      await expectSeen(heading("6 changed pages to review"));
      expect(path()).toMatch(/^\/runs\/.*\/review$/);
      await until("two kinds of change", async () => (await groups().count()) === 2);
      await expectSeen(groups().first().getByText("6 pages"));
      // removed and added lines have signs, too, and not only colours
      expect(await groups().first().ariaSnapshot()).toMatch(/6 pages - <.*> \+ </);
      await groups().first().getByRole("button", { name: "Pages", exact: true }).click();
      await expectSeen(groups().first().getByRole("link", { name: /\/p3$/ }));
      await groups().first().getByRole("button", { name: "Hide pages" }).click();
    }),
  );

  test(
    "i asks about kinds that are shown later too, and ? names the keys of a review",
    scene(async () => {
      const { page } = stage;
      const review = page.url();
      await page.route("**/api/runs/*/review?*", async (route) => {
        const answer = await route.fetch();
        const body = await answer.json();
        const isFirst = !new URL(route.request().url()).searchParams.has("offset");
        await route.fulfill({ json: isFirst ? { ...body, groups: body.groups.slice(0, 1) } : body });
      });
      await page.reload();
      await button("Show more").click();
      const later = page.getByRole("list", { name: "Kinds of fewer pages" }).getByRole("listitem").first();
      await later.focus();
      await page.keyboard.press("?");
      await expectSeen(page.getByRole("dialog").getByText("Accept, in a review"));
      await page.keyboard.press("Escape");
      await expectGone(page.getByRole("dialog"));
      await later.focus();
      await page.keyboard.press("i");
      await expectSeen(page.getByRole("dialog", { name: "Ignore this change" }));
      await page.unroute("**/api/runs/*/review?*");
      await page.goto(review);
      await expectSeen(groups());
    }),
  );

  test(
    "a whole review by keys alone: accept, take back, a problem with a note, accept the rest",
    scene(async () => {
      const press = (key: string) => stage.page.keyboard.press(key);
      const saidOf = (index: number, words: RegExp) => groups().nth(index).getByText(words);
      await press("j");
      await until("the first kind to have the focus", () =>
        groups()
          .first()
          .evaluate((row) => row === document.activeElement),
      );
      await press("a");
      await expectSeen(saidOf(0, /^Accepted/));
      await press("z");
      await expectGone(groups().getByText(/^Accepted/));
      // the button disappears when it is pressed, and its row has the focus then
      await groups().first().getByRole("button", { name: "Accept", exact: true }).press("Enter");
      await expectSeen(saidOf(0, /^Accepted/));
      expect(
        await groups()
          .first()
          .evaluate((row) => row === document.activeElement),
      ).toBe(true);
      await press("z");
      await expectGone(groups().getByText(/^Accepted/));
      await press("j");
      await press("x");
      await until("the note to have the focus", () =>
        stage.page.getByLabel("Note").evaluate((field) => field === document.activeElement),
      );
      await stage.page.keyboard.type("The year is wrong");
      await press("Control+Enter");
      await expectSeen(saidOf(1, /^Problem: The year is wrong/));
      await press("k");
      await press("a");
      await expectSeen(saidOf(0, /^Accepted/));
      await expectSeen(heading("No change waits for review"));
      await press("z");
      await expectSeen(heading("6 changed pages to review"));
      await press("a");
      await expectSeen(heading("No change waits for review"));
      await expectSeen(groups().getByText(/^Problem: The year is wrong/));
    }),
  );

  /** The failed call of the verdict, whose run is known only during the test. */
  const lost: string[] = [];
  test(
    "a note that was not taken stays in its field, and Undo of Accept all leaves what was said before",
    scene(async () => {
      const { page } = stage;
      const problem = groups().getByText(/^Problem: The year is still wrong/);
      await groups().first().getByRole("button", { name: "Take back" }).click();
      await groups().nth(1).getByRole("button", { name: "Take back" }).click();
      await expectSeen(heading("6 changed pages to review"));
      lost.push(`500 /api${path().replace("/review", "")}/verdicts`);
      await page.route("**/verdicts", (route) => route.fulfill({ status: 500, json: { message: "It rests" } }), {
        times: 1,
      });
      await groups().nth(1).getByRole("button", { name: "Problem…" }).click();
      await page.getByLabel("Note").fill("The year is still wrong");
      await button("Say so").click();
      await expectSeen(page.getByRole("alert").filter({ hasText: "It rests" }));
      expect(await page.getByLabel("Note").inputValue()).toBe("The year is still wrong");
      await button("Say so").click();
      await expectSeen(problem);
      await expectGone(page.getByRole("dialog"));
      await button("Accept all").click();
      await expectSeen(heading("No change waits for review"));
      await button("Undo").click();
      await expectSeen(heading("6 changed pages to review"));
      await expectGone(groups().getByText(/^Accepted/));
      await expectSeen(problem);
      await button("Accept all").click();
      await expectSeen(heading("No change waits for review"));
    }, lost),
  );

  test(
    "pages are found over the whole run",
    scene(async () => {
      await stage.page.getByRole("textbox", { name: "Find pages of this run" }).fill("/p4");
      const found = stage.page.getByRole("list", { name: "Pages", exact: true }).getByRole("listitem");
      await until("one page", async () => (await found.count()) === 1);
      await found.getByRole("link").click();
      await expectSeen(differences());
    }),
  );
});

describe("Ignore this…", () => {
  test(
    "offers the narrowest rule for a changed line, says what it would hide, and then the line counts no more",
    scene(async () => {
      const compared = `${stage.page.url()}&as=formatted`;
      // in the review, the key i leads to the comparison and opens the question there at once
      await stage.page.goBack();
      const counter = groups().filter({ hasText: "This page was seen" });
      await until("the counter to have the focus", async () => {
        await stage.page.keyboard.press("j");
        return counter.evaluate((row) => row === document.activeElement);
      });
      await stage.page.keyboard.press("i");
      await expectSeen(stage.page.getByRole("dialog", { name: "Ignore this change" }));
      await stage.page.keyboard.press("Escape");
      await stage.page.goto(compared);
      await expectSeen(said("2 changes"));
      await stage.page.keyboard.press("i");
      await expectSeen(stage.page.getByRole("radio", { name: /^Text that matches .*This page was seen/ }));
      await expectSeen(said("Silences 0 of 6 changed pages of the last run and 0 of 6 changes of the last 30 days"));
      await stage.page.getByLabel("Note").focus();
      await stage.page.keyboard.type("The counter");
      await stage.page.keyboard.press("Enter");
      await expectSeen(said("1 ignored"));
      await expectSeen(said("1 change"));
      await expectSeen(differences().getByTitle("Ignored: The counter").first());
      await button("More").click();
      await stage.page.getByRole("menuitem", { name: "Hide what is ignored" }).click();
      await expectGone(differences().locator("[data-ignored][data-kind-of=removed]"));
    }),
  );

  test(
    "pages that still changed say how much of it is ignored; nothing waits on the home page",
    scene(async () => {
      await stage.page.goto(`/objects/${objectId}`);
      await expectSeen(said("1 change, 1 ignored").first());
      await stage.page.goto("/");
      await expectSeen(said("6 changed"));
      await expectGone(said(/to review/));
    }),
  );
});

describe("Diff Anything", () => {
  test(
    "compares pasted HTML as text, without a server's means",
    scene(async () => {
      await stage.page.goto("/diff-anything");
      await stage.page.getByLabel("Content A").fill("<p>One<p class=a>Two");
      await stage.page.getByLabel("Content B").fill("<p>One  <p class=b>Two");
      await button("Compare").click();
      await expectSeen(said("1 change"));
      await stage.page.goto("/diff-anything?as=text");
      await stage.page.getByLabel("Content A").fill("<p>One<p class=a>Two");
      await stage.page.getByLabel("Content B").fill("<p>One  <p class=b>Two");
      await button("Compare").click();
      await expectSeen(said("The two contents are identical"));
      await stage.page.goto("/diff-anything?as=formatted");
      await stage.page.getByLabel("Content A").fill("<p>One<p>Two");
      await stage.page.getByLabel("Content B").fill("<p>One  <p >Two");
      await button("Compare").click();
      await expectSeen(said("The two contents are identical"));
    }),
  );
});

describe("the rules of an object", () => {
  test(
    "are listed, switched off and on, and deleted",
    scene(async () => {
      await stage.page.goto(`/objects/${objectId}/rules`);
      const rules = stage.page.getByRole("list", { name: "Rules in force" }).getByRole("listitem");
      await expectSeen(rules.getByText("The counter"));
      const inForce = stage.page.getByRole("switch", { name: "In force: The counter" });
      await inForce.click({ force: true });
      await until("it to be off", async () => !(await inForce.isChecked()));
      await rules.getByRole("button", { name: "Delete" }).click();
      await stage.page.getByRole("dialog").getByRole("button", { name: "Delete rule" }).click();
      await expectSeen(said("No rules yet"));
    }),
  );

  /** The refused calls of the preview, whose object is known only during the test. */
  const refusals: string[] = [];
  test(
    "one is made by hand, and what cannot be read is refused in words",
    scene(async () => {
      const refusal = `400 /api/testobjects/${objectId}/rules/preview`;
      refusals.push(refusal, refusal);
      await button("Add Rule").click();
      await stage.page.getByLabel("CSS selector").fill("p:is(");
      await expectSeen(stage.page.getByText(/is not a CSS selector/));
      // as if a part of the page had been pasted
      await stage.page.getByLabel("CSS selector").fill(".seen ".repeat(200));
      await expectSeen(said(/can have up to 1,000 characters/));
      await stage.page.getByLabel("CSS selector").fill(".seen");
      await expectSeen(said(/Silences 0 of 6 changed pages/));
      await button("Ignore").click();
      await expectSeen(stage.page.getByRole("list", { name: "Rules in force" }).getByText("Element .seen"));
    }, refusals),
  );

  test(
    "noise is found: what differs between two fetches is proposed",
    scene(async () => {
      const announced = /^Search for noise: \d+ of \d+ pages\./;
      const last = site.pages.get("/p5");
      const { promise: isShown, resolve: go } = Promise.withResolvers<void>();
      // the search goes on until its progress has been seen
      site.pages.set("/p5", (_request, response) => {
        const html = typeof last === "string" ? last : "";
        void isShown.then(() => response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(html));
      });
      try {
        await Promise.all([
          expectSeen(said("Fetching 7 pages twice…")),
          expectSeen(stage.page.getByRole("group", { name: "Search for noise" })),
          expectSeen(stage.page.getByRole("status").filter({ hasText: announced })),
          button("Find Noise").click(),
        ]);
      } finally {
        go();
        if (last !== undefined) site.pages.set("/p5", last);
      }
      await until("its end", async () => {
        const { items } = await product.rest.call("listRuns", { params: { id: objectId }, query: { limit: 100 } });
        return items.filter(({ kind }) => kind === "noise").every(({ state }) => state === "finished");
      });
    }),
  );
});

test(
  "where no change waits, the title of a review says what failed",
  scene(async () => {
    await fetchAll(product, objectId);
    site.pages.set("/p5", (_request, response) => void response.writeHead(503).end("<h1>Not now"));
    await fetchAll(product, objectId);
    const { items } = await product.rest.call("listRuns", { params: { id: objectId } });
    await stage.page.goto(`/runs/${items.find(({ kind }) => kind === "snapshot-all")?.id ?? ""}/review`);
    await expectSeen(heading("No change waits for review, 1 page failed"));
  }),
);
