import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { pruneReports } from "@web-tester/gateway/runs/prune-reports";
import {
  answer,
  carriersKnown,
  type Discovery,
  htmlPage,
  pathOf,
  redirectTo,
  startDiscovery,
} from "../support/discovery.js";
import { createGate } from "../support/gate.js";
import { invariantFaults } from "../support/invariants.js";
import { reached, runEnded } from "../support/job.js";
import { slowly } from "../support/site.js";
import { until } from "../support/until.js";

/** What the reports of crawls contain, and how long their lists are kept. */
let discovery: Discovery;
beforeAll(async () => {
  discovery = await startDiscovery();
}, 240_000);
afterAll(() => discovery?.close());

/** A site whose root links all pages, each of which links a page that does not exist. */
const wideSite = (names: readonly string[]) => ({
  "/": htmlPage("Home", ...names),
  ...Object.fromEntries(names.map((name) => [name, htmlPage(name, "/gone")])),
});

describe("broken links", () => {
  async function carriers(runId: string, url: string) {
    const { product } = discovery;
    const found: string[] = [];
    let total = 0;
    for (let offset = 0; ; offset += 100) {
      const list = await product.rest.call("listCarriers", {
        params: { id: runId },
        query: { url, limit: 100, offset },
      });
      expect(list.known).toBe(true);
      total = list.total;
      found.push(...list.items.map((item) => pathOf(item.url)));
      if (!list.hasMore) break;
    }
    expect(found).toHaveLength(total);
    return found.toSorted();
  }

  test("are named with every page that carries them, before and after they were found to be broken", async () => {
    const count = 700;
    const names = Array.from({ length: count }, (_, number) => `/p${number}`);
    const { id, site } = await discovery.object({
      "/": htmlPage("Home", ...names, "/gone", "/moved"),
      ...Object.fromEntries(
        names.map((name, number) => [
          name,
          htmlPage(
            name,
            "/",
            "/gone",
            ...(number % 7 === 0 ? ["/error#part", "/error"] : []),
            names[number + 1] ?? "/late",
          ),
        ]),
      ),
      "/gone": answer(410),
      "/error": answer(403),
      "/late": htmlPage("Late", "/error", "/good"),
      "/good": htmlPage("Good"),
      "/moved": redirectTo("/arrived"),
      "/arrived": htmlPage("Arrived", "/gone"),
    });
    const { runId } = await discovery.crawl(id);
    await carriersKnown(discovery.product, runId);
    const { items } = await discovery.report(runId, { group: "failed" });
    const sevenths = names.filter((_, number) => number % 7 === 0);
    expect(items.map((item) => [pathOf(item.url), item.carriers])).toEqual([
      ["/error", sevenths.length + 1],
      ["/gone", count + 2],
    ]);
    const at = (path: string) => new URL(path, site.url).href;
    // a page that was reached by a redirect is listed by its own address
    expect(await carriers(runId, at("/gone"))).toEqual(["/", "/arrived", ...names].toSorted());
    expect(await carriers(runId, at("/error"))).toEqual(["/late", ...sevenths].toSorted());
    expect(await carriers(runId, at("/good"))).toEqual([]);
    const left = await discovery.product.db.query(`SELECT 1 FROM crawl_link WHERE run_id = $1`, [runId]);
    expect(left).toEqual([]);
  });

  test("a crawler that is killed before it has matched them loses none", async () => {
    const { product } = discovery;
    const names = Array.from({ length: 300 }, (_, number) => `/p${number}`);
    const { id, site } = await discovery.object(slowly(wideSite(names), 5));
    const { runId } = await product.rest.call("crawl", { params: { id } });
    await reached(product, runId, 150);
    process.kill(product.pidOf("crawler"), "SIGKILL");
    // simulates a kill at the last moment: the run has ended with its links noted, but they have not been matched
    await product.db.query(`UPDATE run SET links_settled = true WHERE id = $1`, [runId]);
    await runEnded(product, runId);
    expect(await product.db.query(`SELECT 1 FROM crawl_carrier WHERE run_id = $1`, [runId])).toEqual([]);
    await product.db.query(`UPDATE run SET links_settled = false WHERE id = $1`, [runId]);
    await carriersKnown(product, runId);
    expect(await carriers(runId, new URL("/gone", site.url).href)).toEqual(names.toSorted());
  });

  test("of an unknown run or address say so", async () => {
    const { id, site } = await discovery.object({ "/": htmlPage("Home") });
    const { runId } = await discovery.crawl(id);
    const { rest } = discovery.product;
    await expect(rest.call("listCarriers", { params: { id }, query: { url: site.url } })).rejects.toThrow("404");
    const none = await rest.call("listCarriers", { params: { id: runId }, query: { url: `${site.url}x` } });
    expect(none).toMatchObject({ total: 0, items: [], hasMore: false });
  });
});

