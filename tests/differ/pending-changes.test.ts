import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { selectChanges } from "@web-tester/gateway/compare/select-changes.sql";
import { selectRunWithPending } from "@web-tester/gateway/snapshots/run-row";
import { type OwnDatabase, startDatabase } from "../support/database.js";

let own: OwnDatabase;
beforeAll(async () => {
  own = await startDatabase();
});
afterAll(() => own.stop());

test("who asks what changed since a time is told how much of it is not compared yet", async () => {
  const { db } = own;
  const [object] = await db.query<{ id: string }>(
    `INSERT INTO test_object (name, url) VALUES ('Hats', 'http://hats.test/') RETURNING id`,
  );
  const id = object?.id ?? "";
  await db.query(
    `WITH pages AS (
       INSERT INTO test_instance (test_object_id, url, name) SELECT $1, 'http://hats.test/' || n, 'x' FROM generate_series(1, 3) n RETURNING id
     ), made AS (
       INSERT INTO test_snapshot (test_instance_id, number, state, fetched_at) SELECT id, 1, 'done', now() FROM pages RETURNING id
     )
     INSERT INTO change (snapshot_id, test_object_id, state) SELECT id, $1, 'queued' FROM made`,
    [id],
  );
  const since = (at: number) => selectChanges(db, id, new Date(at), null, 10);
  expect(await since(0)).toMatchObject({ total: 0, pending: 3 });
  expect(await since(Date.now() + 60_000)).toMatchObject({ total: 0, pending: 0 });
  await db.query(
    `UPDATE change SET state = 'done', kind = 'changed', significant = true
     WHERE snapshot_id = (SELECT snapshot_id FROM change ORDER BY snapshot_id LIMIT 1)`,
  );
  expect(await since(0)).toMatchObject({ total: 1, pending: 2 });
});

test("a fetch that has finished says how many of its pages are not compared yet", async () => {
  const { db } = own;
  const [run] = await db.query<{ id: string }>(
    `WITH object AS (
       INSERT INTO test_object (name, url) VALUES ('Shoes', 'http://shoes.test/') RETURNING id
     ), run AS (
       INSERT INTO run (test_object_id, kind, state) SELECT id, 'snapshot-all', 'finished' FROM object RETURNING id, test_object_id
     ), pages AS (
       INSERT INTO test_instance (test_object_id, url, name) SELECT id, 'http://shoes.test/' || n, 'x' FROM object, generate_series(1, 3) n RETURNING id
     ), made AS (
       INSERT INTO test_snapshot (test_instance_id, number, state, fetched_at) SELECT id, 1, 'done', now() FROM pages RETURNING id
     ), changes AS (
       INSERT INTO change (snapshot_id, test_object_id, run_id, state) SELECT made.id, run.test_object_id, run.id, 'queued' FROM made, run
     )
     SELECT id FROM run`,
  );
  const id = run?.id ?? "";
  expect(await selectRunWithPending(db, id)).toMatchObject({ id, state: "finished", pending: 3 });
  await db.query("UPDATE change SET state = 'done', kind = 'unchanged', significant = false WHERE run_id = $1", [id]);
  expect(await selectRunWithPending(db, id)).toMatchObject({ pending: 0 });
  expect(await selectRunWithPending(db, "00000000-0000-4000-8000-000000000000")).toBeNull();
});
