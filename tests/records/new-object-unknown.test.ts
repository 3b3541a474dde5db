import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { selectInstances } from "@web-tester/gateway/instances/select-instances.sql";
import { countReport, listReport } from "@web-tester/gateway/runs/report-rows.sql";
import { selectSpots } from "@web-tester/gateway/search/select-contents.sql";
import { selectByContent } from "@web-tester/gateway/search/select-results.sql";
import type { Database, Queryable } from "@web-tester/platform/database/database";
import { unmarkFoundElsewhere } from "@web-tester/records/instances/lifecycle-marks";
import { selectMissed, selectToLookAt } from "@web-tester/records/lifecycle/missed-pages";
import { unknownOf } from "@web-tester/records/pages/frontier";
import { linkToInstances } from "@web-tester/records/pages/settle-pages";
import { type OwnDatabase, startDatabase } from "../support/database.js";
import { answerAndRows, rowsHandled } from "../support/query-plan.js";

/**
 * The planner's statistics are made of the objects before a new one, and say that it has no page at all. What a crawl asks, and what screens ask of
 * its pages, must still cost what these are, not their square.
 */
let own: OwnDatabase;
let db: Database;
const pages = 600;
const found = 300;
const skipped = 100;

/** A new site in the state behind its second crawl, which found some pages and left out others; all of them have changed once. */
interface Site {
  id: string;
  crawl: string;
  urls: string[];
  hashes: Buffer[];
}

async function makeSite(name: string): Promise<Site> {
  const [object] = await db.query<{ id: string }>("INSERT INTO test_object (name, url) VALUES ($1, $2) RETURNING id", [
    name,
    `http://${name}.test/`,
  ]);
  const id = object?.id ?? "";
  const run = async (kind: string, more = "") => {
    const [row] = await db.query<{ id: string }>(
      `INSERT INTO run (test_object_id, kind, state, found) VALUES ($1, '${kind}', 'finished', ${found}) RETURNING id`,
      [id],
    );
    if (more !== "") await db.query(more, [id, row?.id]);
    return row?.id ?? "";
  };
  await db.query(
    "INSERT INTO test_instance (test_object_id, url, name, by_crawl) SELECT $1, 'http://' || $2 || '.test/' || n, 'A page', true FROM generate_series(1, $3::int) n",
    [id, name, pages],
  );
  await run(
    "snapshot-all",
    `WITH bytes AS (
       INSERT INTO content (hash, size, stored_size, stored) SELECT sha256(convert_to(test_object_id || url, 'UTF8')), 1, 1, true FROM test_instance WHERE test_object_id = $1 RETURNING hash
     ), texts AS (
       INSERT INTO search_entry (test_object_id, content_hash, charset, instance_id)
       SELECT i.test_object_id, b.hash, 'utf-8', i.id FROM test_instance i JOIN bytes b ON b.hash = sha256(convert_to(i.test_object_id || i.url, 'UTF8'))
     ), made AS (
       INSERT INTO test_snapshot (test_instance_id, run_id, number, state, content_hash)
       SELECT i.id, $2, 1, 'done', b.hash FROM test_instance i JOIN bytes b ON b.hash = sha256(convert_to(i.test_object_id || i.url, 'UTF8')) RETURNING id
     )
     INSERT INTO change (snapshot_id, test_object_id, run_id, state, kind, significant) SELECT id, $1::uuid, $2::uuid, 'done', 'changed', true FROM made`,
  );
  const crawl = await run(
    "crawl",
    `WITH page AS (
       SELECT id, url, row_number() OVER (ORDER BY url) AS n FROM test_instance WHERE test_object_id = $1
     ), visited AS (
       INSERT INTO crawl_page (run_id, url, depth, state, outcome, test_instance_id) SELECT $2::uuid, url, 1, 'done', 'instance', id FROM page WHERE n <= ${found}
     )
     INSERT INTO crawl_skip (run_id, url, reason) SELECT $2::uuid, url, 'denied' FROM page WHERE n > ${found} AND n <= ${found + skipped}`,
  );
  const urls = await db.query<{ url: string }>("SELECT url FROM test_instance WHERE test_object_id = $1", [id]);
  const hashes = await db.query<{ hash: Buffer }>(
    "SELECT content_hash AS hash FROM search_entry WHERE test_object_id = $1",
    [id],
  );
  return { id, crawl, urls: urls.map(({ url }) => url), hashes: hashes.map(({ hash }) => hash) };
}