describe("instances that are gone", () => {
  test("answer 404 or 410, or are linked no more; those that fail otherwise are not", async () => {
    const { id, site } = await discovery.object({
      "/": htmlPage("Home", "/a", "/b", "/c", "/d", "/e"),
      ...Object.fromEntries(["/a", "/b", "/c", "/d", "/e"].map((path) => [path, htmlPage(path)])),
    });
    await discovery.crawl(id);
    site.pages.set("/", htmlPage("Home", "/a", "/b", "/c", "/d"));
    site.pages.set("/a", answer(404));
    site.pages.set("/b", answer(410));
    site.pages.set("/c", answer(403));
    const { runId } = await discovery.crawl(id);
    expect(await discovery.paths(runId, "gone")).toEqual(["/a", "/b", "/e"]);
    await carriersKnown(discovery.product, runId);
    const { items } = await discovery.report(runId, { group: "gone" });
    expect(items.map((item) => item.carriers)).toEqual([1, 1, null]);
    expect(await discovery.paths(runId, "failed")).toEqual(["/a", "/b", "/c"]);
    // a crawl that did not visit all pages cannot tell which ones are no longer linked
    await discovery.set(id, { crawl_pages_max: 2 });
    const small = await discovery.crawl(id);
    expect(await discovery.paths(small.runId, "gone")).toEqual(["/a"]);
  });
});

describe("one crawl at a time", () => {
  test.each([
    ["crawl", "crawl", "Crawling the site"],
    ["runSitemaps", "sitemaps", "Reading the sitemaps"],
    ["snapshotAll", "snapshot-all", "Fetching all snapshots"],
  ] as const)("%s: the second is refused and told which is the first", async (call, kind, words) => {
    const { rest } = discovery.product;
    const urlset = (url: string) => `<urlset><url><loc>${url}</loc></url></urlset>`;
    const { id, site } = await discovery.object({ "/": htmlPage("Home") });
    await discovery.crawl(id);
    const held: (() => void)[] = [];
    site.pages.get = () => (_request, response) => {
      held.push(() => response.writeHead(200, { "content-type": "text/html" }).end(urlset(site.url)));
    };
    await discovery.set(id, { ignore_robots: true, sitemaps: [`${site.url}map.xml`] });
    const { runId } = await rest.call(call, { params: { id } });
    const refusal = await fetch(`${discovery.product.address}/api/testobjects/${id}/${paths[call]}`, {
      method: "POST",
    });
    expect(refusal.status).toBe(409);
    const body: unknown = await refusal.json();
    const [row] = await discovery.product.db.query<{ created_at: Date }>(`SELECT created_at FROM run WHERE id = $1`, [
      runId,
    ]);
    expect(body).toMatchObject({
      code: "conflict",
      message: expect.stringContaining(`${words} has been running since`),
      details: { runId, kind, startedAt: row?.created_at.toISOString(), completed: 0, total: 1 },
    });
    expect(body).toMatchObject({ message: expect.stringContaining(String(runId)) });
    await rest.call("cancelRun", { params: { id: String(runId) } });
    for (const release of held.splice(0)) release();
    const again = await rest.call(call, { params: { id } });
    await rest.call("cancelRun", { params: { id: String(again.runId) } });
    site.pages.get = () => "";
    for (const release of held.splice(0)) release();
  });
  const paths = { crawl: "crawl", runSitemaps: "run-sitemaps", snapshotAll: "snapshot-all" } as const;
});

