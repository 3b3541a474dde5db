import type { Queryable } from "@web-tester/platform/database/database";

/**
 * Writes an object whose pages were fetched many times and never changed, as rows only.
 * @returns its id
 */
export async function writeLongHistory(db: Queryable, pages: number, fetches: number): Promise<string> {
  const hash = Buffer.alloc(32, 0x11);
  await db.query("INSERT INTO content (hash, size) VALUES ($1, 1) ON CONFLICT DO NOTHING", [hash]);
  const [object] = await db.query<{ id: string }>(
    "INSERT INTO test_object (name, url) VALUES ('A long history', 'http://127.0.0.1:9/') RETURNING id",
  );
  if (object === undefined) throw new Error("INSERT gave no row");
  await db.query(
    `INSERT INTO test_instance (test_object_id, url, name) SELECT $1, 'http://127.0.0.1:9/' || n, 'Page' FROM generate_series(1, $2::int) n`,
    [object.id, pages],
  );
  for (let fetch = 1; fetch <= fetches; fetch += 1)
    await db.query(
      `WITH fetched AS (
         INSERT INTO run (test_object_id, kind, state, total, finished_at) VALUES ($1, 'snapshot-all', 'finished', $2, now()) RETURNING id
       ), made AS (
         INSERT INTO test_snapshot (test_instance_id, run_id, number, state, content_hash, http_status)
         SELECT i.id, f.id, $3, 'done', $4, 200 FROM test_instance i, fetched f WHERE i.test_object_id = $1 RETURNING id, test_instance_id
       ), compared AS (
         INSERT INTO change (snapshot_id, previous_id, state, kind)
         SELECT m.id, i.last_snapshot_id, 'done', CASE WHEN $3 = 1 THEN 'first' ELSE 'unchanged' END FROM made m JOIN test_instance i ON i.id = m.test_instance_id
       )
       UPDATE test_instance i SET last_snapshot_id = m.id FROM made m WHERE m.test_instance_id = i.id`,
      [object.id, pages, fetch, hash],
    );
  await db.query("ANALYZE");
  return object.id;
}
