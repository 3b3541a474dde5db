import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import type { ReviewKind } from "@web-tester/contracts/entities/review";
import { selectBeside, selectCounts, selectGroups, selectPages } from "@web-tester/gateway/reviews/select-review.sql";
import type { Database } from "@web-tester/platform/database/database";
import { requeueChanges } from "@web-tester/records/changes/queue-changes";
import { type OwnDatabase, startDatabase } from "../support/database.js";
import { rowsLookedAt } from "../support/query-plan.js";

/** A run's pages are counted without looking at those that are unchanged, and the list of each kind has as many pages as are counted. */
let own: OwnDatabase;
let db: Database;

beforeAll(async () => {
  own = await startDatabase();
  db = own.db;
});
afterAll(() => own.stop());

interface Page {
  state: "done" | "failed" | "queued" | "running" | "cancelled";
  kind: "first" | "changed" | "unchanged";
  compared: boolean;
  significant: boolean;
  files: number;
  isGone: boolean;
  isGoing: boolean;
  failedBefore: boolean;
}

const page = fc.record<Page>({
  state: fc.constantFrom("done", "done", "done", "done", "failed", "queued", "running", "cancelled"),
  kind: fc.constantFrom("first", "changed", "unchanged", "unchanged"),
  compared: fc.constantFrom(true, true, true, false),
  significant: fc.boolean(),
  files: fc.constantFrom(0, 0, 2),
  isGone: fc.constantFrom(false, false, true),
  isGoing: fc.constantFrom(false, false, false, true),
  failedBefore: fc.boolean(),
});

/** Inserts an object with a run of these pages, each with a snapshot before it. @returns the run's id */
async function write(pages: readonly Page[]): Promise<string> {
  const [row] = await db.query<{ id: string; run: string }>(
    `WITH object AS (INSERT INTO test_object (name, url) VALUES ('Counts', 'http://127.0.0.1:9/') RETURNING id)
     INSERT INTO run (test_object_id, kind) SELECT id, 'snapshot-all' FROM object RETURNING test_object_id AS id, id AS run`,
  );
  const { id, run } = row ?? { id: "", run: "" };
  await db.query(
    `WITH given AS (
       SELECT row_number() OVER () AS page, g.* FROM jsonb_to_recordset($2::jsonb) AS g (state text, kind text, compared boolean, significant boolean, files int, "isGone" boolean, "isGoing" boolean, "failedBefore" boolean)
     ), removal AS (
       INSERT INTO removal (test_object_id, kind, total, due_at) VALUES ($1, 'instances', 1, now() + interval '1 hour') RETURNING id
     ), pages AS (
       INSERT INTO test_instance (test_object_id, url, name, removal_id)
       SELECT $1, 'http://127.0.0.1:9/' || page, 'Page', CASE WHEN "isGoing" THEN removal.id END FROM given, removal RETURNING id, split_part(url, '/', 4)::int AS page
     ), before AS (
       INSERT INTO test_snapshot (test_instance_id, number, state) SELECT id, 1, CASE WHEN "failedBefore" THEN 'failed' ELSE 'done' END FROM pages JOIN given USING (page) ORDER BY page
       RETURNING id, test_instance_id
     ), made AS (
       INSERT INTO test_snapshot (test_instance_id, number, state, run_id) SELECT pages.id, 2, state, $3 FROM pages JOIN given USING (page) JOIN before ON before.test_instance_id = pages.id ORDER BY page
       RETURNING id, test_instance_id, state
     ), gone AS (
       INSERT INTO page_lifecycle (test_object_id, test_instance_id, run_id, kind, url) SELECT $1, id, $3, 'gone', '' FROM pages JOIN given USING (page) WHERE "isGone"
     )
     INSERT INTO change (snapshot_id, previous_id, state, kind, significant, files_changed, files)
     SELECT made.id, before.id, CASE WHEN compared THEN 'done' ELSE 'queued' END, CASE WHEN compared THEN kind END, significant,
       CASE WHEN kind = 'changed' THEN files ELSE 0 END, CASE WHEN compared AND kind = 'changed' AND files > 0 THEN '[{"url": "/a.css"}]'::jsonb END
     FROM made JOIN pages ON pages.id = made.test_instance_id JOIN given USING (page) JOIN before USING (test_instance_id) WHERE made.state = 'done'`,
    [id, JSON.stringify(pages), run],
  );
  return run;
}

function kindOf({ state, kind, compared, significant, isGone }: Page): ReviewKind | null {
  if (state === "cancelled") return null;
  if (state === "failed") return isGone ? "gone" : "failed";
  if (state !== "done" || !compared) return "pending";
  if (kind === "first") return "new";
  if (kind === "unchanged") return "unchanged";
  return significant ? "changed" : "ignored";
}

const filter = (kind: ReviewKind | null) => ({ kind, fingerprints: null, q: null });

