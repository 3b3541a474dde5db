import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { limits } from "@web-tester/contracts/limits";
import type { Browser } from "playwright-core";
import { prepareSample, type Sample } from "../../benches/screens/screens.mjs";
import { launchBrowser } from "../support/browser.js";
import { createGate } from "../support/gate.js";
import { crawl, fetchAll, register, runEnded, startFetch } from "../support/job.js";
import type { Product } from "../support/product.js";
import { shareProduct } from "../support/shared-product.js";
import { manual, startSite, type Site } from "../support/site.js";
import { createStage, expectGone, expectSeen } from "../support/stage.js";
import { until } from "../support/until.js";

/** States, rules, messages and constants of the specification; connections of the product are cut or held at times. `table.ts` says which test shows what. */
const pageCount = 27;
const gate = createGate();
const stage = createStage();
const { said, toast, button, rows, runs, path } = stage;
const stop = new AbortController();
let product: Product;
let site: Site;
let browser: Browser;
let sample: Sample;
let manualPath: string;

beforeAll(async () => {
  const pages = Object.entries(manual(pageCount, "first")).map(([address, html]) => [address, gate.behind(html)]);
  [product, site, browser] = await Promise.all([shareProduct(), startSite(Object.fromEntries(pages)), launchBrowser()]);
  sample = await prepareSample(product.rest, stop.signal);
  const id = await register(product, site.url, "The manual");
  manualPath = `/objects/${id}`;
  await crawl(product, id);
  await stage.open(browser, product.address);
});
afterAll(async () => {
  stop.abort();
  gate.open();
  await browser.close();
  await product.stop();
  await site.close();
});

/** Stops the page's clock, which may already be ahead of the test's. */
const pauseClock = async () => stage.page.clock.pauseAt((await stage.page.evaluate(() => Date.now())) + 60_000);
const samplePath = () => `/objects/${sample.objectId}`;
const question = () => stage.page.getByRole("dialog");
const errorToast = (text: string | RegExp) => stage.page.getByRole("alert").filter({ hasText: text });

describe("§4 states and transitions", () => {
  test("the instance list loads 20 at a time, 200 px ahead, and begins again for another object", async () => {
    const asked: string[] = [];
    stage.page.on("request", (request) => {
      const url = new URL(request.url());
      if (url.pathname.endsWith("/testinstances") && url.searchParams.get("limit") === "20")
        asked.push(
          `${url.pathname.split("/")[3] === sample.objectId ? "sample" : "manual"} ${url.searchParams.get("offset") ?? "0"}`,
        );
    });
    await stage.page.goto(manualPath);
    await expectSeen(rows());
    await until("the first part to be asked for", () => asked.length > 0);
    expect(asked).toEqual(["manual 0"]);
    await stage.page.mouse.move(400, 600);
    await until("the end of the list", async () => {
      await stage.page.mouse.wheel(0, 400);
      return (await said(`All ${pageCount} instances shown`).count()) === 1;
    });
    // the events of the network may come a little after what the page shows
    await until("both parts to be asked for", () => asked.length > 1);
    expect(asked).toEqual(["manual 0", "manual 20"]);
    await stage.page.goto(samplePath());
    await expectSeen(rows());
    await until("the other object's part to be asked for", () => asked.length > 2);
    expect(asked).toEqual(["manual 0", "manual 20", "sample 0"]);
  });
});

