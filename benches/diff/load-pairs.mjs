// @ts-check
import { createHash } from "node:crypto";
import { openObjectStore } from "@web-tester/platform/object-store/open-object-store";

/** @typedef {{ a: Buffer, b: Buffer }} Pair two contents of one page, older and newer */

const writesAtOnce = 8;

/**
 * Creates an object whose instances each have two snapshots, as fetching would have left them. Contents are stored as the
 * product stores them; rows are inserted by SQL.
 * @param {{ storageUrl: string, database: import("pg").Client }} product
 * @param {string} name
 * @param {readonly Pair[]} pairs
 * @param {{ repeat?: number }} [options] the number of instances of each pair
 * @returns {Promise<{ objectId: string, snapshots: { a: string, b: string }[] }>} in the order of the pairs
 */
export async function loadPairs({ storageUrl, database }, name, pairs, { repeat = 1 } = {}) {
  const store = openObjectStore(storageUrl);
  const contents = new Map(pairs.flatMap(({ a, b }) => [a, b]).map((bytes) => [hashOf(bytes).toString("hex"), bytes]));
  const waiting = [...contents.values()];
  await Promise.all(
    Array.from({ length: writesAtOnce }, async () => {
      for (let bytes = waiting.pop(); bytes !== undefined; bytes = waiting.pop())
        await store.write(hashOf(bytes), bytes);
    }),
  );
  store.close();
  await database.query(
    `INSERT INTO content (hash, size, stored_size, stored) SELECT decode(hash, 'hex'), size, size, true FROM unnest($1::text[], $2::int[]) AS c (hash, size) ON CONFLICT DO NOTHING`,
    [[...contents.keys()], [...contents.values()].map(({ length }) => length)],
  );
  const made = await database.query(`INSERT INTO test_object (name, url) VALUES ($1, $2) RETURNING id`, [
    name,
    `https://${name}.example/`,
  ]);
  const objectId = String(made.rows[0].id);
  const { rows } = await database.query(
    `WITH page AS (
       SELECT (p.place - 1) * $5 + r AS place, p.a, p.b FROM unnest($2::text[], $3::text[]) WITH ORDINALITY AS p (a, b, place), generate_series(1, $5::int) r
     ), instance AS (
       INSERT INTO test_instance (test_object_id, url, name, snapshots_total, last_number)
       SELECT $1, 'https://' || $4 || '.example/' || place, 'Page ' || place, 2, 2 FROM page RETURNING id, name
     ), older AS (
       INSERT INTO test_snapshot (test_instance_id, number, state, content_hash, charset, fetched_at)
       SELECT i.id, 1, 'done', decode(p.a, 'hex'), 'utf-8', now() FROM instance i JOIN page p ON i.name = 'Page ' || p.place RETURNING id, test_instance_id
     ), newer AS (
       INSERT INTO test_snapshot (id, test_instance_id, number, state, content_hash, charset, fetched_at)
       SELECT uuidv7(interval '1 second'), i.id, 2, 'done', decode(p.b, 'hex'), 'utf-8', now() FROM instance i JOIN page p ON i.name = 'Page ' || p.place RETURNING id, test_instance_id
     )
     SELECT o.id AS a, n.id AS b FROM older o JOIN newer n USING (test_instance_id) JOIN instance i ON i.id = o.test_instance_id ORDER BY substr(i.name, 6)::int`,
    [
      objectId,
      pairs.map(({ a }) => hashOf(a).toString("hex")),
      pairs.map(({ b }) => hashOf(b).toString("hex")),
      name,
      repeat,
    ],
  );
  await database.query("ANALYZE test_instance, test_snapshot, content");
  return { objectId, snapshots: rows };
}

const hashOf = (/** @type {Buffer} */ bytes) => createHash("sha256").update(bytes).digest();
