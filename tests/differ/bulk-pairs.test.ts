import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { type BulkPage, selectBulkPage } from "@web-tester/gateway/compare/select-bulk.sql";
import type { Database } from "@web-tester/platform/database/database";
import { removeOutdatedSnapshots } from "@web-tester/records/snapshots/retention";
import { type OwnDatabase, startDatabase } from "../support/database.js";
import { writeLongHistory } from "../support/long-history.js";
import { rowsLookedAt } from "../support/query-plan.js";

/** Pairs that a bulk diff takes from recorded changes equal those computed from the snapshots themselves, whatever happened to the history since. */
let own: OwnDatabase;
let db: Database;

beforeAll(async () => {
  own = await startDatabase();
  db = own.db;
  await db.query(
    "INSERT INTO content (hash, size) SELECT decode(repeat(to_hex(n), 64), 'hex'), n FROM generate_series(1, 3) n",
  );
});
afterAll(() => own.stop());

interface Snapshot {
  state: "done" | "failed" | "queued" | "cancelled";
  content: number;
  charset: string | null;
  /** Whether its comparison with the snapshot before is already done. */
  compared: boolean;
  /** Whether a file of the page changed, independently of the HTML. */
  fileChanged: boolean;
}
type History = Snapshot[];

const snapshot = fc.record<Snapshot>({
  state: fc.constantFrom("done", "done", "done", "done", "failed", "queued", "cancelled"),
  content: fc.integer({ min: 1, max: 3 }),
  charset: fc.constantFrom(null, null, "utf-8"),
  compared: fc.constantFrom(true, true, true, false),
  fileChanged: fc.constantFrom(false, false, false, true),
});

/** Writes an object with pages of these histories. @param cut the share (0…1) of snapshots older than its last Fetch All; null: none @returns its ID */
async function write(pages: readonly History[], keepSnapshots: number | null, cut: number | null): Promise<string> {
  const [object] = await db.query<{ id: string }>(
    "INSERT INTO test_object (name, url, keep_snapshots) VALUES ('Pairs', 'http://127.0.0.1:9/', $1) RETURNING id",
    [keepSnapshots],
  );
  const id = object?.id ?? "";
  const rows = pages.flatMap((history, page) => history.map((one, at) => ({ ...one, page, number: at + 1 })));
  await db.query(
    `WITH given AS (
       SELECT * FROM jsonb_to_recordset($2::jsonb) AS g (page int, number int, state text, content int, charset text, compared boolean, "fileChanged" boolean)
     ), pages AS (
       INSERT INTO test_instance (test_object_id, url, name, snapshots_total)
       SELECT $1, 'http://127.0.0.1:9/' || lpad(page::text, 3, '0'), 'Page', (SELECT count(*) FROM given WHERE given.page = p.page)
       FROM generate_series(0, $3::int - 1) AS p (page) RETURNING id, right(url, 3)::int AS page
     ), made AS (
       INSERT INTO test_snapshot (test_instance_id, number, state, content_hash, charset)
       SELECT pages.id, number, state, CASE WHEN state = 'done' THEN decode(repeat(to_hex(content), 64), 'hex') END, CASE WHEN state = 'done' THEN charset END
       FROM given JOIN pages USING (page) ORDER BY page, number
       RETURNING id, test_instance_id, number, state, content_hash, charset
     ), finished AS (
       SELECT made.*, compared, "fileChanged", lag(made.id) OVER before AS previous_id, lag(content_hash) OVER before AS previous_hash, lag(made.charset) OVER before AS previous_charset
       FROM made JOIN pages ON pages.id = test_instance_id JOIN given USING (page, number) WHERE made.state = 'done'
       WINDOW before AS (PARTITION BY test_instance_id ORDER BY number)
     ), kinds AS (
       SELECT *, content_hash <> previous_hash AS differs, CASE WHEN previous_id IS NULL THEN 'first'
         WHEN content_hash <> previous_hash OR charset IS DISTINCT FROM previous_charset OR "fileChanged" THEN 'changed' ELSE 'unchanged' END AS kind FROM finished
     )
     INSERT INTO change (snapshot_id, previous_id, state, kind, lines_added)
     SELECT id, CASE WHEN compared THEN previous_id END, CASE WHEN compared THEN 'done' ELSE 'queued' END, CASE WHEN compared THEN kind END, CASE WHEN differs THEN number ELSE 0 END FROM kinds`,
    [id, JSON.stringify(rows), pages.length],
  );
  await db.query(
    `UPDATE test_instance i SET last_snapshot_id = (SELECT id FROM test_snapshot s WHERE s.test_instance_id = i.id AND s.state <> 'cancelled' ORDER BY id DESC LIMIT 1)
     WHERE test_object_id = $1`,
    [id],
  );
  if (cut !== null)
    await db.query(
      `INSERT INTO run (id, test_object_id, kind, state, total)
       SELECT s.id, $1, 'snapshot-all', 'finished', $2 FROM test_snapshot s JOIN test_instance i ON i.id = s.test_instance_id WHERE i.test_object_id = $1
       ORDER BY s.id OFFSET $3 LIMIT 1`,
      [id, pages.length, Math.floor(cut * rows.length)],
    );
  if (keepSnapshots !== null)
    await db.transaction((tx) => removeOutdatedSnapshots(tx, id, { after: "" }, { pages: 100, rows: 1_000 }));
  return id;
}

