import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { ComparedSide } from "@web-tester/contracts/entities/comparison";
import type { Database, Queryable } from "@web-tester/platform/database/database";
import { boundOf, startComparison } from "@web-tester/records/comparisons/start-comparison";
import { type OwnDatabase, startDatabase } from "../support/database.js";
import { writeLongHistory } from "../support/long-history.js";
import { lookingOnly, rowsLookedAt } from "../support/query-plan.js";

/** The cost of comparing a whole site grows with its pages, not with the snapshots that are kept of them. */
const [pages, fetches] = [400, 20];
let own: OwnDatabase;
let db: Database;
let objectId: string;

beforeAll(async () => {
  own = await startDatabase();
  db = own.db;
  objectId = await writeLongHistory(db, pages, fetches);
});
afterAll(() => own.stop());

async function compare(tx: Queryable, from: ComparedSide): Promise<void> {
  const to: ComparedSide = { type: "latest" };
  const [one, other] = [await boundOf(tx, from), await boundOf(tx, to)];
  if (one === null || other === null) throw new Error("there is no such state");
  const [run] = await tx.query<{ id: string }>(
    "INSERT INTO run (test_object_id, kind) VALUES ($1, 'compare') RETURNING id",
    [objectId],
  );
  if (run === undefined) throw new Error("INSERT gave no row");
  const found = await startComparison(tx, objectId, run.id, { from, to, bounds: [one, other] });
  expect(found).toEqual({ total: pages, same: pages, queued: 0 });
}

test.each<[string, ComparedSide]>([
  ["its baseline", { type: "baseline" }],
  ["the fetch before", { type: "previous" }],
  ["a time", { type: "time", at: new Date(Date.now() + 3_600_000).toISOString() }],
])("a site that did not change is compared with %s by two snapshots of each page", async (_with, from) => {
  const looked = await db.transaction(async (tx) => {
    // the plan that PostgreSQL chooses where there are a hundred times as many rows
    await tx.query("SET LOCAL enable_nestloop = off");
    return rowsLookedAt(lookingOnly(tx), "test_snapshot", (on) => compare(on, from));
  });
  expect(looked).toBeGreaterThanOrEqual(pages);
  // all kept snapshots would be 20 for each page
  expect(looked).toBeLessThan(6 * pages);
});
