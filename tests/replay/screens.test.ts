import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { Browser, FrameLocator, Locator } from "playwright-core";
import { file, png } from "../support/asset-site.js";
import { launchBrowser } from "../support/browser.js";
import { fetchAll, register } from "../support/job.js";
import { startProduct, type Product } from "../support/product.js";
import { startSite, type Site } from "../support/site.js";
import { createStage, expectGone, expectSeen } from "../support/stage.js";
import { until } from "../support/until.js";

/** Stored pages and their files on the screens, in a real Chromium: specification §2, `/instances/{id}` to `/snapshots/{id}/render`. */
const stage = createStage();
const { scene, said, button, path, query } = stage;
let product: Product;
let site: Site;
let browser: Browser;
/** A test object that keeps files, one that does not, and one whose page needs none. */
const shop = { object: "", instance: "", snapshot: "" };
const plain = { object: "", instance: "", snapshot: "" };
const bare = { object: "", instance: "", snapshot: "" };

const nobody = "00000000-0000-7000-8000-000000000000";
const home = `<!doctype html><title>The shop</title><link rel="stylesheet" href="/main.css"><h1>Wares</h1><img id="ware" src="/ware.png"><img src="/gone.png"><script>document.body.append("a script ran")</script>`;

beforeAll(async () => {
  // no browser can be found: pages that are fetched over HTTP do not need one
  [product, site, browser] = await Promise.all([
    startProduct({ CHROMIUM_PATH: "/nonexistent" }),
    startSite({ "/": home, "/bare/": "<!doctype html><title>Bare</title><p>Only words" }),
    launchBrowser(),
  ]);
  site.pages.set("/main.css", file("text/css", "h1 { color: rgb(1, 2, 3) }"));
  site.pages.set("/ware.png", file("image/png", png(8, 8, 0x336699)));
  for (const [known, name, address] of [
    [shop, "The shop", site.url],
    [plain, "Plain shop", site.url],
    [bare, "Bare words", `${site.url}bare/`],
  ] as const) {
    known.object = await register(product, address, name);
    const body = { fetch_mode: "http" as const, asset_snapshots: known !== plain };
    await product.rest.call("updateTestObject", { params: { id: known.object }, body });
    await product.db.query(`INSERT INTO test_instance (test_object_id, url, name) VALUES ($1, $2, $3)`, [
      known.object,
      address,
      `Front page of ${name}`,
    ]);
    await fetchAll(product, known.object);
    const [row] = await product.db.query<{ id: string; instance: string }>(
      `SELECT s.id, i.id AS instance FROM test_snapshot s JOIN test_instance i ON i.id = s.test_instance_id WHERE i.test_object_id = $1`,
      [known.object],
    );
    if (row === undefined) throw new Error(`${name} has no snapshot`);
    known.instance = row.instance;
    known.snapshot = row.id;
  }
  await stage.open(browser, product.address);
});
afterAll(async () => {
  await browser?.close();
  await product?.stop();
  await site?.close();
});

const preview = (): FrameLocator => stage.page.frameLocator("iframe");
const card = (): Locator => stage.page.getByRole("article", { name: "Snapshot 1" });
const part = (name: string) => card().getByRole("button", { name: new RegExp(`^${name}`) });
/** Tells whether the page is no wider than the window. */
const fits = () => stage.page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth);

async function onEveryScreen(look: () => Promise<void>): Promise<void> {
  for (const [width, height] of [
    [390, 844],
    [1280, 900],
  ] as const) {
    await stage.page.setViewportSize({ width, height });
    for (const colorScheme of ["dark", "light"] as const) {
      await stage.page.emulateMedia({ colorScheme });
      await look();
      expect(await fits()).toBe(true);
    }
  }
}

