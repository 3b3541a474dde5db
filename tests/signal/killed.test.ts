import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { crawl, fetchAll, register, runEnded } from "../support/job.js";
import { type Product, startProduct } from "../support/product.js";
import { type Page, startSite, type Site } from "../support/site.js";
import { until } from "../support/until.js";

/** More pages than one batch of an evaluation or of a search for noise has. */
const names = Array.from({ length: 59 }, (_, index) => `p${index}`);
let product: Product;
let site: Site;
let objectId = "";
let visits = 0;
/** While it is set, the site's answers are held back. */
let held: (() => void)[] | null = null;
let edition = 1;

beforeAll(async () => {
  const pages: Record<string, Page> = { "/": names.map((name) => `<a href="/${name}">${name}</a>`).join("") };
  for (const name of names)
    pages[`/${name}`] = (_request, response) => {
      visits += 1;
      const html = `<h1>${name}</h1>\n<p>Visit ${visits * 7919} of it</p>\n<p>Edition ${"abcdef"[edition] ?? ""}</p>\n<p>${"Words of the page. ".repeat(30)}</p>`;
      const answer = () => {
        response.writeHead(200, { "content-type": "text/html; charset=utf-8" });
        response.end(html);
      };
      if (held === null) answer();
      else held.push(answer);
    };
  [product, site] = await Promise.all([startProduct(), startSite(pages)]);
  objectId = await register(product, site.url);
  await crawl(product, objectId);
  await fetchAll(product, objectId);
  edition = 2;
  await fetchAll(product, objectId);
});
afterAll(async () => {
  await product.stop();
  await site.close();
});

const runs = async () =>
  (await product.rest.call("listRuns", { params: { id: objectId }, query: { limit: 100 } })).items;
const rules = async () => (await product.rest.call("listRules", { params: { id: objectId } })).items;
const events = async () =>
  (
    await product.db.query<{ id: string }>("SELECT id::text FROM watch_event WHERE test_object_id = $1 ORDER BY id", [
      objectId,
    ])
  ).map(({ id }) => id);
const told = () =>
  until("its runs to be told", async () => {
    const rows = await product.db.query("SELECT 1 FROM run WHERE test_object_id = $1 AND NOT told", [objectId]);
    return rows.length === 0;
  });
/** Ends both parts as a power cut would; the supervisor starts them again. */
function kill(): void {
  for (const part of ["differ", "gateway"]) process.kill(product.pidOf(part), "SIGKILL");
}
const isBack = () =>
  until("the gateway to answer", async () =>
    product.rest.call("listTestObjects").then(
      () => true,
      () => false,
    ),
  );
/** Returns for each fetch the count that its run keeps, beside the one that its rows give. */
const counted = async () =>
  product.db.query<{ kept: number; counted: number }>(
    `SELECT r.changed AS kept, (SELECT count(*)::int FROM test_snapshot s JOIN change c ON c.snapshot_id = s.id
       WHERE s.run_id = r.id AND c.kind = 'changed' AND c.significant) AS counted
     FROM run r WHERE r.test_object_id = $1 AND r.kind = 'snapshot-all' ORDER BY r.id`,
    [objectId],
  );

test("an evaluation that is killed in its middle goes on, ends with the same counts, and tells nobody", async () => {
  await told();
  const before = await events();
  let runId: string | null = null;
  await product.db.transaction(async (tx) => {
    // the last page is locked and cannot be recorded, so the evaluation stops after the first fifty
    await tx.query(
      `SELECT c.snapshot_id FROM change c JOIN test_snapshot s ON s.id = c.snapshot_id
       WHERE s.test_instance_id = (SELECT id FROM test_instance WHERE test_object_id = $1 ORDER BY id DESC LIMIT 1) FOR UPDATE OF c`,
      [objectId],
    );
    const body = { kind: "text" as const, syntax: "re2" as const, pattern: "Visit ([0-9]+) of" };
    ({ runId } = await product.rest.call("createRule", { params: { id: objectId }, body }));
    await until("fifty pages to be looked at", async () => {
      const run = (await runs()).find(({ id }) => id === runId);
      return run?.state === "running" && run.completed >= 50;
    });
    kill();
  });
  await isBack();
  await runEnded(product, runId ?? "");
  const evaluated = (await runs()).find(({ id }) => id === runId);
  expect(evaluated).toMatchObject({ state: "finished", failed: 0 });
  expect(evaluated?.completed).toBe(evaluated?.total);
  // only the new edition counts as a change
  expect(await counted()).toEqual([
    { kept: 0, counted: 0 },
    { kept: names.length, counted: names.length },
  ]);
  const off = await product.rest.call("createRule", {
    params: { id: objectId },
    body: { kind: "text", syntax: "re2", pattern: "Edition ([a-z])" },
  });
  await runEnded(product, off.runId ?? "");
  expect((await counted()).map(({ kept }) => kept)).toEqual([0, 0]);
  await told();
  expect(await events()).toEqual(before);
}, 120_000);

test("a search for noise that is killed while it fetches, and while it keeps rules, ends with each rule once", async () => {
  for (const { id } of await rules()) {
    const { runId } = await product.rest.call("deleteRule", { params: { id } });
    if (runId !== null) await runEnded(product, runId);
  }
  await told();
  const before = await events();
  held = [];
  const { runId } = await product.rest.call("findNoise", { params: { id: objectId }, body: { apply: true } });
  await until("the first page to be asked for", () => (held?.length ?? 0) > 0);
  kill();
  for (const answer of held) answer();
  held = null;
  await isBack();
  await product.db.transaction(async (tx) => {
    await tx.query("LOCK TABLE ignore_rule IN SHARE MODE");
    await until("rules to be about to be kept", async () => {
      const rows = await product.db.query(
        "SELECT 1 FROM pg_locks WHERE relation = 'ignore_rule'::regclass AND NOT granted",
      );
      return rows.length > 0;
    });
    kill();
  });
  await isBack();
  await runEnded(product, runId);
  await until("all to be evaluated", async () => (await runs()).every(({ state }) => state !== "running"));
  expect((await runs()).filter(({ kind }) => kind === "noise")).toMatchObject([{ state: "finished", failed: 0 }]);
  const made = await rules();
  const meanings = made.map(({ kind, selector, pattern, name }) => JSON.stringify([kind, selector, pattern, name]));
  expect(new Set(meanings).size).toBe(meanings.length);
  expect(made.some(({ state, pattern }) => state === "active" && pattern?.includes("Visit") === true)).toBe(true);
  expect(await counted()).toEqual([
    { kept: 0, counted: 0 },
    { kept: names.length, counted: names.length },
  ]);
  await told();
  expect(await events()).toEqual(before);
}, 180_000);