describe("what a screen shows first", () => {
  /** Lists the API requests that a page makes while it opens, and whether each came before the application itself was loaded. */
  async function asked(address: string, watched: readonly string[]) {
    const context = await browser.newContext({ baseURL: product.address });
    await context.addInitScript(() => {
      const { fetch } = globalThis;
      globalThis.fetch = async (...request) => {
        performance.mark(new URL(String(request[0]), location.href).pathname);
        return fetch(...request);
      };
    });
    const page = await context.newPage();
    await page.goto(address);
    await page.waitForLoadState("networkidle");
    const marks = await page.evaluate(() => ({
      asked: performance.getEntriesByType("mark").map(({ name, startTime }) => ({ name, startTime })),
      left: (globalThis as { earlyAnswers?: Map<string, unknown> }).earlyAnswers?.size,
      interactive: performance.getEntriesByType("navigation").map((entry) => entry.toJSON().domInteractive)[0],
    }));
    await context.close();
    expect(marks.left).toBe(0);
    return watched.map((call) => {
      const times = marks.asked.filter(({ name }) => name === call);
      return [call, times.length, times.every(({ startTime }) => startTime < marks.interactive)];
    });
  }

  test("is asked for once, before the application has been read", async () => {
    const home = ["/api/testobjects", "/api/stats"];
    expect(await asked("/", home)).toEqual(home.map((call) => [call, 1, true]));
    const object = `/api/testobjects/${sample.objectId}`;
    expect(await asked(samplePath(), [object])).toEqual([[object, 1, true]]);
  });
});

describe("§4 what runs", () => {
  const withinRuns = () => runs().getByRole("progressbar");
  /** Opens a page and waits until everything on it has ended. */
  async function openCalm(address: string) {
    await stage.page.goto(address);
    await expectSeen(rows());
    await until("nothing runs", async () => (await withinRuns().count()) === 0);
  }

  test.each([
    [
      "a chosen instance",
      async () => {
        await stage.page.getByRole("combobox", { name: "Instance", exact: true }).click();
        await stage.page.getByRole("option").first().click();
        await button("Fetch").click();
      },
    ],
    ["the root page", () => button("Create / Fetch").click()],
  ])(
    "the indicator of a single snapshot (%s) goes out after 30 s without news, and its end is told all the same",
    async (_name, start) => {
      const { page } = stage;
      await openCalm(manualPath);
      gate.holdAfter(0);
      try {
        await page.clock.install();
        await start();
        await until("the indicator", async () => (await withinRuns().count()) === 1);
        await until("the request is held", () => gate.held() > 0);
        await page.clock.fastForward(limits.singleSnapshotTimeoutMs - 20_000);
        expect(await withinRuns().count()).toBe(1);
        await page.clock.fastForward(21_000);
        await expectGone(withinRuns());
      } finally {
        await page.clock.resume();
        gate.open();
      }
      await expectSeen(toast("Snapshot fetched successfully"));
      expect(await withinRuns().count()).toBe(0);
    },
  );

  test("while a deletion runs, nothing else can be started or deleted", async () => {
    const starters = [
      "Crawl",
      "Crawl Sitemaps",
      "Fetch",
      "Fetch All",
      "Create / Fetch",
      "Delete Snapshots",
      "Delete Instances",
    ];
    const enabled = async () => {
      const states = await Promise.all(starters.map(async (name) => [name, await button(name).isEnabled()] as const));
      return states.filter(([, is]) => is).map(([name]) => name);
    };
    await fetchAll(product, manualPath.split("/")[2] ?? "");
    await openCalm(manualPath);
    await stage.page.getByLabel("Sitemap 1", { exact: true }).fill(`${site.url}map.xml`);
    expect(await enabled()).toEqual(starters);

    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    let locked = () => {};
    const isLocked = new Promise<void>((resolve) => (locked = resolve));
    // these snapshots cannot be deleted until this transaction ends; they can still be read
    const hold = product.db.transaction(async (tx) => {
      await tx.query("SELECT 1 FROM test_snapshot FOR UPDATE");
      locked();
      await held;
    });
    try {
      await isLocked;
      await button("Delete Snapshots").click();
      await question().getByRole("button", { name: "Delete snapshots" }).click();
      await until("its bar", async () => (await withinRuns().count()) === 1);
      await until("all are disabled", async () => (await enabled()).length === 0);
      expect(
        await rows()
          .first()
          .getByRole("button", { name: /^Delete / })
          .isDisabled(),
      ).toBe(true);
      await stage.page.reload();
      await expectSeen(rows());
      expect(await enabled()).toEqual([]);
    } finally {
      release();
      await hold;
    }
    await expectSeen(toast(/^Success\s*Deleted \d+ snapshot\(s\)\.$/));
    await until(
      "all can be used again",
      async () => (await button("Crawl").isEnabled()) && (await button("Fetch").isEnabled()),
    );
  });
});

