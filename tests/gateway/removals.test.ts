import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { removeNextInstances } from "@web-tester/records/removals/due-removals";
import { rowFaults } from "../support/invariants.js";
import { crawl, fetchAll, register, runEnded, startFetch } from "../support/job.js";
import type { Product } from "../support/product.js";
import { shareProduct } from "../support/shared-product.js";
import { startSite, type Site } from "../support/site.js";
import { compared, exportAll, upload } from "../support/transfer.js";
import { until } from "../support/until.js";

/** Deletions that can be undone: until they are due nothing is lost, and afterwards nothing is left. */
let product: Product;
let site: Site;
let id: string;
/** Ids of the objects of which pages were deleted. */
const trimmed: string[] = [];

beforeAll(async () => {
  [product, site] = await Promise.all([
    shareProduct(),
    startSite({
      "/": `<title>M</title><a href="/a">a</a><a href="/b">b</a><a href="/c">c</a>`,
      "/a": "<title>A</title>",
      "/b": `<title>B</title>${"long ".repeat(400)}`,
      "/c": "<title>C</title>",
    }),
  ]);
});
afterAll(async () => {
  await product.stop();
  await site.close();
});
beforeEach(async () => {
  id = await register(product, site.url, `Shop ${expect.getState().currentTestName ?? ""}`.slice(0, 200));
  trimmed.push(id);
  await crawl(product, id);
  await fetchAll(product, id);
});

const list = (query = {}) => product.rest.call("listTestInstances", { params: { id }, query });
const names = async (query = {}) => (await list(query)).items.map(({ name }) => name).sort();
const object = async () => {
  const read = await product.rest.call("getTestObject", { params: { id } });
  if (Array.isArray(read)) throw new Error("The object is gone");
  return read;
};
const idOf = async (name: string) => (await list()).items.find((item) => item.name === name)?.id ?? "";
const rows = async () =>
  (
    await product.db.query<{ n: number }>(`SELECT count(*)::int AS n FROM test_instance WHERE test_object_id = $1`, [
      id,
    ])
  )[0]?.n;
const isDue = (removalId: string) => product.db.query(`UPDATE removal SET due_at = now() WHERE id = $1`, [removalId]);

test("a page that is deleted is in no list and no count, and is back when that is undone", async () => {
  const query = { undo_s: 60 };
  const going = await idOf("A");
  const { removal } = await product.rest.call("deleteTestInstance", { params: { id: going }, query });
  expect(removal).toMatchObject({ kind: "instances", total: 1 });
  expect(await names()).toEqual(["B", "C", "M"]);
  expect(await list()).toMatchObject({ total: 3, hasMore: false });
  expect(await object()).toMatchObject({ instances_total: 3, snapshots_total: 3, removal });
  // nor is the page in searches and reviews, and its own call says that it is being deleted
  const [last] = (await object()).history;
  const reviewed = async () =>
    (await product.rest.call("listReviewPages", { params: { id: last?.id ?? "" } })).items.map(
      (page) => page.instance.name,
    );
  expect(await reviewed()).toHaveLength(3);
  const search = () => product.rest.call("search", { query: { q: "<title>", testobject_id: id } });
  expect(await search()).toHaveLength(3);
  const own = () => product.rest.call("getTestInstance", { params: { id: going } });
  expect(await own()).toMatchObject({ removal });
  // a fetch of all pages meanwhile leaves it out
  const { runId } = await product.rest.call("snapshotAll", { params: { id } });
  expect(await runEnded(product, runId ?? "")).toMatchObject({ total: 3 });
  await product.rest.call("undoRemoval", { params: { id: removal?.id ?? "" }, body: {} });
  expect(await names()).toEqual(["A", "B", "C", "M"]);
  expect(await reviewed()).toHaveLength(4);
  expect(await search()).toHaveLength(7);
  expect(await own()).toMatchObject({ removal: null });
  expect(await object()).toMatchObject({ instances_total: 4, snapshots_total: 7, removal: null });
});

