// @ts-check
import { readFile } from "node:fs/promises";
import { openObjectStore } from "@web-tester/platform/object-store/open-object-store";

/** @typedef {import("./pages.mjs").Page} Page */

const writesAtOnce = 16;
const instancesPerStatement = 1_000;

/**
 * Creates an object whose pages had these contents one after the other, with this number of snapshots in all. Contents are
 * stored as the product stores them; rows are inserted by SQL. Nothing is searchable before {@link makeSearchable}.
 * @param {{ storageUrl: string, database: import("pg").Client }} product
 * @param {readonly Page[]} pages
 * @param {number} snapshots
 * @returns {Promise<{ objectId: string, instances: number, snapshots: number }>}
 */
export async function loadPages({ storageUrl, database }, pages, snapshots) {
  const store = openObjectStore(storageUrl);
  let next = 0;
  await Promise.all(
    Array.from({ length: writesAtOnce }, async () => {
      for (let page = pages[next++]; page !== undefined; page = pages[next++])
        await store.write(page.hash, await readFile(page.file));
    }),
  );
  store.close();
  await database.query(
    `INSERT INTO content (hash, size, stored_size, stored) SELECT hash, size, size, true FROM unnest($1::bytea[], $2::int[]) AS c (hash, size)`,
    [pages.map(({ hash }) => hash), pages.map(({ size }) => size)],
  );
  const {
    rows: [{ id: objectId }],
  } = await database.query(
    `INSERT INTO test_object (name, url) VALUES ('Manuals', 'https://manuals.example/') RETURNING id`,
  );
  const versions = [...Map.groupBy(pages, ({ path }) => path)].toSorted(([one], [other]) => (one < other ? -1 : 1));
  const each = Math.floor(snapshots / versions.length);
  const more = snapshots - each * versions.length;
  for (let start = 0; start < versions.length; start += instancesPerStatement) {
    const part = versions.slice(start, start + instancesPerStatement);
    await database.query(
      `WITH page AS (
         SELECT path, string_to_array(hashes, ',') AS hashes, snapshots FROM unnest($2::text[], $3::text[], $4::int[]) AS p (path, hashes, snapshots)
       ), made AS (
         INSERT INTO test_instance (test_object_id, url, name, snapshots_total, last_number)
         SELECT $1, 'https://manuals.example' || path, path, snapshots, snapshots FROM page RETURNING id, name
       )
       INSERT INTO test_snapshot (test_instance_id, number, state, content_hash, charset, fetched_at)
       SELECT m.id, n, 'done', decode(p.hashes[1 + (n - 1) * cardinality(p.hashes) / p.snapshots], 'hex'), 'utf-8', now()
       FROM made m JOIN page p ON p.path = m.name CROSS JOIN LATERAL generate_series(1, p.snapshots) AS n ORDER BY m.id, n`,
      [
        objectId,
        part.map(([path]) => path),
        part.map(([, contents]) => contents.map(({ hash }) => hash.toString("hex")).join(",")),
        part.map((_, index) => each + (start + index < more ? 1 : 0)),
      ],
    );
  }
  await database.query("ANALYZE test_instance, test_snapshot, content");
  return { objectId, instances: versions.length, snapshots };
}

/**
 * Makes the product index all contents, as it does after an upgrade, and waits until it has.
 * @param {import("pg").Client} database
 * @param {string} objectId
 * @param {AbortSignal} signal
 */
export async function makeSearchable(database, objectId, signal) {
  await database.query(
    `INSERT INTO search_entry (test_object_id, content_hash, charset, instance_id)
     SELECT i.test_object_id, s.content_hash, s.charset, min(i.id::text)::uuid
     FROM test_snapshot s JOIN test_instance i ON i.id = s.test_instance_id WHERE i.test_object_id = $1 GROUP BY 1, 2, 3`,
    [objectId],
  );
  for (;;) {
    signal.throwIfAborted();
    const { rows } = await database.query(
      `SELECT 1 FROM search_entry WHERE pack_id IS NULL AND problem IS NULL LIMIT 1`,
    );
    if (rows.length === 0) return;
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}

/**
 * Returns the number of packs, and the bytes of their text, of its filters, and of all tables for searching (compacted by VACUUM FULL).
 * @param {import("pg").Client} database
 * @returns {Promise<{ packs: number, text: number, index: number, tables: number }>}
 */
export async function searchSizes(database) {
  const {
    rows: [row],
  } = await database.query(
    `SELECT count(DISTINCT pack_id)::int AS packs, sum(c.size)::float8 AS text,
            sum(octet_length(filter))::float8 AS index FROM search_section s JOIN content c ON c.hash = s.content_hash`,
  );
  await database.query("VACUUM FULL search_section, search_pack, search_entry");
  const {
    rows: [sizes],
  } = await database.query(
    `SELECT (pg_total_relation_size('search_section') + pg_total_relation_size('search_pack') + pg_total_relation_size('search_entry'))::float8 AS tables`,
  );
  return { ...row, ...sizes };
}