describe("§5 and §9 rules", () => {
  test("a toast stands at the bottom right for 5 s and leaves within 300 ms; the same one is not repeated", async () => {
    const { page } = stage;
    await page.goto(samplePath());
    await expectSeen(rows());
    const words = "Please select an instance to fetch.";
    await pauseClock();
    await button("Fetch").click();
    await page.clock.runFor(400);
    const shown = said(words);
    await expectSeen(shown);
    await button("Fetch").click();
    await page.clock.runFor(400);
    expect(await shown.count()).toBe(1);
    const box = await shown.boundingBox();
    expect([box !== null && box.x > 1280 / 2, box !== null && box.y > 900 / 2]).toEqual([true, true]);
    await page.clock.runFor(3_800);
    expect(await shown.count()).toBe(1);
    await page.clock.runFor(1_000);
    await expectGone(shown);
    await page.clock.resume();
  });

  test("leaving takes a toast 300 ms", async () => {
    const { page } = stage;
    await page.goto(samplePath());
    await expectSeen(rows());
    await pauseClock();
    await button("Fetch").click();
    await page.clock.runFor(1_000);
    const shown = said("Please select an instance to fetch.");
    await expectSeen(shown);
    // with reduced motion the toast would disappear at once
    await page.emulateMedia({ reducedMotion: "no-preference" });
    await button("Close: Please select an instance to fetch.").click();
    await page.clock.runFor(limits.toastExitMs - 20);
    expect(await shown.count()).toBe(1);
    await page.clock.runFor(40);
    expect(await shown.count()).toBe(0);
    await page.emulateMedia({ reducedMotion: "reduce" });
    await page.clock.resume();
  });

  test("a bulk diff of more than 100 pages warns, one of 100 does not", async () => {
    const { page } = stage;
    const large = await startSite(manual(101, "first"));
    try {
      const id = await register(product, large.url, "A larger manual");
      await crawl(product, id);
      await fetchAll(product, id);
      for (const [address, html] of Object.entries(manual(101, "second")))
        if (address !== "/") large.pages.set(address, html);
      await fetchAll(product, id);
      const address = `/diff/bulk?bulk=${id}&idx1=1&idx2=0`;
      await page.goto(address);
      await expectSeen(page.getByRole("article"));
      expect(await said(/^This bulk diff has/).count()).toBe(0);
      large.pages.set("/", (manual(101, "third")["/"] ?? "") + "<p>third");
      await runEnded(product, await startFetch(product, id));
      await page.goto(address.replace("idx1=1", "idx1=2"));
      await expectSeen(page.getByRole("article"));
      await expectSeen(said("This bulk diff has 101 pages"));
    } finally {
      await large.close();
    }
  });

  test("snapshots are deleted after a question, instances stay", async () => {
    await stage.page.goto(samplePath());
    await button("Delete Snapshots").click();
    await expectSeen(
      question().getByText(
        'Are you sure you want to delete all snapshots of "Sample site"? Instances are kept. This cannot be undone.',
      ),
    );
    await stage.page.route("**/delete-snapshots", (route) => route.abort());
    await question().getByRole("button", { name: "Delete snapshots" }).click();
    await expectSeen(toast("Starting snapshot-only deletion..."));
    await stage.page.unroute("**/delete-snapshots");
  });

  test("sitemap entries are trimmed and empty ones are dropped", async () => {
    const { page } = stage;
    await page.goto(samplePath());
    await page.getByLabel("Sitemap 1", { exact: true }).fill(`  ${site.url}map.xml  `);
    await button("Add Sitemap").click();
    await button("Add Sitemap").click();
    await page.getByLabel("Sitemap 3", { exact: true }).fill("   ");
    const sent = page.waitForRequest((request) => request.method() === "PATCH");
    await button("Crawl Sitemaps").click();
    expect((await sent).postDataJSON()).toEqual({ sitemaps: [`${site.url}map.xml`] });
    await expectSeen(toast("Starting sitemap crawl..."));
  });
});