test("a page that is deleted is in no comparison of all pages and in no export, and back when that is undone", async () => {
  const old = new Map(site.pages);
  for (const version of [1, 2]) {
    const css = `p { order: ${version} }`;
    site.pages.set("/s.css", (_request, response) => response.setHeader("content-type", "text/css").end(css));
    for (const name of ["A", "B"])
      site.pages.set(`/${name.toLowerCase()}`, `<title>${name}</title><link rel="stylesheet" href="/s.css">${version}`);
    await fetchAll(product, id);
  }
  await compared(product);
  for (const path of ["/s.css", "/a", "/b"]) site.pages.set(path, old.get(path) ?? "");
  const params = { id };
  const since = new Date(0).toISOString();
  const file = async () =>
    (await product.rest.call("listChangedFiles", { params, query: { since } })).items.find(({ url }) =>
      url.endsWith("/s.css"),
    );
  const hash = (await file())?.after ?? "";
  const joined = (all: readonly string[]) => all.toSorted().join("");
  const shown = async () => {
    const { diffs, diffCount } = await product.rest.call("getBulkDiff", { params, query: { idx1: 0, idx2: 1 } });
    const changes = await product.rest.call("listChanges", { params, query: { since } });
    const needing = await product.rest.call("listPagesOfFile", { params, query: { hash } });
    const exported = await exportAll(product, `?testObjectId=${id}`);
    const web = await (await fetch(`${product.address}/api/export?format=wacz&testObjectId=${id}`)).text();
    return {
      bulk: [diffCount, joined(diffs.map(({ instanceName }) => instanceName))],
      changes: joined(changes.items.map(({ instance }) => instance.name)),
      files: [(await file())?.pages, joined(needing.items.map(({ name }) => name))],
      exported: joined(exported.testInstances.map(({ name }) => String(name))),
      web: joined(["A", "B", "C", "M"].filter((name) => web.includes(`"title":"${name}"`))),
    };
  };
  const all = { bulk: [2, "ABCM"], changes: "AB", files: [2, "AB"], exported: "ABCM", web: "ABCM" };
  expect(await shown()).toEqual(all);
  const going = { id: await idOf("A") };
  const { removal } = await product.rest.call("deleteTestInstance", { params: going, query: { undo_s: 60 } });
  const left = { bulk: [1, "BCM"], changes: "B", files: [1, "B"], exported: "BCM", web: "BCM" };
  expect(await shown()).toEqual(left);
  await product.rest.call("undoRemoval", { params: { id: removal?.id ?? "" }, body: {} });
  expect(await shown()).toEqual(all);
});

test("a review counts no page that is being deleted, in its kinds of change neither", async () => {
  const before = { a: site.pages.get("/a") ?? "", c: site.pages.get("/c") ?? "" };
  site.pages.set("/a", "<title>A</title><p>alpha is new</p>");
  site.pages.set("/c", "<title>C</title><p>gamma is new</p>");
  const runId = await startFetch(product, id);
  await runEnded(product, runId);
  site.pages.set("/a", before.a);
  site.pages.set("/c", before.c);
  const review = () => product.rest.call("getReview", { params: { id: runId } });
  const whole = await until("two kinds of change", async () => {
    const read = await review();
    return read.groups.length === 2 ? read : undefined;
  });
  expect(whole).toMatchObject({ counts: { changed: 2, unchanged: 2 }, waiting: 2, groups_total: 2 });
  const going = await idOf("A");
  const ofA = whole.groups.find(({ sample }) => sample.instance.id === going);
  await product.rest.call("giveVerdict", {
    params: { id: runId },
    body: { fingerprint: ofA?.fingerprint ?? "", verdict: "accepted" },
  });
  expect(await review()).toMatchObject({ counts: { changed: 2 }, waiting: 1, groups_total: 2 });
  const { removal } = await product.rest.call("deleteTestInstance", {
    params: { id: going },
    query: { undo_s: 60 },
  });
  const less = await review();
  expect(less).toMatchObject({ counts: { changed: 1, unchanged: 2 }, waiting: 1, groups_total: 1 });
  expect(less.groups.map(({ sample }) => sample.instance.name)).toEqual(["C"]);
  // the call of its snapshot says that the page is being deleted, as the page's own call does
  const snapshot = () =>
    product.rest.call("getTestSnapshot", { params: { id: ofA?.sample.snapshot_id ?? "" }, query: {} });
  expect(await snapshot()).toMatchObject({ removal });
  await product.rest.call("undoRemoval", { params: { id: removal?.id ?? "" }, body: {} });
  expect(await snapshot()).toMatchObject({ removal: null });
  expect(await review()).toMatchObject({ counts: { changed: 2 }, waiting: 1, groups_total: 2 });
  // a page that is gone for good counts neither as waiting nor as looked at
  await product.rest.call("deleteTestInstance", { params: { id: going } });
  expect(await review()).toMatchObject({ counts: { changed: 1 }, waiting: 1, groups_total: 1 });
  expect(await object()).toMatchObject({ review: { run_id: runId, waiting: 1 } });
});

