import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { Database } from "@web-tester/platform/database/database";
import { applyRetention } from "@web-tester/records/snapshots/apply-retention";
import { collectUnused } from "@web-tester/records/contents/collect-contents";
import { invariantFaults } from "../support/invariants.js";
import { crawl, fetchAll, register } from "../support/job.js";
import { startProduct, type Product } from "../support/product.js";
import { manual, startSite, type Site } from "../support/site.js";
import { until } from "../support/until.js";

/** Retention removes the snapshots that the rules of their object name, and no others, whatever happens meanwhile. */
let product: Product;
let site: Site;

beforeAll(async () => {
  [product, site] = await Promise.all([startProduct(), startSite(manual(3, "text"))]);
});
afterAll(async () => {
  await product.stop();
  await site.close();
});

const states = ["done", "failed", "cancelled", "created", "queued", "running"] as const;
const kinds = ["first", "changed", "unchanged"] as const;
interface Snapshot {
  state: (typeof states)[number];
  kind: (typeof kinds)[number];
  ageDays: number;
  /** Whether it waits to be compared. */
  pending: boolean;
}
interface Rules {
  keep_days: number | null;
  keep_snapshots: number | null;
  keep_changed_only: boolean;
}
/** The snapshots of one page, oldest first. */
type History = readonly Snapshot[];

const rarely = { withCrossShrink: true };
const snapshots = fc.record({
  state: fc.oneof(
    rarely,
    { weight: 12, arbitrary: fc.constant("done" as const) },
    { weight: 3, arbitrary: fc.constant("failed" as const) },
    { weight: 1, arbitrary: fc.constantFrom(...states) },
  ),
  kind: fc.constantFrom(...kinds),
  ageDays: fc.integer({ min: 0, max: 9 }),
  pending: fc.integer({ min: 0, max: 40 }).map((n) => n === 0),
});
const histories = fc.array(fc.array(snapshots, { maxLength: 9 }), { minLength: 1, maxLength: 6 });
const rules = fc.record({
  keep_days: fc.option(fc.integer({ min: 1, max: 8 })),
  keep_snapshots: fc.option(fc.integer({ min: 1, max: 6 })),
  keep_changed_only: fc.boolean(),
});

/** Applies the rules as a person would say them, one snapshot at a time. @returns the positions of the snapshots that stay */
function kept(history: History, { keep_days, keep_snapshots, keep_changed_only }: Rules): number[] {
  const all = history.map((_, at) => at);
  const isDone = (one: Snapshot | undefined) => one?.state === "done";
  const goesOn = (one: Snapshot) => one.state === "queued" || one.state === "running" || (isDone(one) && one.pending);
  const newestDone = history.findLastIndex(isDone);
  const shown = history.findLastIndex(({ state }) => state !== "created" && state !== "cancelled");
  // a snapshot that is under way will be compared with the finished one before it, so that one stays
  const before = new Set(
    all
      .filter((at) => history[at] !== undefined && goesOn(history[at]))
      .map((at) => history.slice(0, at).findLastIndex(isDone)),
  );
  const newer = (at: number, which: (one: Snapshot) => boolean) => history.slice(at + 1).filter(which).length;
  return all.filter((at) => {
    const one = history[at];
    if (
      one === undefined ||
      at === history.length - 1 ||
      at === newestDone ||
      at === shown ||
      goesOn(one) ||
      before.has(at)
    )
      return true;
    if (keep_days !== null && one.ageDays >= keep_days) return false;
    if (one.state === "created") return true;
    // finished snapshots are counted among finished ones only, failed ones among failed ones
    if (keep_snapshots !== null && newer(at, isDone) >= keep_snapshots) return false;
    const hasFailed = ({ state }: Snapshot) => state === "failed" || state === "cancelled";
    if (keep_snapshots !== null && hasFailed(one) && newer(at, hasFailed) >= keep_snapshots) return false;
    return !(keep_changed_only && isDone(one) && one.kind === "unchanged");
  });
}