describe("a crawl that is cancelled", () => {
  test("ends at once with what it has, and visits nothing more", async () => {
    const { product } = discovery;
    const names = Array.from({ length: 300 }, (_, number) => `/p${number}`);
    const { id, site } = await discovery.object(slowly(wideSite(names), 30));
    const { runId } = await product.rest.call("crawl", { params: { id } });
    await reached(product, runId, 40);
    const run = await product.rest.call("cancelRun", { params: { id: runId } });
    expect(run).toMatchObject({ state: "cancelled", completed: run.total });
    const visited = (await discovery.instances(id)).length;
    expect(visited).toBeGreaterThanOrEqual(40);
    expect(visited).toBeLessThan(301);
    const report = await discovery.report(runId);
    expect(report.ended).toBe("The crawl was stopped.");
    // the cancelled crawl does not delay the next one
    const next = await discovery.crawl(id);
    expect(next.run).toMatchObject({ state: "finished", found: 301 });
    expect((await discovery.instances(id)).length).toBe(301);
    expect(site.requests.filter((path) => path === "/p299")).toHaveLength(1);
  });
});

describe("old reports", () => {
  test("keep their counts when their lists are removed, however often that is interrupted", async () => {
    const { product } = discovery;
    const { id, site } = await discovery.object({
      "/": htmlPage("Home", "/a", "/gone", "http://elsewhere.example/"),
      "/a": htmlPage("A", "/gone"),
    });
    const first = await discovery.crawl(id);
    await carriersKnown(product, first.runId);
    const before = await discovery.report(first.runId, { group: "failed" });
    const runs = [first.runId];
    for (let number = 0; number < 5; number += 1) runs.push((await discovery.crawl(id)).runId);
    // aborted at once, then twice at the same time, then when nothing is left to remove
    await pruneReports(product.db, AbortSignal.abort());
    expect((await discovery.report(first.runId)).counts).toEqual(before.counts);
    const go = new AbortController().signal;
    await Promise.all([pruneReports(product.db, go), pruneReports(product.db, go)]);
    await pruneReports(product.db, go);
    const after = await discovery.report(first.runId, { group: "failed" });
    expect(after).toMatchObject({ counts: before.counts, ended: before.ended, lists: "removed", items: [] });
    expect(before).toMatchObject({ lists: "kept", counts: { failed: 1, found: 2, "out-of-scope": 1 } });
    const left = await product.db.query<{ run_id: string }>(
      `SELECT DISTINCT run_id FROM crawl_page JOIN run ON run.id = run_id WHERE test_object_id = $1
       UNION SELECT DISTINCT run_id FROM crawl_skip JOIN run ON run.id = run_id WHERE test_object_id = $1
       UNION SELECT DISTINCT run_id FROM crawl_carrier JOIN run ON run.id = run_id WHERE test_object_id = $1`,
      [id],
    );
    expect(left.map((row) => row.run_id).toSorted()).toEqual(runs.slice(1).toSorted());
    const list = await product.rest.call("listCarriers", {
      params: { id: first.runId },
      query: { url: `${site.url}gone` },
    });
    expect(list.items).toEqual([]);
    const newest = await discovery.report(runs.at(-1) ?? "", { group: "failed" });
    expect(newest).toMatchObject({ lists: "kept", items: [expect.objectContaining({ url: `${site.url}gone` })] });
  });
});

