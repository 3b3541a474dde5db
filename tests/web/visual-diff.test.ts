import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { Browser } from "playwright-core";
import { file, png } from "../support/asset-site.js";
import { launchBrowser, openScreen, type Screen } from "../support/browser.js";
import { fetchAll, register } from "../support/job.js";
import type { Product } from "../support/product.js";
import { shareProduct } from "../support/shared-product.js";
import { type Site, startSite } from "../support/site.js";
import { until } from "../support/until.js";

/** Two snapshots compared as pages: drawn by the fetcher's browser, and with their words marked. */
const page = (
  sale: string,
  more: string,
): string => `<!doctype html><html><head><meta charset="utf-8"><title>Shop</title>
<link rel="stylesheet" href="/main.css"></head><body><header>${sale}</header><main><h1>Jackets</h1>
<img src="/one.png" width="200" height="100" alt=""><ul><li>Ridge Jacket<li>Fell Boot</ul>${more}
<script>document.querySelector("h1").textContent = "a script ran"</script></main></body></html>`;

let product: Product;
let site: Site;
let browser: Browser;
let screen: Screen;
let objectId: string;
let a: string;
let b: string;

beforeAll(async () => {
  [product, site, browser] = await Promise.all([shareProduct(), startSite({}), launchBrowser()]);
  site.pages.set("/", page("Free delivery", ""));
  site.pages.set(
    "/main.css",
    file(
      "text/css",
      "body { margin: 0 } header { background: #123; color: #fff; padding: 20px } main { padding: 20px; min-height: 100vh }",
    ),
  );
  site.pages.set("/one.png", file("image/png", png(200, 100, 0x336699)));
  objectId = await register(product, site.url, "The shop");
  // the mode auto would store what the script writes
  await product.rest.call("updateTestObject", { params: { id: objectId }, body: { fetch_mode: "http" } });
  await product.db.query(`INSERT INTO test_instance (test_object_id, url, name) VALUES ($1, $2, 'Jackets')`, [
    objectId,
    site.url,
  ]);
  await fetchAll(product, objectId);
  site.pages.set("/", page("Autumn sale", "<p>One more line</p>"));
  await fetchAll(product, objectId);
  const rows = await product.db.query<{ id: string }>(
    "SELECT s.id FROM test_snapshot s WHERE s.state = 'done' ORDER BY s.id",
  );
  [a, b] = [rows[0]?.id ?? "", rows[1]?.id ?? ""];
  screen = await openScreen(browser, product.address);
});
afterAll(async () => {
  await browser.close();
  await product.stop();
  await site.close();
});

describe("pictures", () => {
  test("differ where the pages do, and nowhere else; the second time nothing is drawn", async () => {
    const asked = site.requests.length;
    const compared = await product.rest.call("getVisualPictures", { query: { a, b } });
    if (compared.state !== "compared") throw new Error(compared.reason);
    expect(compared.a).toMatchObject({ width: 1280, height: compared.a.pageHeight });
    expect(compared.regions.length).toBeGreaterThanOrEqual(2);
    expect(compared.regions[0]?.y).toBeLessThan(60);
    expect(compared.differing).toBeGreaterThan(0);
    expect(compared.differing).toBeLessThan(compared.pixels / 20);
    expect(site.requests.length).toBe(asked);
    expect(await product.rest.call("getVisualPictures", { query: { a, b } })).toEqual(compared);
    // the open screen may have thumbnails drawn meanwhile, whose rows have no size
    const [{ count } = { count: 0 }] = await product.db.query<{ count: number }>(
      "SELECT count(*)::int AS count FROM visual_cache WHERE value ? 'pageHeight' OR value ? 'state'",
    );
    expect(count).toBe(3);
    const same = await product.rest.call("getVisualPictures", { query: { a, b: a } });
    expect(same).toMatchObject({ state: "compared", differing: 0, mask: null, regions: [] });
  });

  test("are drawn anew where the collector took them", async () => {
    const first = await product.rest.call("getVisualPictures", { query: { a, b } });
    if (first.state !== "compared") throw new Error(first.reason);
    await product.store.delete(Buffer.from(/[0-9a-f]{64}/.exec(first.b.address)?.[0] ?? "", "hex"));
    const again = await product.rest.call("getVisualPictures", { query: { a, b } });
    expect(again).toMatchObject({ state: "compared", differing: first.differing });
    const answer = await fetch(product.address + first.b.address);
    expect(answer.headers.get("content-type")).toBe("image/png");
    expect(answer.headers.get("content-security-policy")).toContain("sandbox");
  });

  test("other stored content is not served as one", async () => {
    const { html_sha256: hash } = (await product.rest.call("getTestSnapshot", { params: { id: a } })) as {
      html_sha256: string;
    };
    expect((await fetch(`${product.address}/api/pictures/${hash}.png`)).status).toBe(404);
  });
});