/** Inserts an object whose pages have these histories. @returns its id, and for each page the ids of its snapshots in order */
async function write(db: Database, pages: readonly History[], rule: Rules): Promise<{ id: string; ids: string[][] }> {
  const [object] = await db.query<{ id: string }>(
    `INSERT INTO test_object (name, url) VALUES ('Histories', 'http://127.0.0.1:9/') RETURNING id`,
  );
  const id = object?.id ?? "";
  const rows = pages.flatMap((history, page) =>
    history.map((one, at) => ({ ...one, page, number: at + 1, pending: one.pending && one.state === "done" })),
  );
  const written = await db.query<{ id: string; page: number; number: number }>(
    `WITH given AS (
       SELECT * FROM jsonb_to_recordset($2::jsonb) AS g (page int, number int, state text, kind text, "ageDays" int, pending boolean)
     ), pages AS (
       INSERT INTO test_instance (test_object_id, url, name, snapshots_total)
       SELECT $1, 'http://127.0.0.1:9/' || page, 'Page', (SELECT count(*) FROM given WHERE given.page = p.page) FROM generate_series(0, $3::int - 1) AS p (page)
       RETURNING id, url
     ), made AS (
       INSERT INTO test_snapshot (test_instance_id, number, state, created_at, queued_at)
       SELECT pages.id, number, state, now() - "ageDays" * interval '1 day' - interval '1 minute', now() + interval '1 day'
       FROM given JOIN pages ON pages.url = 'http://127.0.0.1:9/' || page ORDER BY page, number
       RETURNING id, test_instance_id, number
     ), placed AS (
       SELECT made.id, split_part(pages.url, '/', 4)::int AS page, made.number FROM made JOIN pages ON pages.id = made.test_instance_id
     ), changes AS (
       INSERT INTO change (snapshot_id, previous_id, state, kind, queued_at)
       SELECT placed.id, lag(placed.id) OVER (PARTITION BY placed.page ORDER BY placed.number), CASE WHEN pending THEN 'queued' ELSE 'done' END, kind, now() + interval '1 day'
       FROM placed JOIN given USING (page, number) WHERE state = 'done'
     )
     SELECT * FROM placed ORDER BY page, number`,
    [id, JSON.stringify(rows), pages.length],
  );
  await db.query(
    `UPDATE test_instance i SET last_snapshot_id = (SELECT id FROM test_snapshot s WHERE s.test_instance_id = i.id AND s.state NOT IN ('created', 'cancelled') ORDER BY id DESC LIMIT 1)
     WHERE test_object_id = $1`,
    [id],
  );
  // last, so that no retention round of the product sees the object before all is written
  await db.query("UPDATE test_object SET keep_days = $2, keep_snapshots = $3, keep_changed_only = $4 WHERE id = $1", [
    id,
    rule.keep_days,
    rule.keep_snapshots,
    rule.keep_changed_only,
  ]);
  const ids = pages.map((_, page) => written.filter((row) => row.page === page).map((row) => row.id));
  return { id, ids };
}

async function left(db: Database, objectId: string): Promise<Set<string>> {
  const rows = await db.query<{ id: string }>(
    `SELECT s.id FROM test_snapshot s JOIN test_instance i ON i.id = s.test_instance_id WHERE i.test_object_id = $1`,
    [objectId],
  );
  return new Set(rows.map((row) => row.id));
}

/** Wraps the database so that a transaction breaks off at this statement, as if its process were killed there. */
function breaking(db: Database, atStatement: number): Database {
  let statement = 0;
  return {
    ...db,
    transaction: (work) =>
      db.transaction((tx) =>
        work({
          query: (sql, values) => {
            if (++statement === atStatement) throw new Error("killed");
            return tx.query(sql, values);
          },
        }),
      ),
  };
}

const going = new AbortController().signal;

test("what goes is what the rules say, whatever the history and wherever a round breaks off", async () => {
  const { db } = product;
  let broken = 0;
  await fc.assert(
    fc.asyncProperty(histories, rules, fc.integer({ min: 1, max: 14 }), async (pages, rule, killedAt) => {
      const { id, ids } = await write(db, pages, rule);
      const batch = { pages: 2, rows: 3 };
      const run = (over: Database) => applyRetention({ db: over, signal: going, batch, onRemoved: () => undefined });
      await run(breaking(db, killedAt)).catch(() => broken++);
      await run(db);
      const expected = new Set(
        pages.flatMap((history, page) => kept(history, rule).map((at) => ids[page]?.[at] ?? "")),
      );
      const present = await left(db, id);
      expect(present).toEqual(expected);
      const [object] = await db.query<{ removed: number; totals: boolean; dangling: number }>(
        `SELECT o.removed_by_age + o.removed_by_count + o.removed_unchanged AS removed,
                (SELECT bool_and(i.snapshots_total = (SELECT count(*) FROM test_snapshot s WHERE s.test_instance_id = i.id)) FROM test_instance i WHERE i.test_object_id = o.id) AS totals,
                (SELECT count(*)::int FROM change c JOIN test_snapshot s ON s.id = c.snapshot_id JOIN test_instance i ON i.id = s.test_instance_id
                 WHERE i.test_object_id = o.id AND c.previous_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM test_snapshot p WHERE p.id = c.previous_id)) AS dangling
         FROM test_object o WHERE id = $1`,
        [id],
      );
      expect(object).toEqual({ removed: ids.flat().length - expected.size, totals: true, dangling: 0 });
      await db.query("DELETE FROM test_object WHERE id = $1", [id]);
    }),
    { numRuns: 40 },
  );
  expect(broken).toBeGreaterThan(2);
});

