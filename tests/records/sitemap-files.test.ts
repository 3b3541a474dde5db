import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { budgets } from "@web-tester/contracts/limits";
import type { Database } from "@web-tester/platform/database/database";
import { finishSitemap, storeEntries, storeSitemaps } from "@web-tester/records/pages/finish-sitemap";
import { type OwnDatabase, startDatabase } from "../support/database.js";

/** A sitemap crawl has one limit for the files that it reads, and one for the pages that they name. */
let own: OwnDatabase;
let db: Database;
let runId: string;
let held: { id: string; runId: string; fence: number };

/** The number of files that are queued already, with the one that is being read. */
const filesBefore = budgets.sitemapFilesMax - 2;
const budget = { pagesMax: 4, minutesMax: 60, mibMax: 100 };

beforeAll(async () => {
  own = await startDatabase();
  db = own.db;
});
afterAll(() => own.stop());
beforeEach(async () => {
  await db.query("DELETE FROM run");
  await db.query("DELETE FROM test_object");
  const [run] = await db.query<{ id: string }>(
    `WITH object AS (INSERT INTO test_object (name, url) VALUES ('Maps', 'http://maps.test/') RETURNING id)
     INSERT INTO run (test_object_id, kind, total) SELECT id, 'sitemaps', $1 FROM object RETURNING id`,
    [filesBefore],
  );
  runId = run?.id ?? "";
  const [file] = await db.query<{ id: string; fence: number }>(
    `INSERT INTO crawl_page (run_id, url, depth, kind, state, fence, lease_until)
     SELECT $1, 'http://maps.test/' || n || '.xml', 0, 'sitemap', CASE n WHEN 1 THEN 'running' ELSE 'queued' END, 1,
            CASE n WHEN 1 THEN now() + interval '1 hour' END
     FROM generate_series(1, $2::int) AS n RETURNING id, fence`,
    [runId, filesBefore],
  );
  held = { id: file?.id ?? "", runId, fence: file?.fence ?? 0 };
});

const filesNamed = (from: number, count: number) =>
  Array.from({ length: count }, (_, n) => ({ url: `http://maps.test/more/${from + n}.xml`, depth: 1, partition: 3 }));
const pagesNamed = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ url: `http://maps.test/${n}`, name: `Page ${n}` }));
const read = { failed: false, http_status: 200, error_code: null, error: null, detail: null, bytes: 10 };
async function counters() {
  const [row] = await db.query<{ total: number; completed: number; found: number; ended_by: string | null }>(
    "SELECT total, completed, found, ended_by FROM run WHERE id = $1",
    [runId],
  );
  return row;
}

test("no more files are queued than one reading asks for, however many pages it may find, and those are read", async () => {
  expect(await storeSitemaps(db, held, filesNamed(0, 5))).toHaveLength(2);
  expect(await storeSitemaps(db, held, filesNamed(5, 5))).toEqual([]);
  expect(await counters()).toEqual({ total: budgets.sitemapFilesMax, completed: 0, found: 0, ended_by: "pages" });
  // that there were more is recorded once, whatever is named later
  expect(await db.query("SELECT url FROM crawl_skip WHERE run_id = $1", [runId])).toHaveLength(3);
  await finishSitemap(db, held, read, budget);
  expect(await counters()).toMatchObject({ completed: 1 });
});

test("files take no page's place, and once the pages are spent the rest of the files is closed", async () => {
  expect(await storeEntries(db, held, pagesNamed(6), [], budget.pagesMax)).toMatchObject({
    full: true,
    run: { found: 4 },
  });
  await finishSitemap(db, held, read, budget);
  expect(await counters()).toEqual({ total: filesBefore + 4, completed: filesBefore + 4, found: 4, ended_by: "pages" });
});

test("both limits can be reached", async () => {
  await storeSitemaps(db, held, filesNamed(0, 5));
  await storeEntries(db, held, pagesNamed(6), [], budget.pagesMax);
  await finishSitemap(db, held, read, budget);
  const total = budgets.sitemapFilesMax + 4;
  expect(await counters()).toEqual({ total, completed: total, found: 4, ended_by: "pages" });
});
