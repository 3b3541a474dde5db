import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { BodyInput } from "@web-tester/contracts/api";
import { crawl, fetchAll, register } from "../support/job.js";
import type { Product } from "../support/product.js";
import { reachesLoopback, shareProduct } from "../support/shared-product.js";
import { startSite, type Site } from "../support/site.js";
import { until } from "../support/until.js";

const names = Array.from({ length: 10 }, (_, index) => `p${index}`);
let product: Product;
let site: Site;
let objectId = "";
let between = "";
const fetches: string[] = [];

const page = (name: string, year: number, body = "Words") => `<h1>${name}</h1><p>${body}</p><footer>© ${year}</footer>`;
const publish = (year: number, bodies: Record<string, string> = {}) => {
  for (const name of names) site.pages.set(`/${name}`, page(name, year, bodies[name]));
};
const runsOf = async () =>
  (await product.rest.call("listRuns", { params: { id: objectId }, query: { limit: 100 } })).items;
async function fetchNow(): Promise<string> {
  await fetchAll(product, objectId);
  return (await runsOf()).find(({ kind }) => kind === "snapshot-all")?.id ?? "";
}
const review = (id: string) => product.rest.call("getReview", { params: { id }, query: {} });
async function compare(body: BodyInput<"startComparison">) {
  const { runId } = await product.rest.call("startComparison", { params: { id: objectId }, body });
  await until("the end of the comparison", async () => (await review(runId)).run.state === "finished");
  return runId;
}
const run = (id: string) => ({ type: "run" as const, run_id: id });
const pathsOf = async (runId: string, kind: "changed" | "new" | "gone") =>
  (await product.rest.call("listReviewPages", { params: { id: runId }, query: { kind } })).items.map(
    ({ instance }) => new URL(instance.url).pathname,
  );

beforeAll(async () => {
  [product, site] = await Promise.all([
    shareProduct(reachesLoopback),
    startSite({ "/": names.map((name) => `<a href="/${name}">${name}</a>`).join("") }),
  ]);
  publish(2025);
  objectId = await register(product, site.url);
  await product.rest.call("updateTestObject", { params: { id: objectId }, body: { noise_mode: "off" } });
  await crawl(product, objectId);
  fetches.push(await fetchNow());
  publish(2025, { p1: "Other words", p2: "Other words" });
  fetches.push(await fetchNow());
  between = new Date().toISOString();
  // p1 is as it was at first, p3 has changed, p9 is gone and another page is there
  publish(2025, { p2: "Other words", p3: "Third words" });
  site.pages.set("/p9", (_request, response) => void response.writeHead(404).end("gone"));
  site.pages.set("/new", page("new", 2025));
  site.pages.set("/", [...names, "new"].map((name) => `<a href="/${name}">${name}</a>`).join(""));
  await crawl(product, objectId);
  fetches.push(await fetchNow());
});
afterAll(async () => {
  await product.stop();
  await site.close();
});