describe("/instances/{id}", () => {
  test(
    "leads back to the test object, to its search and to each snapshot, which has its date",
    scene(async () => {
      await stage.page.goto(`/instances/${shop.instance}`);
      await expectSeen(card());
      const hrefs = await stage.page
        .getByRole("main")
        .getByRole("link")
        .evaluateAll((links) => links.map((link) => link.getAttribute("href")));
      expect(hrefs).toEqual(
        expect.arrayContaining([
          `/objects/${shop.object}`,
          `/objects/${shop.object}/search?instance=${shop.instance}`,
          `/snapshots/${shop.snapshot}`,
        ]),
      );
      expect(await card().innerText()).toMatch(/\b\d\d\.\d\d\.\d{4} \d\d:\d\d\b/);
      expect(await button("New Snapshot").count()).toBe(1);
      expect(await button("Delete Instance").count()).toBe(1);
      expect(await said("Previews are disabled").count()).toBe(0);
    }),
  );

  test(
    "the list of assets is hidden until it is asked for, and only then loaded",
    scene(async () => {
      const asked: string[] = [];
      stage.page.on("request", (request) => {
        if (request.url().includes("_action=assets")) asked.push(request.url());
      });
      await stage.page.reload();
      await expectSeen(part("Assets"));
      expect(await part("Assets").getAttribute("aria-expanded")).toBe("false");
      expect([asked, await said("ware.png").count()]).toEqual([[], 0]);
      await part("Assets").click();
      await expectSeen(card().getByRole("link", { name: "ware.png" }));
      expect(asked).toHaveLength(1);
      await expectSeen(card().getByText(/Missing: .*404 Not Found/));
      await onEveryScreen(() => expectSeen(card().getByRole("link", { name: "ware.png" })));
      await card().getByText("Missing 1").click();
      await expectGone(card().getByRole("link", { name: "ware.png" }));
      await part("Assets").click();
      await expectGone(card().getByText(/Missing: /));
    }),
  );

  test(
    "headers and HTML are text areas that can be edited, and the snapshot stays as it is",
    scene(async () => {
      await part("Headers").click();
      const headers = card().getByRole("textbox", { name: "Headers of snapshot 1" });
      expect(JSON.parse(await headers.inputValue())).toMatchObject({ "content-type": "text/html; charset=utf-8" });
      await headers.fill("{}");
      await expectSeen(card().getByText("Changed here only; the snapshot stays as it is"));
      await part("HTML").click();
      const html = card().getByRole("textbox", { name: "HTML of snapshot 1" });
      expect(await html.inputValue()).toBe(home);
      await html.fill(home.replace("Wares", "Edited wares"));
      await onEveryScreen(() => expectSeen(html));
      await part("Headers").click();
      expect(await headers.inputValue()).toBe("{}");
      await card().getByRole("button", { name: "Reset" }).click();
      expect(Object.keys(JSON.parse(await headers.inputValue()))).toContain("date");
      expect(await product.rest.call("getTestSnapshot", { params: { id: shop.snapshot } })).toMatchObject({
        html: home,
      });
    }),
  );

  test(
    "edited HTML is shown once by its key, as isolated as the stored page",
    scene(async () => {
      await part("HTML").click();
      await card().getByRole("button", { name: "Preview" }).click();
      await expectSeen(preview().getByRole("heading", { name: "Edited wares" }));
      await expectSeen(said("Edited text, not stored"));
      expect([path(), Object.keys(query())]).toEqual([`/snapshots/${shop.snapshot}/render`, ["previewKey"]]);
      expect(await colorOf(preview().getByRole("heading"))).toBe("rgb(1, 2, 3)");
      expect(await preview().getByText("a script ran").count()).toBe(0);
      expect(
        await stage.page.evaluate(() => Object.keys(sessionStorage).filter((key) => key.includes("preview"))),
      ).toEqual([]);
      await stage.page.reload();
      await expectSeen(preview().getByRole("heading", { name: "Wares", exact: true }));
      await expectSeen(said("The edited text was shown once; this is the stored page"));
    }),
  );

  test(
    "where files are not kept the card says that previews are disabled, and edited HTML cannot be previewed",
    scene(async () => {
      await stage.page.goto(`/instances/${plain.instance}`);
      await expectSeen(card().getByText("Previews are disabled for this test object."));
      await part("HTML").click();
      await expectSeen(card().getByRole("textbox", { name: "HTML of snapshot 1" }));
      expect(await card().getByRole("button", { name: "Preview" }).count()).toBe(0);
      await part("Assets").click();
      await expectSeen(said("No files are kept with the snapshots of this test object."));
      await onEveryScreen(() => expectSeen(card()));
    }),
  );

  test(
    "an instance that is not there",
    scene(async () => {
      await stage.page.goto(`/instances/${nobody}`);
      await expectSeen(said("Instance not found."));
    }, [`404 /api/testinstances/${nobody}`]),
  );
});