test.each(["at once", "when its time has come", "with all pages"] as const)(
  "a changed page that nobody looked at waits no more when it is deleted %s",
  async (when) => {
    const before = { b: site.pages.get("/b") ?? "", c: site.pages.get("/c") ?? "" };
    const [first] = (await object()).history;
    site.pages.set("/b", "<title>B</title><p>beta is new</p>");
    site.pages.set("/c", "<title>C</title><p>gamma is new</p>");
    const runId = await fetchAll(product, id).then(async () => (await object()).review?.run_id ?? "");
    for (const [name, text] of Object.entries(before)) site.pages.set(`/${name}`, text);
    const { runId: comparison } = await product.rest.call("startComparison", {
      params: { id },
      body: { from: { type: "run", run_id: first?.id ?? "" }, to: { type: "run", run_id: runId } },
    });
    await runEnded(product, comparison);
    const accepted = { instance_id: await idOf("B") };
    const waiting = async () => {
      const [row] = await product.db.query<{ n: number }>(`SELECT changed - settled AS n FROM run WHERE id = $1`, [
        comparison,
      ]);
      const shown = await product.rest.call("getReview", { params: { id: runId } });
      return { home: (await object()).review?.waiting, review: shown.waiting, comparison: row?.n };
    };
    for (const run of [runId, comparison])
      await product.rest.call("giveVerdict", { params: { id: run }, body: { ...accepted, verdict: "accepted" } });
    expect(await waiting()).toEqual({ home: 1, review: 1, comparison: 1 });
    const going = await idOf("C");
    if (when === "at once") await product.rest.call("deleteTestInstance", { params: { id: going } });
    else if (when === "with all pages") await product.rest.call("deleteAll", { params: { id } });
    else {
      const query = { undo_s: 60 };
      const { removal } = await product.rest.call("deleteTestInstance", { params: { id: going }, query });
      await isDue(removal?.id ?? "");
    }
    await until("nothing waits", async () => {
      const { home, comparison: left } = await waiting();
      return home === 0 && left === 0;
    });
    expect((await waiting()).review).toBe(0);
    // when the verdicts are taken back, the changed pages that still exist wait again
    if (when === "with all pages") return;
    const taken = { params: { id: runId }, body: accepted };
    expect(await product.rest.call("takeVerdictBack", taken)).toMatchObject({ waiting: 1 });
    expect(await waiting()).toEqual({ home: 1, review: 1, comparison: 0 });
  },
);

