import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { QueryInput } from "@web-tester/contracts/api";
import { collectHunkTexts } from "@web-tester/records/changes/collect-hunks";
import { crawl, fetchAll, register } from "../support/job.js";
import type { Product } from "../support/product.js";
import { shareProduct } from "../support/shared-product.js";
import { startSite, type Site } from "../support/site.js";

const names = Array.from({ length: 10 }, (_, index) => `p${index}`);
let product: Product;
let site: Site;
let objectId = "";
let runId = "";

const page = (
  name: string,
  year: number,
  body = "Words",
  end = name === "p2" && year > 2025 ? "Another end" : "The end",
) => `<h1>${name}</h1><p>${end}</p><ul><li>One</li></ul><p>${body}</p><footer>© ${year} Us</footer>`;
const publish = (year: number, bodies: Record<string, string> = {}) => {
  for (const name of names) site.pages.set(`/${name}`, page(name, year, bodies[name]));
};
const review = () => product.rest.call("getReview", { params: { id: runId }, query: {} });
const pages = async (query: QueryInput<"listReviewPages">) =>
  (await product.rest.call("listReviewPages", { params: { id: runId }, query })).items;
const object = async () => {
  const found = await product.rest.call("getTestObject", { params: { id: objectId } });
  return Array.isArray(found) ? undefined : found;
};
const newest = async () =>
  (await product.rest.call("listRuns", { params: { id: objectId }, query: {} })).items.find(
    ({ kind }) => kind === "snapshot-all",
  )?.id ?? "";

beforeAll(async () => {
  [product, site] = await Promise.all([
    shareProduct(),
    startSite({ "/": names.map((name) => `<a href="/${name}">${name}</a>`).join("") }),
  ]);
  publish(2025);
  objectId = await register(product, site.url);
  await crawl(product, objectId);
  await fetchAll(product, objectId);
  publish(2026, { p1: "Other words", p2: "Other words", p3: "Third words" });
  site.pages.set("/p8", (_request, response) => {
    response.writeHead(203, { "content-type": "text/html; charset=utf-8", "x-robots-tag": "noindex" });
    response.end(page("p8", 2026));
  });
  site.pages.set("/p9", (_request, response) => {
    response.writeHead(500);
    response.end("<h1>Broken</h1>");
  });
  await fetchAll(product, objectId);
  runId = await newest();
});
afterAll(async () => {
  await product.stop();
  await site.close();
});