const colorOf = (locator: Locator) => locator.evaluate((element) => getComputedStyle(element).color);

describe("/snapshots/{id}", () => {
  test(
    "shows the id, HTML and headers to be read, and how the page was loaded",
    scene(async () => {
      await stage.page.goto(`/snapshots/${shop.snapshot}`);
      await expectSeen(said(shop.snapshot));
      await expectSeen(said("HTTP, as served"));
      const code = (name: string) => stage.page.getByRole("region", { name, exact: true });
      await expectSeen(code("HTML").getByText("The shop"));
      await expectSeen(code("Headers").getByText('"content-type": "text/html; charset=utf-8"'));
      // the only text field is the one to look for a text in earlier snapshots
      expect(await stage.page.getByRole("main").getByRole("textbox").count()).toBe(1);
      await expectSeen(stage.page.getByRole("main").getByRole("textbox", { name: "Text to look for" }));
    }),
  );

  test(
    "has a preview of 600 px with the stored files in place, and nothing of the page runs",
    scene(async () => {
      await onEveryScreen(async () => {
        await expectSeen(preview().getByRole("heading", { name: "Wares" }));
        expect((await stage.page.locator("iframe").boundingBox())?.height).toBeCloseTo(600, 1);
      });
      expect(await colorOf(preview().getByRole("heading"))).toBe("rgb(1, 2, 3)");
      const ware = preview().locator("#ware");
      await until("the picture", () =>
        ware.evaluate((image) => image instanceof HTMLImageElement && image.naturalWidth === 8),
      );
      expect(await ware.getAttribute("src")).toMatch(/^\/api\/assets\//);
      expect(await preview().getByText("a script ran").count()).toBe(0);
    }),
  );

  test(
    "lists the assets, each with its type and size or why it is missing",
    scene(async () => {
      await stage.page.getByRole("button", { name: /^Assets.*3 files, 1 missing/ }).click();
      await expectSeen(stage.page.getByRole("link", { name: "main.css" }));
      await expectSeen(said("Stylesheet, text/css"));
      await expectSeen(said(/Missing: .*404 Not Found/));
      await onEveryScreen(() => expectSeen(said("Stylesheet, text/css")));
    }),
  );

  test(
    "opens the whole page in a new tab",
    scene(async () => {
      const opening = stage.page.context().waitForEvent("page");
      await stage.page.getByRole("link", { name: "Open in new tab" }).click();
      const opened = await opening;
      await expectSeen(opened.frameLocator("iframe").getByRole("heading", { name: "Wares" }));
      expect(new URL(opened.url()).pathname).toBe(`/snapshots/${shop.snapshot}/render`);
      await opened.close();
    }),
  );

  test(
    "cannot be opened in a new tab where it has no assets",
    scene(async () => {
      await stage.page.goto(`/snapshots/${bare.snapshot}`);
      await expectSeen(preview().getByText("Only words"));
      expect(await button("Open in new tab").isDisabled()).toBe(true);
      await stage.page.getByRole("button", { name: /^Assets/ }).click();
      await expectSeen(said("The page needs no other files."));
    }),
  );

  test(
    "where files are not kept it hides the preview and leads to the test object",
    scene(async () => {
      await stage.page.goto(`/snapshots/${plain.snapshot}`);
      await expectSeen(said(/^Previews are disabled for this test object\./));
      expect(await stage.page.locator("iframe").count()).toBe(0);
      await stage.page
        .getByRole("main")
        .getByText(/^Previews are disabled/)
        .getByRole("link")
        .click();
      await expectSeen(stage.page.getByRole("heading", { name: "Plain shop", level: 1 }));
      expect(path()).toBe(`/objects/${plain.object}`);
    }),
  );

  test(
    "a snapshot that is not there",
    scene(async () => {
      await stage.page.goto(`/snapshots/${nobody}`);
      await expectSeen(said("Snapshot not found."));
    }, [`404 /api/testsnapshots/${nobody}`]),
  );
});

describe("/snapshots/{id}/render", () => {
  test(
    "fills the screen, and its Back link leads to the snapshot",
    scene(async () => {
      await stage.page.goto(`/snapshots/${shop.snapshot}/render`);
      await onEveryScreen(async () => {
        await expectSeen(preview().getByRole("heading", { name: "Wares" }));
        const box = await stage.page.locator("iframe").boundingBox();
        const { width, height } = stage.page.viewportSize() ?? { width: 0, height: 0 };
        expect(box?.width).toBe(width);
        expect(height - (box?.height ?? 0)).toBeLessThan(120);
      });
      await stage.page.getByRole("main").getByRole("link", { name: "Snapshot 1" }).click();
      await expectSeen(stage.page.getByRole("heading", { name: "Snapshot 1", level: 1 }));
      expect(path()).toBe(`/snapshots/${shop.snapshot}`);
    }),
  );

  test(
    "where files are not kept it says so",
    scene(async () => {
      await stage.page.goto(`/snapshots/${plain.snapshot}/render`);
      await expectSeen(stage.page.getByRole("heading", { name: "Previews are disabled" }));
      expect(await stage.page.locator("iframe").count()).toBe(0);
    }),
  );
});

describe("/objects/{id}", () => {
  test(
    "keeping assets and the way pages are loaded are options that are saved",
    scene(async () => {
      await stage.page.goto(`/objects/${plain.object}`);
      await stage.page.getByRole("button", { name: /^Options/ }).click();
      await stage.page.getByRole("button", { name: /^Files of pages/ }).click();
      const keep = stage.page.getByLabel("Keep assets");
      const mode = stage.page.getByRole("radiogroup", { name: "How pages are loaded" });
      expect(await keep.isChecked()).toBe(false);
      await stage.page.getByRole("button", { name: /^Load pages/ }).click();
      expect(await mode.getByLabel("HTTP").isChecked()).toBe(true);
      await keep.click();
      await mode.getByText("Auto").click();
      await expectSeen(said("As served, or in a browser if scripts build the page."));
      await button("Save").click();
      await expectSeen(stage.toast(/^Success ?Saved: /));
      expect(await product.rest.call("getTestObject", { params: { id: plain.object } })).toMatchObject({
        asset_snapshots: true,
        fetch_mode: "auto",
      });
    }),
  );

  test(
    "where no browser can be found, the page, the snapshot and /readyz say so",
    scene(async () => {
      const reason = /There is no browser: CHROMIUM_PATH names \/nonexistent/;
      const id = plain.object;
      await until("the notice", async () => {
        const object = await product.rest.call("getTestObject", { params: { id } });
        return !Array.isArray(object) && object.browser_problem !== null;
      });
      await stage.page.reload();
      await expectSeen(said("Pages built by scripts are stored only as served"));
      await expectSeen(said(reason));
      await product.rest.call("updateTestObject", { params: { id }, body: { fetch_mode: "browser" } });
      await stage.page.reload();
      await expectSeen(said("Pages of this test object cannot be fetched now"));
      expect(await fetchAll(product, id)).toMatchObject({ total: 1, failed: 1 });
      const { testsnapshots } = await product.rest.call("getTestInstance", { params: { id: plain.instance } });
      expect(testsnapshots[0]).toMatchObject({ state: "failed", error_code: "browser_unavailable" });
      expect(testsnapshots[0]?.error).toMatch(reason);
      const ready = await fetch(`${product.address}/readyz`);
      expect([ready.status, await ready.text()]).toEqual([200, expect.stringMatching(/degraded[^]*CHROMIUM_PATH/)]);
      // only the fetcher, which lacks the browser, reports that itself
      const own = async (service: string) => {
        const origin = product.stack.parts().find(({ name }) => name === service)?.origin ?? "no address";
        const answer = await fetch(`${origin}/readyz`);
        return { http: answer.status, ...((await answer.json()) as object) };
      };
      expect(await own("fetcher")).toEqual({
        http: 200,
        status: "ready",
        degraded: [{ name: "browser", reason: expect.stringMatching(reason) }],
      });
      expect(await own("crawler")).toEqual({ http: 200, status: "ready" });
      await stage.page.goto(`/instances/${plain.instance}`);
      await expectSeen(said(reason));
    }),
  );
});