describe("§8 messages of failure", () => {
  const confirmed = (name: string) => async () => {
    await button(name).click();
    await question()
      .getByRole("button", { name: new RegExp(`^${name}$`, "i") })
      .click();
  };
  const onObject: [string, string, () => Promise<void>][] = [
    ["Failed to start crawl", "**/crawl", () => button("Crawl").click()],
    ["Failed to start sitemap crawl", "**/run-sitemaps", () => button("Crawl Sitemaps").click()],
    ["Failed to start snapshot deletion", "**/delete-snapshots", confirmed("Delete Snapshots")],
    ["Failed to start deletion", "**/delete-all", confirmed("Delete Instances")],
    ["Failed to create snapshot: ", "**/snapshot-one", () => button("Create / Fetch").click()],
    [
      "Failed to save directory protection",
      "**/api/testobjects/*",
      async () => {
        await stage.page.getByRole("button", { name: /^Options/ }).click();
        await stage.page.getByLabel("Exclude URL patterns").fill("/x");
        await button("Save").click();
      },
    ],
    [
      "Failed to delete instance",
      "**/api/testinstances/*",
      async () => {
        await rows().getByRole("button", { name: "Delete About us" }).click();
        await question().getByRole("button", { name: "Delete instance" }).click();
      },
    ],
    [
      "Failed to delete test object",
      "**/api/testobjects/*",
      async () => {
        await button("More").click();
        await stage.page.getByRole("menuitem", { name: "Delete object" }).click();
        await question().getByRole("button", { name: "Delete object" }).click();
      },
    ],
  ];

  test.each(onObject)("%s", async (words, call, act) => {
    await stage.page.goto(samplePath());
    await expectSeen(rows());
    await until("nothing runs", async () => (await runs().getByRole("progressbar").count()) === 0);
    const json = { status: 507, code: "store_full", message: "The disk is full" };
    await stage.page.route(call, (route) =>
      route.request().method() === "GET" ? route.continue() : route.fulfill({ status: 507, json }),
    );
    await act();
    await expectSeen(errorToast(words).filter({ hasText: "The disk is full" }));
    await expectGone(runs().getByRole("progressbar"));
    await stage.page.unroute(call);
    expect(path()).toBe(samplePath());
  });

  test.each([
    ["Failed to load instance", "**/api/testinstances/*", () => `/instances/${sample.instanceId}`],
    ["Failed to load snapshot", "**/api/testsnapshots/*", () => `/snapshots/${sample.newer}`],
    [/^Error loading diff: .+/, "**/api/diff/hunks*", () => `/diff?a=${sample.older}&b=${sample.newer}`],
  ])("%s, with a way to try again", async (words, call, address) => {
    await stage.page.route(call, (route) => route.abort());
    await stage.page.goto(address());
    await expectSeen(said(words));
    await stage.page.unroute(call);
    await button("Try again").click();
    await expectGone(said(words));
  });

  test("Failed to load assets", async () => {
    await stage.page.goto(`/snapshots/${sample.newer}`);
    await stage.page.route("**/*_action=assets*", (route) => route.abort());
    await stage.page.getByRole("button", { name: /^Assets/ }).click();
    await expectSeen(said("Failed to load assets"));
    await stage.page.unroute("**/*_action=assets*");
  });

  test("a failed creation of a snapshot says so on the instance's page", async () => {
    await stage.page.goto(`/instances/${sample.instanceId}`);
    await stage.page.route("**/api/testsnapshots", (route) => route.abort());
    await button("New Snapshot").click();
    await expectSeen(errorToast(/^Error\s*Failed to create snapshot: .+/));
    await stage.page.unroute("**/api/testsnapshots");
  });
});
