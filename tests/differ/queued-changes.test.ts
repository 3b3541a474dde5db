import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { Database, Queryable } from "@web-tester/platform/database/database";
import { loadPendingChanges, recordChanges } from "@web-tester/records/changes/record-change";
import { type OwnDatabase, startDatabase } from "../support/database.js";

/** Changes are recorded a message at a time, and the cost of a message must not depend on how many others are queued. */
let own: OwnDatabase;
let db: Database;
const pages = 20_000;

beforeAll(async () => {
  own = await startDatabase();
  db = own.db;
  await db.query(
    `WITH object AS (
       INSERT INTO test_object (name, url) VALUES ('Queued', 'http://queued.test/') RETURNING id
     ), page AS (
       INSERT INTO test_instance (test_object_id, url, name) SELECT id, 'http://queued.test/' || n, 'x' FROM object, generate_series(1, $1::int) n RETURNING id
     )
     INSERT INTO test_snapshot (test_instance_id, number, state, fetched_at) SELECT id, 1, 'done', now() FROM page`,
    [pages],
  );
  await db.query("INSERT INTO change (snapshot_id, state) SELECT id, 'done' FROM test_snapshot");
  await db.query("ANALYZE");
  // all changes are queued, but the planner's statistics say that none is
  await db.query("UPDATE change SET state = 'queued'");
});
afterAll(() => own.stop());

interface Plan {
  "Relation Name"?: string;
  "Actual Rows"?: number;
  "Actual Loops"?: number;
  "Rows Removed by Filter"?: number;
  Plans?: Plan[];
}

/** The most rows of `change` that a single step of the plan read. */
function looked({ Plans = [], ...step }: Plan): number {
  const times = step["Actual Loops"] ?? 0;
  const rows = (step["Actual Rows"] ?? 0) + (step["Rows Removed by Filter"] ?? 0);
  return Math.max(step["Relation Name"] === "change" ? rows * times : 0, ...Plans.map(looked));
}

/** Runs the queries of `move` and returns the most rows of `change` that a step of their plans read; the queries return no rows to `move`. */
async function rowsLookedAt(move: (db: Queryable) => Promise<unknown>): Promise<number> {
  let most = 0;
  await move({
    query: async (statement, values) => {
      const text = typeof statement === "string" ? statement : statement.text;
      const rows = await db.query<{ "QUERY PLAN": { Plan: Plan }[] }>(
        `EXPLAIN (ANALYZE, FORMAT JSON, TIMING OFF) ${text}`,
        values,
      );
      most = Math.max(most, ...rows.flatMap((row) => row["QUERY PLAN"].map(({ Plan }) => looked(Plan))));
      return [];
    },
  });
  return most;
}

test("reading and recording the changes of a message look at its rows only, however many wait", async () => {
  const named = await db.query<{ id: string }>("SELECT id FROM test_snapshot ORDER BY number, id LIMIT 100");
  const [object] = await db.query<{ id: string }>("SELECT id FROM test_object");
  const ids = named.map(({ id }) => id);
  const results = ids.map((id) => ({
    id,
    objectId: object?.id ?? "",
    generation: 0,
    previousId: null,
    kind: "first" as const,
    added: 0,
    removed: 0,
    coarse: false,
    filesChanged: 0,
    files: null,
    facts: null,
    significant: true,
    changes: 0,
    ignored: 0,
    hunks: [],
  }));
  const all = await rowsLookedAt((explained) => explained.query("SELECT FROM change WHERE state = 'queued'"));
  const read = await rowsLookedAt((explained) => loadPendingChanges(explained, ids));
  const recorded = await rowsLookedAt((explained) => recordChanges(explained, results));
  expect(all).toBe(pages);
  expect({ read, recorded }).toEqual({ read: 100, recorded: 100 });
});