let site: Site;

beforeAll(async () => {
  own = await startDatabase();
  db = own.db;
  for (const table of ["test_instance", "crawl_page", "crawl_skip", "change", "test_snapshot", "search_entry", "run"])
    await db.query(`ALTER TABLE ${table} SET (autovacuum_enabled = false)`);
  await makeSite("known");
  await db.query("ANALYZE");
  site = await makeSite("new");
});
afterAll(() => own.stop());

/** Expects that something looks at no more than a hundred rows for each page, and returns its answer. */
async function expectFew<T>(ask: (on: Queryable) => Promise<T>): Promise<T | undefined> {
  const { answer, rows } = await answerAndRows(db, ask);
  expect(rows).toBeGreaterThan(pages / 10);
  expect(rows).toBeLessThan(100 * pages);
  return answer;
}

test("the control: the measure does see a query that compares each page with each", async () => {
  const every = await rowsHandled(db, (on) =>
    on.query("SELECT count(*) FROM test_instance a JOIN test_instance b ON a.test_object_id = b.test_object_id"),
  );
  expect(every).toBeGreaterThan(pages * pages);
});

test("a crawl knows addresses, and links them to their pages", async () => {
  expect(await expectFew((on) => unknownOf(on, site.crawl, site.urls))).toHaveLength(pages - found);
  await expectFew((on) => linkToInstances(on, site.crawl, site.id, site.urls));
  const linked = await db.query<{ n: number }>(
    "SELECT count(*)::int AS n FROM crawl_page p JOIN test_instance i ON i.id = p.test_instance_id AND i.url = p.url WHERE p.run_id = $1",
    [site.crawl],
  );
  expect(linked).toEqual([{ n: found }]);
});

test("a crawl finds out which pages it missed", async () => {
  const run = { id: site.crawl, kind: "crawl", objectId: site.id };
  expect(await expectFew((on) => selectToLookAt(on, run, pages))).toHaveLength(pages - found - skipped);
  expect(await expectFew((on) => selectMissed(on, run))).toHaveLength(pages - found - skipped);
  await expectFew((on) => unmarkFoundElsewhere(on, site.crawl, site.id, { own: "by_crawl", other: "by_sitemaps" }));
  const counts = await expectFew((on) => countReport(on, site.crawl));
  expect([counts?.gone, counts?.skips.get("denied")]).toEqual([pages - found - skipped, skipped]);
  expect(await expectFew((on) => listReport(on, site.crawl, "gone", pages, 0))).toHaveLength(pages - found - skipped);
});

test("the list of pages is ordered by their last changes", async () => {
  for (const [text, offset] of [
    [null, 0],
    [null, pages - 50],
    ["page", 0],
  ] as const) {
    const filter = { objectId: site.id, status: null, text, order: "changed" } as const;
    const list = await expectFew((on) => selectInstances(on, filter, 50, offset));
    expect([list?.items.length, list?.total]).toEqual([50, pages]);
  }
});

test("a search finds its pages", async () => {
  const keys = site.hashes.map((hash) => `${hash.toString("hex")}:utf-8`);
  expect(await expectFew((on) => selectSpots(on, site.id, keys))).toHaveLength(pages);
  const where = { objectId: site.id, instanceId: null, index: null };
  const rows = await expectFew((on) => selectByContent(on, where, site.hashes, null, 20, 10_000));
  expect(rows).toHaveLength(20);
});