describe("links that are too long to be followed", () => {
  test("are counted and listed with where they are; reports kept before that was told are still shown", async () => {
    const { product } = discovery;
    const long = `/${"x".repeat(2_100)}`;
    const { id, site } = await discovery.object({
      "/": htmlPage("Home", "/a", long),
      "/a": htmlPage("A", long, `${long}?2`),
    });
    const { runId, run } = await discovery.crawl(id);
    expect(run).toMatchObject({ state: "finished", found: 2 });
    const { counts, items } = await discovery.report(runId, { group: "too-long" });
    expect(counts).toMatchObject({ found: 2, "too-long": 2, budget: 0 });
    expect(items.map(({ url }) => url.length)).toEqual([2_000, 2_000]);
    expect(new Set(items.map(({ found_on }) => found_on))).toEqual(new Set([site.url, `${site.url}a`]));
    const old = JSON.stringify({ counts: { ...counts, "too-long": undefined }, ended: null, complete: true });
    await product.db.query(`UPDATE run SET lists = 'removed', report = $2 WHERE id = $1`, [runId, old]);
    expect((await discovery.report(runId)).counts).toEqual({ ...counts, "too-long": 0 });
  });
});

describe("what a crawl meets again and again", () => {
  /** The most addresses that eight messages of one host hold; each holds a sixteenth of the addresses that one page adds. */
  const takenMost = 8 * 17;

  test("is told while it runs, and left out of it once a person says so", async () => {
    const { product } = discovery;
    const gate = createGate();
    const special = Array.from({ length: 240 }, (_, number) => `/index.php?title=Special:Log${number}`);
    const wanted = Array.from({ length: 20 }, (_, number) => `/page${number}`);
    const { id, site } = await discovery.object({
      "/": htmlPage("Home", ...special, ...wanted),
      ...Object.fromEntries(special.map((name) => [name, gate.behind(htmlPage(name))])),
      ...Object.fromEntries(wanted.map((name) => [name, gate.behind(htmlPage(name, "/index.php?title=Special:Late"))])),
    });
    gate.holdAfter(0);
    const { runId } = await product.rest.call("crawl", { params: { id } });
    const { total, items } = await until("what most addresses have in common", async () => {
      const shapes = await product.rest.call("listCrawlShapes", { params: { id: runId } });
      return shapes.items.length > 0 ? shapes : undefined;
    });
    expect({ total, items }).toMatchObject({
      total: 261,
      items: [{ pattern: "/index.php?title=Special:*", differs_in: "?title=Special:…", count: 240 }],
    });
    const body = { exclude_list: ["/index.php?title=Special:*", "/Page1"] };
    const preview = await product.rest.call("previewCrawlExcludes", { params: { id: runId }, body });
    expect(preview).toMatchObject({
      total: 260,
      excluded: 240,
      misses: [{ pattern: "/Page1", why: "case", instead: null }],
    });
    await product.rest.call("excludeInCrawl", {
      params: { id: runId },
      body: { exclude_list: [items[0]?.pattern ?? ""] },
    });
    gate.open();
    const run = await runEnded(product, runId);
    expect(run).toMatchObject({ state: "finished", completed: run.total });
    const asked = site.requests.filter((path) => path.startsWith("/index.php"));
    // only addresses that a crawler had already taken may still be requested
    expect(asked.length).toBeLessThanOrEqual(takenMost);
    const { counts } = await discovery.report(runId);
    expect(counts.excluded).toBeGreaterThanOrEqual(240 - asked.length);
    expect(counts.found).toBe(21 + asked.length);
    const object = await product.rest.call("getTestObject", { params: { id } });
    expect(object).toMatchObject({ exclude_list: ["/index.php?title=Special:*"] });
    await expect(
      product.rest.call("excludeInCrawl", { params: { id: runId }, body: { exclude_list: ["/x"] } }),
    ).rejects.toThrow("HTTP 409");
  });

  test("is not what pages of a site with a number are", async () => {
    const names = Array.from({ length: 120 }, (_, number) => `/article/${number}`);
    const { id } = await discovery.object(wideSite(names));
    const { runId } = await discovery.crawl(id);
    expect(await discovery.product.rest.call("listCrawlShapes", { params: { id: runId } })).toEqual({
      total: 122,
      items: [],
    });
  });
});

test("everything adds up in the end", async () => {
  expect(await invariantFaults(discovery.product)).toEqual([]);
});
