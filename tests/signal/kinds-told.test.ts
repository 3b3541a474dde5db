import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { launchBrowser } from "../support/browser.js";
import { crawl, fetchAll, register } from "../support/job.js";
import type { Product } from "../support/product.js";
import { shareProduct } from "../support/shared-product.js";
import { startSite, type Site } from "../support/site.js";
import { until } from "../support/until.js";

/** A review tells parts that moved, and pages with so many changes that they are not told apart, from other changes. */
let product: Product;
let site: Site;

const rows = (count: number, words: (row: number) => string) =>
  Array.from({ length: count }, (_, row) => `<p>${words(row)}</p><hr>`).join("\n");
const limits = "<h2>Limits</h2><p>A name has up to eighty characters.</p>";
const same = rows(4, (row) => `Paragraph ${row}`);
const before = {
  "/": '<a href="/moved">m</a><a href="/few">f</a><a href="/many">n</a>',
  "/moved": `${limits}${same}`,
  "/few": rows(40, (row) => `Old row ${"x".repeat(row)}`),
  "/many": rows(60, (row) => `Former row ${"x".repeat(row)}`),
};
const after = {
  "/moved": `${same}${limits}`,
  "/few": rows(40, (row) => `New row ${"x".repeat(row)}`),
  "/many": rows(60, (row) => `Present row ${"x".repeat(row)}`),
};

beforeAll(async () => {
  [product, site] = await Promise.all([shareProduct(), startSite(before)]);
});
afterAll(async () => {
  await product.stop();
  await site.close();
});

/** Returns the words of the links of a review that lead to rules. */
async function rulesOffered(runId: string): Promise<string[]> {
  const browser = await launchBrowser();
  try {
    const page = await browser.newPage();
    await page.goto(`${product.address}/runs/${runId}/review`);
    await page.getByRole("list", { name: "Kinds of change" }).getByRole("button", { name: "Accept" }).first().waitFor();
    return await page.getByRole("link", { name: /^(?:Ignore always…|Find noise)$/ }).allTextContents();
  } finally {
    await browser.close();
  }
}

/** Opens a comparison, and checks whether it says that its snapshots were loaded in different ways. */
async function seesNotice(path: string, isExpected: boolean): Promise<void> {
  const browser = await launchBrowser();
  try {
    const page = await browser.newPage();
    await page.goto(product.address + path);
    await page
      .getByText(/^Snapshot \d+$/)
      .first()
      .waitFor();
    const notice = page.getByText(/was loaded over HTTP, snapshot \d+ in the browser/);
    if (isExpected) await notice.waitFor();
    expect(await notice.count()).toBe(isExpected ? 1 : 0);
  } finally {
    await browser.close();
  }
}

test("pages that are loaded in the browser now, and were over HTTP before, have one kind of change together", async () => {
  const drawn = (words: string) =>
    `<title>${words}</title><h1>${words}</h1><script>document.body.append(${JSON.stringify(words)}, document.createElement("hr"), "drawn")</script>`;
  const names = ["one", "two", "three", "four"];
  const links = names.map((name) => `<a href="/${name}">${name}</a>`).join("");
  const pages = Object.fromEntries(names.map((name) => [`/${name}`, drawn(name)]));
  const scripted = await startSite({ "/": drawn("home") + links, ...pages });
  try {
    const id = await register(product, scripted.url, "Another way");
    await product.rest.call("updateTestObject", { params: { id }, body: { fetch_mode: "http" } });
    await crawl(product, id);
    await fetchAll(product, id);
    await product.rest.call("updateTestObject", { params: { id }, body: { fetch_mode: "browser" } });
    await fetchAll(product, id);
    const newest = async () => {
      const { items } = await product.rest.call("listRuns", { params: { id }, query: { kind: "snapshot-all" } });
      return items[0]?.id ?? "";
    };
    const groupsOf = async () =>
      (await product.rest.call("getReview", { params: { id: await newest() }, query: {} })).groups;
    const [group] = await groupsOf();
    expect([group?.kind, group?.pages]).toEqual(["mode", 5]);
    expect(await rulesOffered(await newest())).toEqual([]);
    await seesNotice(`/diff?a=${group?.sample.compared_with}&b=${group?.sample.snapshot_id}`, true);
    // loaded in the same way, an edit is an edit again
    scripted.pages.set("/one", drawn("uno"));
    await fetchAll(product, id);
    const [edit] = await groupsOf();
    expect(new Set((await groupsOf()).map(({ kind }) => kind))).toEqual(new Set(["content"]));
    await seesNotice(`/diff?a=${edit?.sample.compared_with}&b=${edit?.sample.snapshot_id}`, false);
    expect(await rulesOffered(await newest())).toContain("Ignore always…");
  } finally {
    await scripted.close();
  }
}, 60_000);

test("in the review of a fetch, and in what is told of it", async () => {
  const id = await register(product, site.url, "Kinds");
  await crawl(product, id);
  await fetchAll(product, id);
  const { url } = await product.rest.call("createFeed", { body: { testobject_id: id } });
  for (const [path, html] of Object.entries(after)) site.pages.set(path, html);
  await fetchAll(product, id);
  const { items } = await product.rest.call("listRuns", { params: { id }, query: { kind: "snapshot-all" } });
  const { groups } = await product.rest.call("getReview", { params: { id: items[0]?.id ?? "" }, query: {} });
  const kindsOf = (path: string) =>
    groups.filter(({ sample }) => new URL(sample.instance.url).pathname === path).map(({ kind }) => kind);
  expect(kindsOf("/moved")).toEqual(["moved"]);
  expect(kindsOf("/many")).toEqual(["rewritten"]);
  // fewer changes are told apart, or are one kind because they are equal
  expect(kindsOf("/few").length).toBeGreaterThan(0);
  expect(new Set(kindsOf("/few"))).toEqual(new Set(["content"]));

  const browser = await launchBrowser();
  try {
    const page = await browser.newPage();
    await page.goto(`${product.address}/runs/${items[0]?.id}/review`);
    const kinds = page.getByRole("list", { name: "Kinds of change" });
    await kinds.getByText("Moved, with the same content").waitFor();
    await kinds.getByText(/^Rewritten: more than 50 changes on each page/).waitFor();
    expect(await page.getByText("Files and headers").count()).toBe(0);
  } finally {
    await browser.close();
  }

  const told = async () => (await fetch(`${product.address}${new URL(url).pathname}`)).text();
  await until("the feed tells of the changes", async () => (await told()).includes("/moved"));
  expect(await told()).toMatch(/such as \/moved \(moved, with the same content\)/);
  expect(await told()).toMatch(/such as \/many \(rewritten: more than 50 changes on each page/);
  expect(await told()).not.toMatch(/such as \/few \(/);
});