describe("a site at two times", () => {
  test("any fetch is compared with any other: what differs, once, and what is the same as a number", async () => {
    const id = await compare({ from: run(fetches[0] ?? "") });
    const { counts, compared, groups, run: row, waiting } = await review(id);
    expect(compared).toEqual({ from: run(fetches[0] ?? ""), to: { type: "latest" } });
    expect(await pathsOf(id, "changed")).toEqual(["/", "/p2", "/p3"]);
    expect(await pathsOf(id, "new")).toEqual(["/new"]);
    expect(await pathsOf(id, "gone")).toEqual(["/p9"]);
    // p1 differed in between and is as it was again
    expect(counts).toMatchObject({ changed: 3, new: 1, gone: 1, failed: 0, pending: 0, unchanged: 7 });
    expect([row.kind, row.total, row.completed, row.changed, waiting]).toEqual(["compare", 12, 12, 5, 5]);
    expect(groups.map(({ added }) => added).join()).toMatch(/Third words/);
    const [sample] = groups.filter(({ added }) => added.includes("Third words")).map((group) => group.sample);
    const diff = await product.rest.call("getDiff", {
      query: { a: sample?.compared_with ?? "", b: sample?.snapshot_id ?? "" },
    });
    expect(JSON.stringify(diff)).toContain("Third words");
    const back = await compare({ from: run(fetches[0] ?? ""), to: run(fetches[1] ?? "") });
    expect(await pathsOf(back, "changed")).toEqual(["/p1", "/p2"]);
    expect((await review(back)).groups.map(({ pages }) => pages)).toEqual([2]);
  });

  test("since a time, and with the snapshots before", async () => {
    const since = await compare({ from: { type: "time", at: between } });
    expect(await pathsOf(since, "changed")).toEqual(["/", "/p1", "/p3"]);
    expect(await pathsOf(since, "gone")).toEqual(["/p9"]);
    const before = await compare({});
    expect(await pathsOf(before, "changed")).toEqual(["/", "/p1", "/p3"]);
    const never = await compare({ from: { type: "time", at: "2020-01-01T00:00:00Z" } });
    expect((await review(never)).counts).toMatchObject({ new: 11, changed: 0, gone: 0 });
  });

  test("with the baseline: what is accepted is it from then on, without a fetch, until that is taken back", async () => {
    const first = await compare({ from: { type: "baseline" } });
    expect(await pathsOf(first, "changed")).toEqual(["/", "/p2", "/p3"]);
    expect(await pathsOf(first, "new")).toEqual(["/new"]);
    const verdicts = { params: { id: first }, body: { all: true as const } };
    const left = await product.rest.call("giveVerdict", {
      ...verdicts,
      body: { ...verdicts.body, verdict: "accepted" },
    });
    expect(left).toMatchObject({ changed: 5, waiting: 0 });
    const again = await compare({ from: { type: "baseline" } });
    expect((await review(again)).counts).toMatchObject({ changed: 0, new: 0, gone: 0, unchanged: 11 });
    const [moved] = (await product.rest.call("listReviewPages", { params: { id: first }, query: { q: "/p3" } })).items;
    const baseline = await product.rest.call("getBaseline", { params: { id: moved?.instance.id ?? "" } });
    expect(baseline.snapshot_id).toBe(moved?.snapshot_id);
    await product.rest.call("takeVerdictBack", verdicts);
    const third = await compare({ from: { type: "baseline" } });
    expect((await review(third)).waiting).toBe(5);
  });

  test("a fetch has a label, and is found by it", async () => {
    const labelled = fetches[0] ?? "";
    await product.rest.call("updateRun", { params: { id: labelled }, body: { label: "release 1.4" } });
    expect((await runsOf()).find(({ id }) => id === labelled)?.label).toBe("release 1.4");
    const id = await compare({ from: { type: "label", label: "release 1.4" } });
    expect(await pathsOf(id, "changed")).toEqual(["/", "/p2", "/p3"]);
    const labelledRuns = await product.rest.call("listRuns", {
      params: { id: objectId },
      query: { label: "release 1.4" },
    });
    expect(labelledRuns.items.map((one) => one.id)).toEqual([labelled]);
    await product.rest.call("updateRun", { params: { id: labelled }, body: { label: null } });
    await expect(compare({ from: { type: "label", label: "release 1.4" } })).rejects.toThrow(
      /fetch with the label “release 1\.4”/,
    );
  });

  test("rules of the object hold; what they ignore is told apart", async () => {
    const rule = await product.rest.call("createRule", {
      params: { id: objectId },
      body: { kind: "text", pattern: "Third words" },
    });
    const id = await compare({ from: run(fetches[1] ?? "") });
    expect((await review(id)).counts).toMatchObject({ ignored: 0, changed: 3 });
    await product.rest.call("deleteRule", { params: { id: rule.id } });
    const quiet = await product.rest.call("createRule", {
      params: { id: objectId },
      body: { kind: "element", selector: "p" },
    });
    const other = await compare({ from: run(fetches[1] ?? "") });
    expect((await review(other)).counts).toMatchObject({ ignored: 2, changed: 1 });
    await product.rest.call("deleteRule", { params: { id: quiet.id } });
  });

  test("its message may come twice or never: it ends, and counts each page once", async () => {
    const { runId } = await product.rest.call("startComparison", {
      params: { id: objectId },
      body: { from: run(fetches[0] ?? "") },
    });
    await until("its end", async () => (await review(runId)).run.state === "finished");
    await product.db.query(
      `UPDATE compared_page SET state = 'queued', kind = 'changed' WHERE run_id = $1 AND kind = 'changed'`,
      [runId],
    );
    await product.db.query(
      `UPDATE run SET state = 'running', finished_at = NULL, completed = total - 3, changed = 2, queued_at = now() - interval '1 hour' WHERE id = $1`,
      [runId],
    );
    await until("its end", async () => (await review(runId)).run.state === "finished", 60_000);
    expect((await review(runId)).run).toMatchObject({ changed: 5, completed: 12, total: 12 });
  });
});

test("sides that make no sense are refused in words", async () => {
  const start = (body: BodyInput<"startComparison">, id = objectId) =>
    product.rest.call("startComparison", { params: { id }, body });
  const crawled = (await runsOf()).find(({ kind }) => kind === "crawl")?.id ?? "";
  await expect(start({ from: run(crawled) })).rejects.toThrow(/fetch run of this test object/);
  await expect(start({ to: { type: "baseline" } })).rejects.toThrow(/latest state/);
  const other = await register(product, `${site.url}p1`, "Other");
  await expect(start({ from: run(fetches[0] ?? "") }, other)).rejects.toThrow(/fetch run of this test object/);
  const { runId, total } = await start({}, other);
  expect([total, (await review(runId)).run.state]).toEqual([0, "finished"]);
});