test("of two people who undo one deletion, the second reads that it was undone already", async () => {
  const { removal } = await product.rest.call("deleteSnapshots", { params: { id }, query: { undo_s: 60 } });
  const undo = () => product.rest.call("undoRemoval", { params: { id: removal?.id ?? "" }, body: {} });
  const ended = await Promise.allSettled([undo(), undo()]);
  expect(ended.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  await expect(undo()).rejects.toThrow("it was undone already");
  expect(await object()).toMatchObject({ instances_total: 4, removal: null });
});

test("what is not undone goes when its time has come, and cannot be undone any more", async () => {
  const ids = [await idOf("A"), await idOf("B")];
  const { removal } = await product.rest.call("deleteSelected", {
    params: { id },
    query: { undo_s: 60 },
    body: { ids },
  });
  expect(await rows()).toBe(4);
  await isDue(removal?.id ?? "");
  await until("the pages are gone", async () => (await rows()) === 2);
  expect(await object()).toMatchObject({ instances_total: 2, removal: null });
  const undone = product.rest.call("undoRemoval", { params: { id: removal?.id ?? "" }, body: {} });
  await expect(undone).rejects.toThrow("404");
  expect(await rowFaults(product.db, trimmed)).toEqual([]);
});

test("a deletion that was killed in its middle goes on, and is refused to be undone", async () => {
  const ids = [await idOf("A"), await idOf("B")];
  const { removal } = await product.rest.call("deleteSelected", {
    params: { id },
    query: { undo_s: 60 },
    body: { ids },
  });
  const due = { id: removal?.id ?? "", objectId: id, kind: "instances" as const };
  // as if the process had ended right after it recorded that the removal has begun
  await product.db.transaction(async (tx) => {
    await tx.query(`UPDATE removal SET begun = true WHERE id = $1`, [due.id]);
  });
  const undone = product.rest.call("undoRemoval", { params: { id: due.id }, body: {} });
  await expect(undone).rejects.toThrow("409");
  // a batch whose transaction was rolled back has changed nothing
  const killed = product.db.transaction(async (tx) => {
    await removeNextInstances(tx, due);
    throw new Error("killed");
  });
  await expect(killed).rejects.toThrow("killed");
  expect(await rows()).toBe(4);
  await isDue(due.id);
  await until("the pages are gone", async () => (await rows()) === 2);
  expect(await rowFaults(product.db, trimmed)).toEqual([]);
});

test("an object is in no list while it can be undone, and then goes with everything", async () => {
  const listed = async () => (await product.rest.call("listTestObjects")).some((other) => other.id === id);
  const query = { undo_s: 60 };
  const first = await product.rest.call("deleteTestObject", { params: { id }, query });
  expect(first).toMatchObject({ runId: null, removal: { kind: "delete-object" } });
  // asking twice makes one removal
  expect(await product.rest.call("deleteTestObject", { params: { id }, query })).toEqual(first);
  expect(await listed()).toBe(false);
  const exported = async () => (await exportAll(product)).testObjects.some((other) => other["id"] === id);
  expect(await exported()).toBe(false);
  await product.rest.call("undoRemoval", { params: { id: first.removal?.id ?? "" }, body: {} });
  expect([await listed(), await exported()]).toEqual([true, true]);
  const second = await product.rest.call("deleteTestObject", { params: { id }, query });
  await isDue(second.removal?.id ?? "");
  await until("the object is gone", async () => (await rows()) === 0);
});

test("all snapshots go later, instances stay", async () => {
  const { removal } = await product.rest.call("deleteSnapshots", { params: { id }, query: { undo_s: 60 } });
  expect(await object()).toMatchObject({ snapshots_total: 4, removal: { kind: "delete-snapshots", total: 4 } });
  await isDue(removal?.id ?? "");
  await until("the snapshots are gone", async () => (await object()).snapshots_total === 0);
  expect(await object()).toMatchObject({ instances_total: 4, removal: null });
});

test("nothing begins that would go with a deletion which can still be undone", async () => {
  const page = await idOf("A");
  const params = { id };
  const begun = [
    () => product.rest.call("crawl", { params }),
    () => product.rest.call("runSitemaps", { params }),
    () => product.rest.call("snapshotAll", { params }),
    () => product.rest.call("snapshotOne", { params }),
    () => product.rest.call("createTestSnapshot", { body: { testinstance_id: page } }),
  ];
  const whole = { params, query: { undo_s: 60 } };
  for (const name of ["deleteSnapshots", "deleteAll", "deleteTestObject"] as const) {
    const { removal } = await product.rest.call(name, whole);
    for (const begin of begun) await expect(begin()).rejects.toThrow("409");
    await product.rest.call("undoRemoval", { params: { id: removal?.id ?? "" }, body: {} });
  }
  // where two pages alone are being deleted, only calls that act on them are refused
  const root = await idOf("M");
  const body = { ids: [page, root] };
  const { removal } = await product.rest.call("deleteSelected", { ...whole, body });
  for (const begin of begun.slice(3)) await expect(begin()).rejects.toThrow("409");
  const { runId } = await product.rest.call("snapshotAll", { params });
  expect(await runEnded(product, runId ?? "")).toMatchObject({ total: 2 });
  await product.rest.call("undoRemoval", { params: { id: removal?.id ?? "" }, body: {} });
  for (const begin of begun.slice(3)) await begin();
});

test("an import is refused where what it brings would go with a deletion that can still be undone", async () => {
  const file = JSON.stringify(await exportAll(product, `?testObjectId=${id}`));
  const imported = () => upload(product, [file]);
  const whole = { params: { id }, query: { undo_s: 60 } };
  const body = { ids: [await idOf("A")] };
  const deletions = [
    () => product.rest.call("deleteSelected", { ...whole, body }),
    ...(["deleteSnapshots", "deleteAll", "deleteTestObject"] as const).map(
      (name) => () => product.rest.call(name, whole),
    ),
  ];
  for (const deletion of deletions) {
    const { removal } = await deletion();
    const refused = await imported();
    expect(refused.text).toContain("is about to be deleted here");
    expect(refused.status).not.toBe(200);
    await product.rest.call("undoRemoval", { params: { id: removal?.id ?? "" }, body: {} });
    expect((await imported()).status).toBe(200);
  }
  // if the object was registered again meanwhile, the import goes into the new one
  const { name, url } = await object();
  await product.rest.call("deleteTestObject", whole);
  const anew = await product.rest.call("createTestObject", { body: { name, url } });
  expect((await imported()).status).toBe(200);
  const pages = await product.rest.call("listTestInstances", { params: { id: anew.id }, query: {} });
  expect(pages).toMatchObject({ total: 4 });
});

test("some pages are fetched: those that are named, or all that a filter leaves", async () => {
  const named = await product.rest.call("snapshotSelected", { params: { id }, body: { ids: [await idOf("A")] } });
  expect(await runEnded(product, named.runId ?? "")).toMatchObject({ total: 1 });
  const found = await product.rest.call("snapshotSelected", { params: { id }, body: { q: "/b" } });
  expect(await runEnded(product, found.runId ?? "")).toMatchObject({ total: 1 });
  expect(await product.rest.call("snapshotSelected", { params: { id }, body: { q: "nowhere" } })).toEqual({
    created: 0,
    runId: null,
  });
  expect(await object()).toMatchObject({ snapshots_total: 6 });
});

test("pages by size, by last change, and those that are gone", async () => {
  expect((await list({ sort: "size" })).items[0]).toMatchObject({ name: "B" });
  expect((await list({ sort: "changed" })).items.map(({ changed_at }) => changed_at)).toEqual([null, null, null, null]);
  site.pages.set("/c", "<title>C</title>other");
  await fetchAll(product, id);
  const [changed, ...others] = (await list({ sort: "changed" })).items;
  expect(changed).toMatchObject({ name: "C", changed_at: expect.any(String) });
  expect(others.map(({ changed_at }) => changed_at)).toEqual([null, null, null]);
  expect(await names({ status: "gone" })).toEqual([]);
  site.pages.delete("/a");
  await fetchAll(product, id);
  await crawl(product, id);
  await until("the page is gone", async () => (await names({ status: "gone" })).join() === "A");
  expect(await list({ status: "gone" })).toMatchObject({ total: 1 });
  const { removal } = await product.rest.call("deleteSelected", { params: { id }, body: { status: "gone" } });
  expect(removal).toMatchObject({ total: 1 });
  await until("it is deleted", async () => (await rows()) === 3);
});