test("what never finished costs no finished snapshot its place, and does not hold up the rules", async () => {
  const { db } = product;
  const one = (state: Snapshot["state"]): Snapshot => ({ state, kind: "changed", ageDays: 0, pending: false });
  const rule = { keep_days: null, keep_snapshots: 2, keep_changed_only: false };
  const pages: Snapshot["state"][][] = [
    // a snapshot that was made and never fetched does not keep the page from being trimmed
    ["done", "done", "done", "created"],
    // two finished snapshots are kept, whatever failed or was cancelled after them
    ["done", "done", "done", "failed", "cancelled", "failed"],
    ["failed", "done", "failed", "done", "done"],
  ];
  const { id, ids } = await write(
    db,
    pages.map((history) => history.map(one)),
    rule,
  );
  await applyRetention({ db, signal: going, onRemoved: () => undefined });
  const present = await left(db, id);
  expect(ids.map((page) => page.map((snapshot) => present.has(snapshot)))).toEqual([
    [false, true, true, true],
    [false, true, true, false, true, true],
    [false, false, false, true, true],
  ]);
  await db.query("DELETE FROM test_object WHERE id = $1", [id]);
});

test("what stands before removed unchanged snapshots takes their place in the comparison", async () => {
  const { db } = product;
  const one = (kind: Snapshot["kind"]): Snapshot => ({ state: "done", kind, ageDays: 0, pending: false });
  const history = [one("first"), one("unchanged"), one("unchanged"), one("changed"), one("changed")];
  const { id, ids } = await write(db, [history], { keep_days: null, keep_snapshots: null, keep_changed_only: true });
  await until("the removal", async () => (await left(db, id)).size === 3);
  const changes = await db.query<{ snapshot_id: string; previous_id: string | null }>(
    "SELECT snapshot_id, previous_id FROM change WHERE snapshot_id = ANY($1) ORDER BY snapshot_id",
    [ids[0]],
  );
  expect(changes.map((row) => [row.snapshot_id, row.previous_id])).toEqual([
    [ids[0]?.[0], null],
    [ids[0]?.[3], ids[0]?.[0]],
    [ids[0]?.[4], ids[0]?.[3]],
  ]);
  await db.query("DELETE FROM test_object WHERE id = $1", [id]);
});

test("a gateway that is killed in the middle of a round goes on after it", async () => {
  const { db } = product;
  const pages = Array.from({ length: 500 }, (): History =>
    Array.from({ length: 6 }, () => ({ state: "done", kind: "changed", ageDays: 0, pending: false })),
  );
  const { id } = await write(db, pages, { keep_days: null, keep_snapshots: 2, keep_changed_only: false });
  const removed = async () => (await product.rest.call("listTestObjects")).find((o) => o.id === id)?.removed.by_count;
  await until("the begin of the removal", async () => (await left(db, id)).size < 3_000);
  process.kill(product.pidOf("gateway"), "SIGKILL");
  await until("the end of the removal", async () => (await left(db, id)).size === 1_000);
  expect(await until("the gateway", removed)).toBe(2_000);
  await db.query("DELETE FROM test_object WHERE id = $1", [id]);
});

test("rules set by a person are applied, shown, and free what only removed snapshots had", async () => {
  const { db, rest, store } = product;
  const id = await register(product, site.url);
  await crawl(product, id);
  for (const text of ["one", "two", "three"]) {
    for (const [path, page] of Object.entries(manual(3, text))) site.pages.set(path, page);
    await fetchAll(product, id);
  }
  const before = await rest.call("listTestObjects");
  expect(before.find((object) => object.id === id)).toMatchObject({
    snapshots_total: 9,
    keep_snapshots: null,
    removed: { by_age: 0, by_count: 0, unchanged: 0, last_at: null },
  });
  await rest.call("updateTestObject", { params: { id }, body: { keep_snapshots: 1 } });
  const object = await until("the removal", async () =>
    (await rest.call("listTestObjects")).find((one) => one.id === id && one.snapshots_total === 3),
  );
  expect(object.removed).toMatchObject({ by_age: 0, by_count: 6, unchanged: 0 });
  // runs keep their counters as history; all other invariants hold
  expect((await invariantFaults(product)).filter((fault) => !/^I4 (fetch|changed) counters/.test(fault))).toEqual([]);
  await db.query("UPDATE content SET touched_at = now() - interval '2 hours'");
  expect(await collectUnused({ db, store, graceMs: 3_600_000, signal: going })).toBe(6);
});
