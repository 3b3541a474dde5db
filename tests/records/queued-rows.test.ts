import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { Database, Queryable } from "@web-tester/platform/database/database";
import { type LeasedTable, releaseRows, renewRows } from "@web-tester/records/leases/leased-rows";
import { recoverPages } from "@web-tester/records/pages/recover-pages";
import { recoverSnapshots } from "@web-tester/records/snapshots/recover-snapshots";
import { claimPages } from "@web-tester/records/pages/claim-pages";
import { claimSnapshots, postponeSnapshots } from "@web-tester/records/snapshots/claim-snapshots";
import { finishSnapshots } from "@web-tester/records/snapshots/finish-snapshots";
import { type OwnDatabase, startDatabase } from "../support/database.js";
import { rowsLookedAt } from "../support/query-plan.js";

/** The cost of a message of fetches or crawls must not depend on how many others wait or are under way, even if the planner's statistics know of none. */
let own: OwnDatabase;
let db: Database;
const rows = 20_000;
const perMessage = 50;

beforeAll(async () => {
  own = await startDatabase();
  db = own.db;
  await db.query(
    `WITH object AS (
       INSERT INTO test_object (name, url) VALUES ('Queued', 'http://queued.test/') RETURNING id
     ), run AS (
       INSERT INTO run (test_object_id, kind) SELECT id, 'crawl' FROM object RETURNING id
     ), visited AS (
       INSERT INTO crawl_page (run_id, url, depth, state) SELECT id, 'http://queued.test/' || n, 1, 'done' FROM run, generate_series(1, $1::int) n
     ), page AS (
       INSERT INTO test_instance (test_object_id, url, name) SELECT id, 'http://queued.test/' || n, 'x' FROM object, generate_series(1, $1::int) n RETURNING id
     )
     INSERT INTO test_snapshot (test_instance_id, number, state, fetched_at) SELECT id, 1, 'done', now() FROM page`,
    [rows],
  );
  // the planner learns that nothing waits and nothing is under way
  await db.query("ANALYZE");
});
afterAll(() => own.stop());

const firstOf = async (table: LeasedTable) =>
  (await db.query<{ id: string }>(`SELECT id FROM ${table} ORDER BY id LIMIT ${perMessage}`)).map(({ id }) => id);

const hold = (table: LeasedTable) =>
  db.query(`UPDATE ${table} SET state = 'running', lease_until = now() + interval '1 minute'`);

/** Expects that a message looks at no more than 12 rows for each of its own. */
async function expectFew(table: LeasedTable, ask: (on: Queryable) => Promise<unknown>): Promise<void> {
  const looked = await rowsLookedAt(db, table, ask);
  expect(looked).toBeGreaterThan(0);
  expect(looked).toBeLessThanOrEqual(perMessage * 12);
}

describe.each(["test_snapshot", "crawl_page"] as const)("a message about rows of %s looks at few others", (table) => {
  test("when it claims them, with all queued", async () => {
    await db.query(`UPDATE ${table} SET state = 'queued', lease_until = NULL, queued_at = now()`);
    const ids = await firstOf(table);
    const claim = table === "test_snapshot" ? claimSnapshots : claimPages;
    // the control: the measure does see a query that looks at every row
    const every = await rowsLookedAt(db, table, (on) => on.query(`SELECT FROM ${table} WHERE state = 'queued'`));
    expect(every).toBe(rows);
    await expectFew(table, (on) => claim(on, ids, 60_000));
  });

  test("when it renews its leases or gives rows back, with all under way", async () => {
    await hold(table);
    const held = await db.query<{ id: string; fence: number }>(
      `SELECT id, fence FROM ${table} ORDER BY id LIMIT ${perMessage}`,
    );
    await expectFew(table, (on) => renewRows(on, table, held, 60_000));
    await expectFew(table, (on) => releaseRows(on, table, held, true));
  });
});

test("a message about snapshots looks at few others when they are postponed or finished, with all under way", async () => {
  await hold("test_snapshot");
  const held = await db.query<{ id: string; fence: number }>(
    `SELECT id, fence FROM test_snapshot ORDER BY id LIMIT ${2 * perMessage}`,
  );
  await expectFew("test_snapshot", (on) => postponeSnapshots(on, held.slice(perMessage)));
  const failed = held.slice(0, perMessage).map((one) => ({
    ...one,
    ...{ state: "failed" as const, hash: null, stored_size: 0, charset: null, files_id: null, files_hash: null },
    ...{
      headers: {},
      http_status: 500,
      final_url: null,
      redirects: [],
      error_code: null,
      error: "HTTP 500",
      warning: null,
    },
    ...{
      duration_ms: 1,
      fetch_mode_used: "http" as const,
      auto_mode: null,
      auto_tested: false,
      name: null,
      asked_as: "",
      taken_with: {} as never,
    },
  }));
  await expectFew("test_snapshot", (on) => finishSnapshots(on, failed));
});

describe("whoever looks for lost work looks at few rows of each address, however many wait", () => {
  const minute = "interval '1 minute'";

  test("of snapshots", async () => {
    await db.query(`
      UPDATE test_snapshot SET state = 'queued', lease_until = NULL, partition = n % 3, lane = CASE n % 2 WHEN 0 THEN 'now' ELSE 'bulk' END,
        queued_at = now() - CASE n % 6 WHEN 5 THEN interval '0' ELSE ${minute} END
      FROM (SELECT id AS of, row_number() OVER () AS n FROM test_snapshot) numbered WHERE id = of`);
    const found: unknown[] = [];
    const looked = await rowsLookedAt(db, "test_snapshot", async (on) => {
      found.push(...(await recoverSnapshots.waiting(on, 30_000)));
    });
    // all but the address whose rows were queued just now
    const all = ["bulk", "now"].flatMap((lane) => [0, 1, 2].map((partition) => ({ lane, partition })));
    expect(found).toEqual(all.filter(({ lane, partition }) => lane === "now" || partition !== 2));
    expect(looked).toBeLessThanOrEqual(perMessage);
  });

  test("of pages", async () => {
    await db.query(`
      UPDATE crawl_page SET state = 'queued', lease_until = NULL, partition = n % 3, kind = CASE WHEN n < 10 THEN 'sitemap' ELSE 'page' END,
        queued_at = now() - CASE n % 3 WHEN 2 THEN interval '0' ELSE ${minute} END
      FROM (SELECT id AS of, row_number() OVER () AS n FROM crawl_page) numbered WHERE id = of`);
    const found: unknown[] = [];
    const looked = await rowsLookedAt(db, "crawl_page", async (on) => {
      found.push(...(await recoverPages.waiting(on, 30_000)));
    });
    expect(found).toEqual([0, 1].map((partition) => ({ lane: null, partition })));
    expect(looked).toBeLessThanOrEqual(perMessage);
  });
});
