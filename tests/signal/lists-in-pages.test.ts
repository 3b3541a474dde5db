import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { launchBrowser } from "../support/browser.js";
import { crawl, fetchAll, register } from "../support/job.js";
import type { Product } from "../support/product.js";
import { shareProduct } from "../support/shared-product.js";
import { startSite, type Site } from "../support/site.js";
import { until } from "../support/until.js";

/** News push older ones on to the next page of their list: that is one kind of change, whatever their number. */
let product: Product;
let site: Site;

const words: Record<string, string> = {
  ...{ a: "Anchors are heavy", b: "Bells ring at noon", c: "Candles for the tower", d: "Doors of the old town" },
  ...{ e: "Eels in the harbour", f: "Fog for three days", g: "Gulls above the roofs", h: "Halls are open again" },
  ...{ x: "Xylophones in the park", y: "Yachts come home" },
};
const entry = (name: string, list: number) =>
  `<article data-list="${"first second third".split(" ")[list]}" id="entry-of-the-list-of-all-news" class="entry post-${name} type-story status-published format-standard"><header class="entry-header with-a-line-below"><h2><a href="/story/${name}">${words[name]}</a></h2></header><p>What is to be said: ${words[name]}.</p><footer><span>More</span></footer></article>`;
const menu = (stories: string) =>
  `<aside><ul>${[...stories].map((name) => `<li><a href="/story/${name}">Read today: ${words[name]}</a></li>`).join("")}</ul></aside>`;
const box = `<div class="box"><p>Tickets for the ferry are sold <a href="/tickets">at the pier</a>, all day.</p></div>`;
const pageOf = (title: string, body: string, stories: string) =>
  `<!doctype html><title>${title}</title>${menu(stories)}<main>${body}</main>`;

const at = (
  lists: readonly [string, string, string],
  stories: string,
  [inOne, inOther]: readonly [string, string],
) => ({
  ...Object.fromEntries(
    ["/news/", "/news/page/2/", "/news/page/3/"].map((path, index) => [
      path,
      pageOf(path, [...(lists[index] ?? "")].map((name) => entry(name, index)).join(""), stories),
    ]),
  ),
  "/ferry": pageOf("Ferry", `<p>Ships leave at nine.</p>${inOne}`, stories),
  "/pier": pageOf("Pier", `<p>Built a hundred years ago.</p>${inOther}`, stories),
  "/story/x": pageOf("Story", "<p>They play on Sunday.</p>", stories),
});
const before = at(["abc", "def", "gh"], "a", [box, ""]);
const after = at(["xya", "bcd", "efg"], "ax", ["", box]);
const paths = Object.keys(before);

beforeAll(async () => {
  const home = paths.map((path) => `<a href="${path}">${path}</a>`).join(" ");
  [product, site] = await Promise.all([shareProduct(), startSite({ "/": home, ...before })]);
});
afterAll(async () => {
  await product.stop();
  await site.close();
});

const groupsOf = async (id: string) => {
  const { items } = await product.rest.call("listRuns", { params: { id }, query: { kind: "snapshot-all", limit: 1 } });
  const runId = items[0]?.id ?? "";
  return { runId, groups: (await product.rest.call("getReview", { params: { id: runId }, query: {} })).groups };
};

test("entries that moved to the next page are one kind; new ones, those that left, and a box on another page are not", async () => {
  const id = await register(product, site.url, "News");
  await crawl(product, id);
  await fetchAll(product, id);
  const { url } = await product.rest.call("createFeed", { body: { testobject_id: id } });
  for (const [path, html] of Object.entries(after)) site.pages.set(path, html);
  await fetchAll(product, id);
  const told = async () => (await fetch(`${product.address}${new URL(url).pathname}`)).text();
  await until("the feed tells of the changes", async () => (await told()).includes("/news/"));
  expect(await told()).toMatch(/\(entries that moved to another page of their list, with the same text; one of them\)/);

  expect(await told()).toMatch(/\+ Xylophones in the park What is to be said: Xylophones in the park\./);

  const { runId, groups } = await groupsOf(id);
  const kindsWith = (text: string) =>
    groups
      .filter(({ kind, removed, added }) => kind === "content" && `${removed}${added}`.includes(text))
      .map(({ removed, added, pages }) => ({ pages, sign: removed === "" ? "+" : added === "" ? "-" : "±" }))
      .toSorted((one, other) => one.sign.localeCompare(other.sign));
  const repaged = groups.filter(({ kind }) => kind === "repaged");
  expect(repaged.map(({ pages, removed }) => ({ pages, removed }))).toEqual([{ pages: 3, removed: "" }]);
  expect(kindsWith("What is to be said: Bells")).toEqual([]);
  expect(kindsWith("What is to be said: Xylo")).toEqual([{ pages: 1, sign: "+" }]);
  expect(kindsWith("What is to be said: Halls")).toEqual([{ pages: 1, sign: "-" }]);
  expect(kindsWith("Tickets").map(({ sign }) => sign)).toEqual(["-", "+"]);
  // the link to the new story is one change, on the story's own page as well
  expect(kindsWith("Read today: Xylo")).toEqual([{ pages: 6, sign: "+" }]);
  expect(groups).toHaveLength(6);

  await seesItWithoutRule(runId);
  await product.rest.call("createRule", { params: { id }, body: { kind: "text", pattern: "built a thousand" } });
  await until("the rule was applied to all changes", async () => {
    const { items } = await product.rest.call("listRuns", { params: { id }, query: { kind: "rules" } });
    return items[0]?.state === "finished";
  });
  expect((await groupsOf(id)).groups.map(({ kind, pages }) => [kind, pages])).toEqual(
    groups.map(({ kind, pages }) => [kind, pages]),
  );
}, 60_000);

/** Checks how a review shows them: a rule would hide the next news too, so none is offered. */
async function seesItWithoutRule(runId: string): Promise<void> {
  const browser = await launchBrowser();
  try {
    const page = await browser.newPage();
    await page.goto(`${product.address}/runs/${runId}/review`);
    const row = page.getByRole("listitem").filter({ hasText: /Entries that moved to another page of their list/ });
    await row.getByRole("button", { name: "Accept" }).waitFor();
    expect(await row.getByRole("link", { name: "Ignore always…" }).count()).toBe(0);
    // the words of an entry are not hidden behind its tags
    await page.getByText("Xylophones in the park What is to be said: Xylophones in the park.").waitFor();
    expect(await page.getByRole("link", { name: "Ignore always…" }).count()).toBeGreaterThan(0);
  } finally {
    await browser.close();
  }
}
