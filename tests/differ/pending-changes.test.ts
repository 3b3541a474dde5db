import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { selectChanges } from "@web-tester/gateway/compare/select-changes.sql";
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