/** Reads all rows of a bulk diff, `limit` at a time. */
async function ask(id: string, idx1: number, idx2: number, limit: number): Promise<BulkPage> {
  const page = await selectBulkPage(db, id, { idx1, idx2, limit, offset: 0 });
  while (page.rows.length < page.total) {
    const { rows } = await selectBulkPage(db, id, { idx1, idx2, limit, offset: page.rows.length });
    if (rows.length === 0) break;
    page.rows.push(...rows);
  }
  return page;
}

/** Computes the expected counts and the order of all pages from the stored snapshots. */
async function expected(id: string, idx1: number, idx2: number) {
  const pages = await db.query<{ url: string; hashes: string[]; ids: string[] }>(
    `SELECT i.url, coalesce(array_agg(encode(s.content_hash, 'hex') || coalesce(s.charset, '-') ORDER BY s.id DESC) FILTER (WHERE s.state = 'done'), '{}') AS hashes,
       coalesce(array_agg(s.id ORDER BY s.id DESC) FILTER (WHERE s.state = 'done'), '{}') AS ids
     FROM test_instance i LEFT JOIN test_snapshot s ON s.test_instance_id = i.id WHERE i.test_object_id = $1 GROUP BY i.url ORDER BY i.url`,
    [id],
  );
  const outcomeOf = (hashes: string[]) => {
    const [one, other] = [hashes[idx1], hashes[idx2]];
    if (one === undefined || other === undefined) return "too few";
    return one === other ? "identical" : "differs";
  };
  const rows = pages.map(({ url, hashes, ids }) => ({
    url,
    outcome: outcomeOf(hashes),
    one: ids[idx1] ?? null,
    other: ids[idx2] ?? null,
  }));
  const order = ["differs", "too few", "identical"];
  const of = (outcome: string) => rows.filter((row) => row.outcome === outcome).length;
  return {
    ...{ total: rows.length, differing: of("differs"), identical: of("identical") },
    rows: order.flatMap((outcome) => rows.filter((row) => row.outcome === outcome)),
  };
}

const shown = ({ total, differing, identical, rows }: BulkPage) => ({
  ...{ total, differing, identical },
  rows: rows.map(({ url, outcome, one, other }) => ({ url, outcome, one: one?.id ?? null, other: other?.id ?? null })),
});

describe("pairs of a bulk diff", () => {
  test("are those of the snapshots, after failures, stops, comparisons to come and retention", async () => {
    const history = fc.array(snapshot, { maxLength: 6 });
    const rule = fc.constantFrom(null, null, 1, 2, 3);
    const cut = fc.option(fc.double({ min: 0, max: 1, noNaN: true }));
    const all = fc.array(history, { minLength: 1, maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(
        all,
        rule,
        cut,
        fc.integer({ min: 3, max: 50 }),
        async (pages, keepSnapshots, fetched, limit) => {
          const id = await write(pages, keepSnapshots, fetched);
          for (const [idx1, idx2] of [
            [1, 0],
            [0, 1],
            [2, 0],
            [0, 0],
          ] as const)
            expect([idx1, idx2, shown(await ask(id, idx1, idx2, limit))]).toEqual([
              idx1,
              idx2,
              await expected(id, idx1, idx2),
            ]);
        },
      ),
      { numRuns: 40 },
    );
  });

  test("far behind the last one there are none", async () => {
    const id = await write([[]], null, null);
    const page = await selectBulkPage(db, id, { idx1: 1, idx2: 0, limit: 500, offset: 2 ** 31 - 1 });
    expect(page).toMatchObject({ total: 1, rows: [] });
  });

  test("cost what changed: of a page that did not change no snapshot is looked at", async () => {
    const same = (changes: boolean): Snapshot => ({
      ...{ state: "done", charset: null, compared: true, fileChanged: false },
      content: changes ? 2 : 1,
    });
    const id = await write(
      Array.from({ length: 900 }, (_, page) => [same(false), same(false), same(page % 100 === 0)]),
      null,
      2 / 3,
    );
    await db.query("ANALYZE");
    const looked = (idx1: number) =>
      rowsLookedAt(db, "test_snapshot", (on) => selectBulkPage(on, id, { idx1, idx2: 0, limit: 20, offset: 0 }));
    expect(await looked(1)).toBeLessThan(400);
    // index 2 has to look at each page's snapshots, which shows that the measurement works
    expect(await looked(2)).toBeGreaterThan(900);
  });

  test("cost the newest snapshots, however many there were before", async () => {
    const pages = 500;
    const id = await writeLongHistory(db, pages, 20);
    const looked = await db.transaction(async (tx) => {
      // forces the query plan that PostgreSQL chooses when there are a hundred times as many pages
      await tx.query("SET LOCAL enable_nestloop = off");
      return rowsLookedAt(tx, "change", (on) => selectBulkPage(on, id, { idx1: 1, idx2: 0, limit: 20, offset: 0 }));
    });
    expect(looked).toBeGreaterThanOrEqual(pages);
    expect(looked).toBeLessThan(2 * pages);
  });
});
