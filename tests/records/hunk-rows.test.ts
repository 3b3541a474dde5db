import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { createDataSource } from "@web-tester/records/schema/data-source";
import type { Database } from "@web-tester/platform/database/database";
import { type OwnDatabase, startDatabase } from "../support/database.js";

/** A change keeps its kinds in its own row. Versions before the migration kept a row for each kind, and still write those while they run beside newer ones. */
let own: OwnDatabase;
let db: Database;
const wanted = "HunksInChange1700000080000";

beforeAll(async () => {
  own = await startDatabase();
  db = own.db;
});
afterAll(() => own.stop());

/** Reverts the newest migrations, down to and including `wanted`, or applies all. */
async function stand(where: "before" | "behind"): Promise<void> {
  const source = await createDataSource(own.url).initialize();
  if (where === "behind") await source.runMigrations({ transaction: "each" });
  else
    while ((await db.query("SELECT 1 FROM migration WHERE name = $1", [wanted])).length > 0)
      await source.undoLastMigration({ transaction: "each" });
  await source.destroy();
}

async function changed(): Promise<string> {
  const [row] = await db.query<{ id: string }>(`
    WITH o AS (INSERT INTO test_object (name, url) VALUES ('A site', 'https://' || uuidv7() || '.example/') RETURNING id),
         r AS (INSERT INTO run (test_object_id, kind) SELECT id, 'snapshot-all' FROM o RETURNING id),
         i AS (INSERT INTO test_instance (test_object_id, url, name) SELECT id, 'https://site.example/', 'A page' FROM o RETURNING id),
         s AS (INSERT INTO test_snapshot (test_instance_id, run_id, number) SELECT i.id, r.id, 1 FROM i, r RETURNING id)
    INSERT INTO change (snapshot_id, state, kind) SELECT id, 'done', 'changed' FROM s RETURNING snapshot_id AS id`);
  return row?.id ?? "";
}

/** The statement with which a differ of the previous version records the kinds of a change. */
const asBefore = `
  WITH moved AS (
    UPDATE change SET significant = true WHERE snapshot_id = $1 RETURNING snapshot_id
  ), hunks AS (
    SELECT s.id AS snapshot_id, s.run_id, decode(h, 'hex') AS fingerprint FROM moved m JOIN test_snapshot s ON s.id = m.snapshot_id CROSS JOIN unnest($2::text[]) AS h
  ), hunks_gone AS (
    DELETE FROM change_hunk c USING moved p
    WHERE c.snapshot_id = p.snapshot_id AND NOT EXISTS (SELECT 1 FROM hunks h WHERE h.snapshot_id = c.snapshot_id AND h.fingerprint = c.fingerprint)
  ), hunks_kept AS (
    INSERT INTO change_hunk (snapshot_id, fingerprint, run_id) SELECT snapshot_id, fingerprint, run_id FROM hunks ON CONFLICT DO NOTHING
  ) SELECT count(*) FROM moved`;

const kinds = (id: string) =>
  db.query<{ hex: string; ofRun: boolean }>(
    `SELECT encode(h.fingerprint, 'hex') AS hex, h.run_id = s.run_id AS "ofRun" FROM change_hunk h JOIN test_snapshot s ON s.id = h.snapshot_id
     WHERE h.snapshot_id = $1 ORDER BY 1`,
    [id],
  );
const these = (...hex: string[]) => hex.map((one) => ({ hex: one, ofRun: true }));

test("kinds that an older version recorded are kept, and on the way back too", async () => {
  await stand("before");
  const [one, none] = [await changed(), await changed()];
  await db.query(asBefore, [one, ["0a", "0b"]]);
  expect(await kinds(one)).toEqual(these("0a", "0b"));
  await stand("behind");
  expect(await kinds(one)).toEqual(these("0a", "0b"));
  expect(await db.query("SELECT hunks FROM change WHERE snapshot_id = $1", [none])).toEqual([{ hunks: null }]);
  await db.query("UPDATE change SET hunks = $2 WHERE snapshot_id = $1", [none, [Buffer.from("0c", "hex")]]);
  await stand("before");
  expect([await kinds(one), await kinds(none)]).toEqual([these("0a", "0b"), these("0c")]);
  await stand("behind");
});

test("an older differ beside newer services records kinds, in place of those before them", async () => {
  await stand("behind");
  const id = await changed();
  await db.query(asBefore, [id, ["0a", "0b"]]);
  await db.query(asBefore, [id, ["0b", "0c", "0c"]]);
  expect(await kinds(id)).toEqual(these("0b", "0c"));
  await db.query(asBefore, [id, []]);
  expect(await db.query("SELECT hunks FROM change WHERE snapshot_id = $1", [id])).toEqual([{ hunks: null }]);
});