test("words that only one page has are marked in the page, which stays isolated", async () => {
  const { added, removed } = await product.rest.call("getVisualText", { query: { a, b } });
  expect([added, removed]).toEqual([5, 2]);
  const sides = await product.rest.call("getVisualDiff", { query: { a, b } });
  expect(sides.assets).toBe(true);
  const newer = await fetch(product.address + sides.b.marked);
  expect(newer.headers.get("content-security-policy")).toContain("sandbox");
  const html = await newer.text();
  expect(html).toMatch(/<wt-mark data-change="added"[^>]*>Autumn sale<\/wt-mark>/);
  expect(html).toMatch(/<wt-mark data-change="added"[^>]*>One more line<\/wt-mark>/);
  const older = await (await fetch(product.address + sides.a.marked)).text();
  expect(older).toMatch(/<wt-mark data-change="removed"[^>]*>Free delivery<\/wt-mark>/);
  expect(await (await fetch(product.address + sides.a.render)).text()).not.toContain("wt-mark");
});

describe("the screen", () => {
  test("shows both pages, outlines what differs, and steps through it", async () => {
    const { page: shown } = screen;
    await shown.goto(`/diff/visual?a=${a}&b=${b}`);
    await shown.getByText("of pixels differ").waitFor();
    expect(await shown.getByRole("img", { name: "as a browser draws it" }).count()).toBe(2);
    await shown.getByRole("button", { name: "Region 1", exact: true }).waitFor();
    await shown.keyboard.press("n");
    await until(
      "the second region",
      async () =>
        (await shown.getByRole("button", { name: "Region 2", exact: true }).getAttribute("aria-current")) === "true",
    );
    await screen.photograph("visual-side");
  });

  test("a click on a region offers the narrowest rules for what is drawn there", async () => {
    const { page: shown } = screen;
    const compared = await product.rest.call("getVisualPictures", { query: { a, b } });
    if (compared.state !== "compared") throw new Error(compared.reason);
    const [region] = compared.regions;
    const { items } = await product.rest.call("suggestRules", {
      params: { id: objectId },
      body: { a, b, ...(region === undefined ? {} : { region }) },
    });
    expect(items.map(({ title }) => title)).toContain("Element header");
    expect(items.every(({ title }) => !title.includes("ul"))).toBe(true);
    await expect(product.rest.call("suggestRules", { params: { id: objectId }, body: { a, b } })).rejects.toThrow(
      /line, or a region/,
    );
    await shown.getByRole("button", { name: "Region 1", exact: true }).click();
    const dialog = shown.getByRole("dialog", { name: "Ignore this change" });
    await dialog.getByRole("radio", { name: "Element header" }).waitFor();
    await screen.photograph("visual-ignore");
    await shown.keyboard.press("Escape");
    await until("the dialog to be closed", async () => (await dialog.count()) === 0);
    await shown.keyboard.press("i");
    await dialog.getByRole("radio", { name: "Element header" }).waitFor();
    await shown.keyboard.press("Escape");
    await until("the dialog to be closed", async () => (await dialog.count()) === 0);
  });

  test("stacked panes scroll together", async () => {
    const { page: shown } = screen;
    await shown.getByText("Stack", { exact: true }).click();
    expect(new URL(shown.url()).searchParams.get("layout")).toBe("stack");
    const [one, other] = ["A", "B"].map((side) => shown.getByRole("group", { name: `Page ${side}` }));
    if (one === undefined || other === undefined) throw new Error("no panes");
    const room = (pane: Element) => pane.scrollHeight - pane.clientHeight;
    // a pane whose picture is still loading cannot be scrolled
    await until("pictures taller than their panes", async () =>
      Math.min(await one.evaluate(room), await other.evaluate(room)) >= 120 ? true : undefined,
    );
    await one.evaluate((pane) => pane.scrollTo(0, 120));
    await until("the other pane", async () => (await other.evaluate((pane) => pane.scrollTop)) === 120);
    await screen.photograph("visual-stack");
  });

  test("a slider moves by keys", async () => {
    const { page: shown } = screen;
    await shown.getByText("Slider", { exact: true }).click();
    const edge = shown.getByRole("slider", { name: "Edge between A and B" });
    await edge.focus();
    await shown.keyboard.press("Shift+ArrowRight");
    await shown.keyboard.press("ArrowLeft");
    expect(await edge.getAttribute("aria-valuenow")).toBe("59");
    await screen.photograph("visual-slider");
  });

  test("by text, marked pages stand in frames that may do nothing", async () => {
    const { page: shown } = screen;
    await shown.goto(`/diff/visual?a=${a}&b=${b}&by=text`);
    const frame = shown.frameLocator("iframe[title*='(B)']");
    await frame.locator("wt-mark", { hasText: "Autumn sale" }).waitFor();
    expect(await frame.locator("h1").textContent()).toBe("Jackets");
    expect(await shown.locator("iframe").evaluateAll((all) => all.map((each) => each.getAttribute("sandbox")))).toEqual(
      ["", ""],
    );
    await screen.photograph("visual-text");
  });

  test("v goes to the text diff and back; missing ids are said", async () => {
    const { page: shown } = screen;
    await shown.keyboard.press("v");
    await shown.waitForURL(/\/diff\?a=/);
    await shown.getByRole("link", { name: "Visual diff" }).waitFor();
    await shown.keyboard.press("v");
    await shown.waitForURL(/\/diff\/visual\?a=/);
    await shown.goto("/diff/visual");
    await shown.getByText("Missing snapshot ids (use query params 'a' and 'b')").waitFor();
    await shown.getByRole("link", { name: "Back to the diff" }).click();
    await shown.waitForURL(/\/diff$/);
    expect(screen.problems).toEqual([]);
  });
});
