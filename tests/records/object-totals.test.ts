import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { instanceStatus } from "@web-tester/contracts/entities/vocabulary";
import type { Database, Queryable } from "@web-tester/platform/database/database";
import { type OwnDatabase, startDatabase } from "../support/database.js";

/** Triggers keep the totals of an object's instances, and transactions that change instances do not wait for one another there. */
let own: OwnDatabase;
let db: Database;
let objectId: string;
const writers = 12;

beforeAll(async () => {
  own = await startDatabase(writers + 2);
  db = own.db;
});
afterAll(() => own.stop());
beforeEach(async () => {
  objectId = await makeObject();
});

async function makeObject(): Promise<string> {
  const [row] = await db.query<{ id: string }>(
    "INSERT INTO test_object (name, url) VALUES ('Counted', 'http://counted.test/') RETURNING id",
  );
  return row?.id ?? "";
}

/** Inserts `n` instances of each status, from failed (0) to none (7), each with as many snapshots as the number of its status. */
function insert(tx: Queryable, n: number, of = objectId, from = 0): Promise<unknown> {
  return tx.query(
    `INSERT INTO test_instance (test_object_id, url, name, status, snapshots_total)
     SELECT $1, 'http://counted.test/' || n || '/' || place, 'x', ($4::text[])[place + 1], place FROM generate_series($3::int, $3 + $2 - 1) n, generate_series(0, 7) place`,
    [of, n, from, instanceStatus.options],
  );
}

async function kept(of = objectId) {
  const [row] = await db.query(
    `SELECT sum(instances)::int AS instances, sum(snapshots)::int AS snapshots, sum(changed)::int AS changed, sum(failed)::int AS failed
     FROM object_total WHERE test_object_id = $1`,
    [of],
  );
  return row;
}

test("follows what is inserted, updated and deleted, for each object its own", async () => {
  const other = await makeObject();
  await insert(db, 3);
  await insert(db, 1, other);
  expect(await kept()).toEqual({ instances: 24, snapshots: 84, changed: 3, failed: 3 });
  expect(await kept(other)).toEqual({ instances: 8, snapshots: 28, changed: 1, failed: 1 });
  // one statement that changes instances of both objects
  await db.query(
    "UPDATE test_instance SET status = 'changed', snapshots_total = snapshots_total + 1 WHERE status IN ('failed', 'running')",
  );
  expect(await kept()).toEqual({ instances: 24, snapshots: 90, changed: 9, failed: 0 });
  expect(await kept(other)).toEqual({ instances: 8, snapshots: 30, changed: 3, failed: 0 });
  await db.query("DELETE FROM test_instance WHERE test_object_id = $1 AND status = 'changed'", [objectId]);
  expect(await kept()).toEqual({ instances: 15, snapshots: 75, changed: 0, failed: 0 });
});

test("follows an insert that finds what is there, and one that changes it", async () => {
  await insert(db, 1);
  const before = await kept();
  await db.query(
    `INSERT INTO test_instance (test_object_id, url, name) SELECT test_object_id, url, 'y' FROM test_instance WHERE test_object_id = $1
     ON CONFLICT (test_object_id, url) DO UPDATE SET name = EXCLUDED.name`,
    [objectId],
  );
  expect(await kept()).toEqual(before);
});

test("what is rolled back counts for nothing", async () => {
  await insert(db, 1);
  const before = await kept();
  const undone = db.transaction(async (tx) => {
    await insert(tx, 2, objectId, 10);
    await tx.query("DELETE FROM test_instance WHERE test_object_id = $1 AND status = 'failed'", [objectId]);
    throw new Error("undone");
  });
  await expect(undone).rejects.toThrow("undone");
  expect(await kept()).toEqual(before);
});

test("transactions that are open together do not wait for each other, and leave a row each at most", async () => {
  for (let round = 0; round < 3; round++) {
    const all = Promise.withResolvers<void>();
    let arrived = 0;
    await Promise.all(
      Array.from({ length: writers }, (_, writer) =>
        db.transaction(async (tx) => {
          await insert(tx, 1, objectId, 100 * round + writer);
          // nobody commits before everybody has written
          if (++arrived === writers) all.resolve();
          await all.promise;
        }),
      ),
    );
  }
  const times = 3 * writers;
  expect(await kept()).toEqual({ instances: 8 * times, snapshots: 28 * times, changed: times, failed: times });
  const rows = await db.query("SELECT 1 FROM object_total WHERE test_object_id = $1", [objectId]);
  expect(rows.length).toBeLessThanOrEqual(writers);
});

test("an object goes with its instances and what was counted of them", async () => {
  await insert(db, 2);
  const other = await makeObject();
  await insert(db, 1, other);
  await db.query("DELETE FROM test_object WHERE id = $1", [objectId]);
  expect(await kept()).toEqual({ instances: null, snapshots: null, changed: null, failed: null });
  expect(await kept(other)).toMatchObject({ instances: 8 });
});
