import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { crawl, fetchAll, register } from "../support/job.js";
import type { Product } from "../support/product.js";
import { shareProduct } from "../support/shared-product.js";
import { manual, startSite, type Site } from "../support/site.js";

describe("bulk diff", () => {
  const pageCount = 30;
  const changed = ["/p1.html", "/p2.html", "/p20.html"];
  let product: Product;
  let site: Site;
  let id = "";

  beforeAll(async () => {
    [product, site] = await Promise.all([shareProduct(), startSite(manual(pageCount, "first"))]);
    id = await register(product, site.url);
    await crawl(product, id);
    await fetchAll(product, id);
    const other = manual(pageCount, "second\n<p>more");
    for (const path of changed) site.pages.set(path, other[path] ?? "");
    site.pages.delete("/p5.html");
    await fetchAll(product, id);
  });
  afterAll(async () => {
    await product.stop();
    await site.close();
  });

  const ask = (query: { idx1: number; idx2: number; limit?: number; offset?: number; html?: "true" | "false" }) =>
    product.rest.call("getBulkDiff", { params: { id }, query });
  const pathOf = ({ instanceUrl }: { instanceUrl: string }) => new URL(instanceUrl).pathname;

  test("tells at once how many differ, those first, and why the others are skipped", async () => {
    const answer = await ask({ idx1: 1, idx2: 0 });
    expect(answer).toMatchObject({
      testobjectId: id,
      idx1: 1,
      idx2: 0,
      totalInstances: pageCount,
      diffCount: 3,
      skippedCount: pageCount - 3,
      identicalCount: pageCount - 4,
      linesAdded: 6,
      linesRemoved: 3,
      hasMore: true,
      limit: 20,
      offset: 0,
    });
    expect(answer.diffs).toHaveLength(20);
    const differing = answer.diffs.filter(({ skipped }) => !skipped);
    expect(answer.diffs.slice(0, 3)).toEqual(differing);
    expect(differing.map(pathOf).sort()).toEqual([...changed].sort());
    expect(answer.diffs[3]).toMatchObject({
      skipped: true,
      skipReason: "Only 1 finished snapshot, index 2 needs 2",
      snapshotCount: 1,
      snapshot1: null,
    });
    expect(answer.diffs[4]).toMatchObject({
      skipped: true,
      skipReason: "Identical: both snapshots hold the same",
      snapshotCount: 2,
      snapshot1: { number: 1, html: null },
      snapshot2: { number: 2, html: null },
    });
  });

  test("pairs that differ come with the HTML of both sides, or without where that is asked for", async () => {
    const [entry] = (await ask({ idx1: 1, idx2: 0, limit: 1 })).diffs;
    const path = entry === undefined ? "" : pathOf(entry);
    expect(entry).toMatchObject({ snapshotCount: 2, linesAdded: 2, linesRemoved: 1, assets: false });
    expect(entry?.snapshot1?.html).toBe(manual(pageCount, "first")[path]);
    expect(entry?.snapshot2?.html).toBe(manual(pageCount, "second\n<p>more")[path]);
    const [light] = (await ask({ idx1: 1, idx2: 0, limit: 1, html: "false" })).diffs;
    expect(light).toMatchObject({
      instanceId: entry?.instanceId,
      snapshot1: { html: null },
      snapshot2: { html: null },
    });
  });

  test("with A newer than B both the sides and the counts change places", async () => {
    const answer = await ask({ idx1: 0, idx2: 1, limit: 1 });
    expect(answer).toMatchObject({ diffCount: 3, linesAdded: 3, linesRemoved: 6 });
    expect(answer.diffs[0]).toMatchObject({ linesAdded: 1, linesRemoved: 2, snapshot1: { number: 2 } });
  });

  test("pages cover every instance once, and the last one says so", async () => {
    const seen: string[] = [];
    for (let offset = 0; ; offset += 7) {
      const answer = await ask({ idx1: 1, idx2: 0, limit: 7, offset, html: "false" });
      seen.push(...answer.diffs.map(({ instanceId }) => instanceId));
      expect(answer.hasMore).toBe(seen.length < pageCount);
      if (!answer.hasMore) break;
    }
    expect(seen).toHaveLength(pageCount);
    expect(new Set(seen).size).toBe(pageCount);
    expect(await ask({ idx1: 1, idx2: 0, offset: 1000 })).toMatchObject({ diffs: [], hasMore: false });
  });

  test("an index that nobody has, and the same index twice, are answers", async () => {
    expect(await ask({ idx1: 19, idx2: 0 })).toMatchObject({
      diffCount: 0,
      skippedCount: pageCount,
      identicalCount: 0,
    });
    expect(await ask({ idx1: 0, idx2: 0 })).toMatchObject({ diffCount: 0, identicalCount: pageCount });
  });

  test("bad input is told what is wrong", async () => {
    const answer = async (path: string) => {
      const response = await fetch(`${product.address}/api/testobjects/${path}`);
      return [response.status, ((await response.json()) as { message: string }).message];
    };
    expect(await answer(`${id}/bulk-diff?idx1=1&idx2=0`)).toEqual([200, undefined]);
    expect(await answer(`${id}/bulk-diff?idx1=-1&idx2=0`)).toEqual([400, "idx1: must be at least 0."]);
    expect(await answer(`${id}/bulk-diff?idx1=1`)).toEqual([400, expect.stringContaining("idx2")]);
    expect(await answer(`${id}/bulk-diff?idx1=1&idx2=0&limit=101`)).toEqual([400, "limit: must be at most 100."]);
    expect(await answer(`00000000-0000-7000-8000-000000000000/bulk-diff?idx1=1&idx2=0`)).toEqual([
      404,
      expect.stringContaining("test object"),
    ]);
  });

  test("names what differs by keys, and gives its HTML under them where asked for", async () => {
    const plain = await ask({ idx1: 1, idx2: 0 });
    expect([plain.pageKeys, plain.pagesHtml]).toEqual([undefined, undefined]);
    const { diffs, pageKeys, pagesHtml } = await product.rest.call("getBulkDiff", {
      params: { id },
      query: { idx1: 1, idx2: 0, html: "false", pages: "html" },
    });
    const differing = diffs.filter(({ skipped }) => !skipped);
    expect(pageKeys).toEqual(differing.flatMap(({ snapshot1, snapshot2 }) => [snapshot1?.id, snapshot2?.id]));
    expect(pagesHtml?.map(({ key }) => key)).toEqual(pageKeys);
    expect(pagesHtml?.[1]?.html).toContain("second");
    expect(
      diffs.every(
        ({ snapshot1, snapshot2 }) => (snapshot1?.html ?? null) === null && (snapshot2?.html ?? null) === null,
      ),
    ).toBe(true);
  });

  test("what changed since a time, page by page, with how often and how much", async () => {
    const [since] = await product.db.query<{ at: Date }>(
      "SELECT min(created_at) AS at FROM test_snapshot WHERE state = 'done'",
    );
    const all = { since: since?.at.toISOString() ?? "", limit: 2 };
    const list = (query: typeof all & { cursor?: string }) =>
      product.rest.call("listChanges", { params: { id }, query });
    const first = await list(all);
    expect(first).toMatchObject({ total: 3, changes: 3, linesAdded: 6, linesRemoved: 3 });
    expect(first.items).toHaveLength(2);
    const second = await list({ ...all, cursor: first.nextCursor ?? "" });
    expect([second.items.length, second.nextCursor, second.total]).toEqual([1, null, 3]);
    const items = [...first.items, ...second.items];
    expect(items.map(({ instance }) => new URL(instance.url).pathname).sort()).toEqual([...changed].sort());
    expect(items.map(({ last }) => last)).toEqual(
      items
        .map(({ last }) => last)
        .toSorted()
        .reverse(),
    );
    for (const item of items) {
      expect(item).toMatchObject({ changes: 1, linesAdded: 2, linesRemoved: 1, coarse: false, firstAt: item.lastAt });
      const hunks = await product.rest.call("getDiffHunks", { query: { a: item.before ?? "", b: item.last } });
      expect([hunks.added, hunks.removed, hunks.truncated]).toEqual([2, 1, false]);
    }
    const later = new Date(Date.parse(items[0]?.lastAt ?? "") + 1).toISOString();
    expect(await list({ ...all, since: later })).toMatchObject({ total: 0, changes: 0, items: [], nextCursor: null });
  });

  test("a difference too long for one message arrives whole", async () => {
    const page = (word: string) => Array.from({ length: 24_000 }, (_, line) => `<p>${word} — line ${line}`).join("\n");
    for (const word of ["old", "new"]) {
      site.pages.set("/p7.html", page(word));
      await fetchAll(product, id);
    }
    const { diffs } = await ask({ idx1: 1, idx2: 0 });
    const long = diffs.find((entry) => pathOf(entry) === "/p7.html");
    const hunks = await product.rest.call("getDiffHunks", {
      query: { a: long?.snapshot1?.id ?? "", b: long?.snapshot2?.id ?? "", diffType: "words", context: 3 },
    });
    expect(JSON.stringify(hunks.hunks).length).toBeGreaterThan(1024 * 1024);
    expect(hunks).toMatchObject({
      by: "words",
      identical: false,
      truncated: false,
      a: { lines: 24_000 },
      b: { lines: 24_000 },
    });
    const lines = (kind: string) =>
      hunks.hunks.flatMap((hunk) => hunk.lines.filter((line) => line.kind === kind).map(({ text }) => text));
    expect(lines("removed").join("\n")).toBe(page("old"));
    expect(lines("added").join("\n")).toBe(page("new"));
  });
});
