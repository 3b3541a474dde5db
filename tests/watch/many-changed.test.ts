import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { Database } from "@web-tester/platform/database/database";
import { type Findings, findingsOf } from "@web-tester/records/events/run-findings";
import { type OwnDatabase, startDatabase } from "../support/database.js";
import { rowsHandled } from "../support/query-plan.js";

/**
 * What a run found is told at a cost that grows with the changed pages, not with their square, also while the planner's statistics know nothing
 * of the run: they are made of the runs before it.
 */
let own: OwnDatabase;
let db: Database;
let runId = "";
const pages = 600;
const samples = 200;
const everything = { path: "", text: "", failures: 1 };

/** A fetch of all pages, of which each changed in a way of its own, and many besides in one that others share. @returns the run */
async function fetchChanged(objectId: string): Promise<string> {
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
  const objectId = object?.id ?? "";
  await db.query(
    "INSERT INTO test_instance (test_object_id, url, name) SELECT $1, 'http://changed.test/' || n, 'A page' FROM generate_series(1, $2::int) n",
    [objectId, pages],
  );
  for (const table of ["change", "test_snapshot", "hunk_sample", "hunk_text", "run"])
    await db.query(`ALTER TABLE ${table} SET (autovacuum_enabled = false)`);
  await fetchChanged(objectId);
  await db.query("ANALYZE");
  runId = await fetchChanged(objectId);
});
afterAll(() => own.stop());

async function handled(filter: Parameters<typeof findingsOf>[2]): Promise<[rows: number, found: Findings | undefined]> {
  const found: Findings[] = [];
  const rows = await rowsHandled(db, async (on) => {
    found.push(await findingsOf(on, runId, filter));
  });
  return [rows, found[0]];
}

test("the kinds of a run's changes are found by looking at each change a few times", async () => {
  // the control: the measure does see a query that compares each change with each
  const every = await rowsHandled(db, (on) =>
    on.query(
      "SELECT count(*) FROM change a JOIN change b ON a.run_id = $1 AND b.run_id = $1 AND b.lines_added >= a.lines_added",
      [runId],
    ),
  );
  expect(every).toBeGreaterThan(pages * pages);

  const [rows, found] = await handled(everything);
  expect(found?.changed.total).toBe(pages);
  expect(found?.groupsTotal).toBe(pages + 50);
  expect(found?.groups.map((group) => group.pages)).toEqual(Array.from({ length: 10 }, () => pages / 50));
  expect(rows).toBeLessThan(100 * pages);
});

test("so are those that hold a text, whose samples are looked through too", async () => {
  const [rows, found] = await handled({ ...everything, text: "sample" });
  expect(found?.groupsTotal).toBe(samples);
  expect(found?.groups[0]?.added).toMatch(/^Sample \d+$/);
  expect(rows).toBeLessThan(100 * pages);
});