describe("what a run found", () => {
  test("is counted and listed by kind, whatever became of each page", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(page, { minLength: 1, maxLength: 60 }), async (pages) => {
        const run = await write(pages);
        const staying = pages.filter(({ isGoing }) => !isGoing);
        const { kinds, newFailures } = await selectCounts(db, run);
        for (const kind of ["failed", "gone", "pending", "new", "changed", "ignored", "unchanged"] as const) {
          const of = staying.filter((each) => kindOf(each) === kind);
          const counted = kinds.find((each) => each.kind === kind)?.pages ?? 0;
          const listed = (await selectPages(db, run, filter(kind), null, 100)).map((row) => row.kind);
          expect([kind, counted, listed]).toEqual([kind, of.length, of.map(() => kind)]);
        }
        const all = (await selectPages(db, run, filter(null), null, 100)).map((row) => row.kind);
        expect(all).toEqual(staying.map(kindOf).filter((kind) => kind !== null));
        const failed = staying.filter((each) => kindOf(each) === "failed" && !each.failedBefore);
        expect(newFailures).toBe(failed.length);
        const withFiles = staying.filter((each) => kindOf(each) === "changed" && each.files > 0);
        expect(kinds.find(({ kind }) => kind === "changed")?.files ?? 0).toBe(withFiles.length);
        expect((await selectBeside(db, run)).files.map((each) => each.pages)).toEqual(
          withFiles.length === 0 ? [] : [withFiles.length],
        );
      }),
      { numRuns: 40 },
    );
  });

  const settled: Page = {
    ...{ state: "done", kind: "unchanged", compared: true, significant: false, files: 0 },
    ...{ isGone: false, isGoing: false, failedBefore: false },
  };

  test("a page that is compared again waits, though it was recorded as unchanged by a service that named no run", async () => {
    const run = await write([settled, settled]);
    await db.query("UPDATE change SET run_id = NULL, test_object_id = NULL");
    expect((await selectCounts(db, run)).kinds.filter(({ pages }) => pages > 0)).toMatchObject([
      { kind: "unchanged", pages: 2 },
    ]);
    const [first] = await selectPages(db, run, filter(null), null, 1);
    await db.transaction((tx) => requeueChanges(tx, [first?.id ?? ""]));
    const { kinds } = await selectCounts(db, run);
    expect(kinds.filter(({ pages }) => pages > 0).map(({ kind, pages }) => [kind, pages])).toEqual(
      expect.arrayContaining([
        ["unchanged", 1],
        ["pending", 1],
      ]),
    );
    expect(await selectPages(db, run, filter("pending"), null, 10)).toMatchObject([{ id: first?.id }]);
  });

  test("of the changes of a run only those are looked at that are not unchanged", async () => {
    const run = await write(
      Array.from({ length: 2_000 }, (_, at): Page => ({
        ...settled,
        kind: at % 100 === 0 ? "changed" : "unchanged",
        significant: true,
      })),
    );
    await db.query("ANALYZE");
    const changes = (ask: Parameters<typeof rowsLookedAt>[2]) => rowsLookedAt(db, "change", ask);
    expect(await changes((on) => selectCounts(on, run))).toBeLessThan(200);
    expect(await changes((on) => selectPages(on, run, filter(null), null, 20))).toBeLessThan(200);
    expect(await changes((on) => selectPages(on, run, filter("changed"), null, 20))).toBeLessThan(200);
    // the control: the measure does see a query that reads every change
    const every = "SELECT count(*) FROM test_snapshot s JOIN change c ON c.snapshot_id = s.id WHERE s.run_id = $1";
    expect(await changes((on) => on.query(every, [run]))).toBeGreaterThanOrEqual(2_000);
  });

  test("of the kinds of change of a run, only those that are shown are read with what they are a sample of", async () => {
    const run = await write(
      Array.from({ length: 2_000 }, (): Page => ({ ...settled, kind: "changed", significant: true })),
    );
    const [object] = await db.query<{ id: string }>("SELECT test_object_id AS id FROM run WHERE id = $1", [run]);
    await db.query("UPDATE change SET hunks = ARRAY[decode(md5(snapshot_id::text), 'hex')] WHERE run_id = $1", [run]);
    await db.query("ANALYZE");
    const shown = { limit: 20, offset: 1_990 };
    const groups = await selectGroups(db, run, object?.id ?? "", shown);
    expect(groups.map(({ pages, total }) => [pages, total])).toEqual(Array.from({ length: 10 }, () => [1, 2_000]));
    const looked = await rowsLookedAt(db, "change", (on) =>
      selectGroups(on, run, object?.id ?? "", { ...shown, offset: 0 }),
    );
    // the run's own changes are read once, for their kinds
    expect(looked).toBeLessThan(2_000 + 200);
  });
});
