import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { selectCounts, selectGroups, selectPages } from "@web-tester/gateway/reviews/select-review.sql";
import type { Database, Queryable } from "@web-tester/platform/database/database";
import { findingsOf } from "@web-tester/records/events/run-findings";
import { giveVerdict } from "@web-tester/records/reviews/verdicts";
import { countSettled, settleRun } from "@web-tester/records/runs/settle-run";
import { type OwnDatabase, startDatabase } from "../support/database.js";
import { answerAndRows, rowsHandled } from "../support/query-plan.js";

/**
 * The planner's statistics are made of the runs before a new one, and say that it has no row at all. What is asked of it must still cost what its
 * changed pages do, not their square.
 */
let own: OwnDatabase;
let db: Database;
let objectId = "";
let runId = "";
const pages = 600;
const samples = 200;
const everything = { path: "", text: "", failures: 1 };

/** A fetch in which each page changed in a way of its own, and in one that others share. @returns the run */
async function fetchChanged(): Promise<string> {
  const [run] = await db.query<{ id: string }>(
    "INSERT INTO run (test_object_id, kind, state, changed) VALUES ($1, 'snapshot-all', 'finished', $2) RETURNING id",
    [objectId, pages],
  );
  const id = run?.id ?? "";
  await db.query(
    `WITH page AS (
       SELECT id, row_number() OVER (ORDER BY url) AS n FROM test_instance WHERE test_object_id = $1
     ), made AS (
       INSERT INTO test_snapshot (test_instance_id, run_id, number, state) SELECT id, $2, 1 + (SELECT count(*) FROM run WHERE test_object_id = $1), 'done' FROM page
       RETURNING id, test_instance_id
     ), kinds AS (
       SELECT made.id, n, sha256(convert_to($2 || 'own' || n, 'UTF8')) AS own, sha256(convert_to($2 || 'shared' || n % 50, 'UTF8')) AS shared
       FROM made JOIN page ON page.id = made.test_instance_id
     ), texts AS (
       INSERT INTO hunk_text (test_object_id, fingerprint, place, removed, added, kind)
       SELECT $1, fingerprint, '\\x00', '', added, 'content' FROM (
         SELECT own AS fingerprint, 'Own ' || n AS added FROM kinds UNION SELECT shared, 'Shared ' || n % 50 FROM kinds) t
     ), samples AS (
       INSERT INTO hunk_sample (run_id, fingerprint, sample_id, removed, added)
       SELECT $2, own, id, '', 'Sample ' || n FROM kinds WHERE n <= ${samples}
     )
     INSERT INTO change (snapshot_id, test_object_id, run_id, state, kind, significant, hunks) SELECT id, $1, $2, 'done', 'changed', true, ARRAY[own, shared] FROM kinds`,
    [objectId, id],
  );
  return id;
}

beforeAll(async () => {
  own = await startDatabase();
  db = own.db;
  const [object] = await db.query<{ id: string }>(
    "INSERT INTO test_object (name, url) VALUES ('Changed', 'http://changed.test/') RETURNING id",
  );
  objectId = object?.id ?? "";
  await db.query(
    "INSERT INTO test_instance (test_object_id, url, name) SELECT $1, 'http://changed.test/' || n, 'A page' FROM generate_series(1, $2::int) n",
    [objectId, pages],
  );
  for (const table of ["change", "test_snapshot", "hunk_sample", "hunk_text", "run"])
    await db.query(`ALTER TABLE ${table} SET (autovacuum_enabled = false)`);
  await fetchChanged();
  await db.query("ANALYZE");
  runId = await fetchChanged();
});
afterAll(() => own.stop());

/** Expects that something looks at no more rows than a hundred for each changed page, and returns its answer. */
async function expectFew<T>(ask: (on: Queryable) => Promise<T>): Promise<T | undefined> {
  const { answer, rows } = await answerAndRows(db, ask);
  expect(rows).toBeGreaterThan(pages / 10);
  expect(rows).toBeLessThan(100 * pages);
  return answer;
}

test("the control: the measure does see a query that compares each change with each", async () => {
  const every = await rowsHandled(db, (on) =>
    on.query(
      "SELECT count(*) FROM change a JOIN change b ON a.run_id = $1 AND b.run_id = $1 AND b.lines_added >= a.lines_added",
      [runId],
    ),
  );
  expect(every).toBeGreaterThan(pages * pages);
});

test("what a run found is told", async () => {
  const found = await expectFew((on) => findingsOf(on, runId, everything));
  expect(found?.changed.total).toBe(pages);
  expect(found?.groupsTotal).toBe(pages + 50);
  expect(found?.groups.map((group) => group.pages)).toEqual(Array.from({ length: 10 }, () => pages / 50));
});

test("a watched text is found in the samples of kinds, too", async () => {
  const found = await expectFew((on) => findingsOf(on, runId, { ...everything, text: "sample" }));
  expect(found?.groupsTotal).toBe(samples);
  expect(found?.groups[0]?.added).toMatch(/^Sample \d+$/);
  const one = await expectFew((on) => findingsOf(on, runId, { ...everything, text: `own ${pages}` }));
  expect([one?.changed.total, one?.groupsTotal]).toEqual([1, 1]);
});

test("a review shows its numbers, kinds and pages", async () => {
  const counts = await expectFew((on) => selectCounts(on, runId));
  expect(counts?.kinds.find(({ kind }) => kind === "changed")?.pages).toBe(pages);
  const groups = await expectFew((on) => selectGroups(on, runId, objectId, { limit: 50, offset: 0 }));
  expect(groups?.[0]?.total).toBe(pages + 50);
  for (const kind of [null, "changed"] as const) {
    const filter = { kind, fingerprints: null, q: null };
    expect(await expectFew((on) => selectPages(on, runId, filter, null, 50))).toHaveLength(50);
    expect(await expectFew((on) => selectPages(on, runId, { ...filter, q: "a page" }, null, 50))).toHaveLength(50);
  }
});

test("all of it is accepted and counted", async () => {
  await expectFew((on) => giveVerdict(on, runId, "all", { verdict: "accepted", note: "", author: "me" }));
  expect(await expectFew((on) => settleRun(on, runId))).toEqual({ changed: pages, settled: pages });
  expect(await expectFew((on) => countSettled(on, runId))).toBe(pages);
});