describe("the review of a run", () => {
  test("equal changes of many pages are one, those of most pages first", async () => {
    const { counts, groups, groups_total: total, waiting, new_failures: failures } = await review();
    const behind = await product.rest.call("getReview", { params: { id: runId }, query: { offset: 1_000 } });
    expect([behind.groups, behind.groups_total]).toEqual([[], total]);
    expect(counts).toEqual({ failed: 1, new: 0, gone: 0, changed: 9, ignored: 0, unchanged: 1, pending: 0 });
    expect(groups.map((group) => group.pages).slice(0, 2)).toEqual([6, 2]);
    expect(groups[0]).toMatchObject({
      removed: expect.stringContaining("2025"),
      added: expect.stringContaining("2026"),
    });
    expect(total).toBe(groups.length);
    expect([waiting, failures]).toEqual([9, 1]);
    expect((await object())?.review).toEqual({ run_id: runId, waiting: 9 });
  });

  test("pages whose same place changed otherwise are counted once, and are those that are listed", async () => {
    const { groups } = await review();
    const listed = await Promise.all(
      groups.map(async ({ fingerprint }) => (await pages({ fingerprint, otherwise: "true" })).length),
    );
    expect(groups.map(({ otherwise }) => otherwise)).toEqual(listed);
    // p2 changed in two paragraphs: neither is another way in which the other one changed
    expect(groups.map(({ added, otherwise }) => [added.split("\n")[0], otherwise])).toEqual(
      expect.arrayContaining([
        ["<p>Other words</p>", 1],
        ["<p>Another end</p>", 2],
        ["<p>Third words</p>", 2],
      ]),
    );
  });

  test("pages are found by kind, by change and by text, over all of them", async () => {
    const { groups } = await review();
    expect(await pages({ fingerprint: groups[1]?.fingerprint ?? "" })).toHaveLength(2);
    const [failed] = await pages({ kind: "failed" });
    expect(failed).toMatchObject({ kind: "failed", http_status: 500, failing_since: expect.any(String) });
    const otherwise = await pages({ fingerprint: groups[1]?.fingerprint ?? "", otherwise: "true" });
    expect(otherwise.map(({ instance }) => new URL(instance.url).pathname)).toEqual(["/p3"]);
    expect((await pages({ q: "/P3" })).map(({ instance }) => new URL(instance.url).pathname)).toEqual(["/p3"]);
    const first = await product.rest.call("listReviewPages", { params: { id: runId }, query: { limit: 4 } });
    const second = await product.rest.call("listReviewPages", {
      params: { id: runId },
      query: { limit: 100, cursor: first.nextCursor ?? "" },
    });
    expect(new Set([...first.items, ...second.items].map(({ snapshot_id: id }) => id)).size).toBe(names.length + 1);
  });

  test("a kind of change is accepted in one act, and that can be taken back", async () => {
    const [most] = (await review()).groups;
    const give = {
      params: { id: runId },
      body: { fingerprint: most?.fingerprint ?? "", verdict: "accepted" as const },
    };
    // the page whose status changed still waits for that
    expect(await product.rest.call("giveVerdict", give)).toMatchObject({ changed: 9, waiting: 4 });
    expect((await review()).groups[0]?.said).toMatchObject({ verdict: "accepted", at: expect.any(String) });
    expect((await object())?.review).toEqual({ run_id: runId, waiting: 4 });
    const instanceId = (await pages({ q: "/p5" }))[0]?.instance.id ?? "";
    const baseline = () => product.rest.call("getBaseline", { params: { id: instanceId } });
    expect(await baseline()).toEqual({ snapshot_id: (await pages({ q: "/p5" }))[0]?.snapshot_id });
    const undo = { params: { id: runId }, body: { fingerprint: most?.fingerprint ?? "" } };
    expect(await product.rest.call("takeVerdictBack", undo)).toEqual({ changed: 9, waiting: 9 });
    expect(await baseline()).toEqual({ snapshot_id: null });
  });

  test("a status and a header are kinds of change too: the page waits until they are settled", async () => {
    const { groups } = await review();
    const beside = groups.filter(({ kind }) => kind !== "content");
    expect(beside.map(({ kind, removed, added }) => `${kind}: ${removed} → ${added}`).toSorted()).toEqual([
      "header:  → x robots tag: noindex",
      "status: status: 200 → status: 203",
    ]);
    const p8 = (await pages({ q: "/p8" }))[0]?.instance.id ?? "";
    const baseline = async () => (await product.rest.call("getBaseline", { params: { id: p8 } })).snapshot_id !== null;
    const give = (fingerprint: string) =>
      product.rest.call("giveVerdict", { params: { id: runId }, body: { fingerprint, verdict: "accepted" } });
    expect(await give(groups[0]?.fingerprint ?? "")).toMatchObject({ waiting: 4 });
    expect(await give(beside[0]?.fingerprint ?? "")).toMatchObject({ waiting: 4 });
    expect(await baseline()).toBe(false);
    expect(await give(beside[1]?.fingerprint ?? "")).toMatchObject({ waiting: 3 });
    expect(await baseline()).toBe(true);
    await product.rest.call("takeVerdictBack", { params: { id: runId }, body: { all: true } });
  });

  test("what no page changed in any more is collected, what one did stays, however old", async () => {
    const { signal } = new AbortController();
    const texts = async () => (await review()).groups.map(({ removed, added }) => [removed, added]);
    const before = await texts();
    await product.db.query(
      "INSERT INTO hunk_text (test_object_id, fingerprint, place, removed, added) VALUES ($1, 'orphan', 'x', '', 'gone')",
      [objectId],
    );
    expect(await collectHunkTexts(product.db, signal)).toBe(0); // all texts are too young
    await product.db.query("UPDATE hunk_text SET named_at = now() - interval '10 days'");
    expect(await collectHunkTexts(product.db, signal)).toBe(1);
    expect(await texts()).toEqual(before);
  });

  test("one page, a problem with a note, and all the rest", async () => {
    const [third] = await pages({ q: "/p3" });
    const body = { instance_id: third?.instance.id ?? "", verdict: "problem" as const, note: "Wrong words" };
    expect(await product.rest.call("giveVerdict", { params: { id: runId }, body })).toMatchObject({ waiting: 8 });
    expect((await pages({ q: "/p3" }))[0]?.said).toMatchObject({ verdict: "problem", note: "Wrong words" });
    const all = { params: { id: runId }, body: { all: true as const, verdict: "accepted" as const } };
    expect(await product.rest.call("giveVerdict", all)).toMatchObject({ waiting: 0 });
    expect((await pages({ q: "/p3" }))[0]?.said).toMatchObject({ verdict: "problem" });
  });

  test("accepting all is taken back without what was said before it", async () => {
    const params = { id: runId };
    await product.rest.call("takeVerdictBack", { params, body: { all: true } });
    const [third] = await pages({ q: "/p3" });
    const body = { instance_id: third?.instance.id ?? "", verdict: "problem" as const, note: "Wrong words" };
    await product.rest.call("giveVerdict", { params, body });
    const all = await product.rest.call("giveVerdict", { params, body: { all: true, verdict: "accepted" } });
    expect(all).toMatchObject({ waiting: 0, given_at: expect.any(String) });
    const back = { all: true as const, given_at: all.given_at };
    expect(await product.rest.call("takeVerdictBack", { params, body: back })).toEqual({ changed: 9, waiting: 8 });
    expect((await pages({ q: "/p3" }))[0]?.said).toMatchObject({ verdict: "problem", note: "Wrong words" });
    expect((await review()).groups.filter(({ said }) => said !== null)).toEqual([]);
    // without a time, all verdicts are taken back
    expect(await product.rest.call("takeVerdictBack", { params, body: { all: true } })).toMatchObject({ waiting: 9 });
  });

  test("what it is not of is refused", async () => {
    const params = { id: runId };
    const give = (body: object) => product.rest.call("giveVerdict", { params, body: { verdict: "accepted", ...body } });
    await expect(give({})).rejects.toThrow(/exactly one/);
    await expect(give({ fingerprint: "ab".repeat(16) })).rejects.toThrow(/404/);
    await expect(give({ fingerprint: "x" })).rejects.toThrow(/fingerprint/);
  });
});
