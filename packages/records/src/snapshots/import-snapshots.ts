import { ofAnySize } from "../runs/of-any-size.js";
import type { Queryable } from "@web-tester/platform/database/database";
import { digestOfRows, insertAssets, insertLists } from "../assets/file-lists.js";
import { queueChanges } from "../changes/queue-changes.js";
import { enterContents } from "../search/search-entries.js";
import type { Counted } from "../instances/import-instances.js";
import { showImported } from "../instances/show-snapshots.js";

/** SQL: the `digestFiles` of a record's files. */
const digestOf = (assets: string) =>
  `SELECT sha256(convert_to(string_agg(concat_ws(' ', a ->> 'url', coalesce(a ->> 'sha256', '')), E'\\n' ORDER BY a ->> 'url' COLLATE "C"), 'UTF8')) FROM jsonb_array_elements(${assets}) AS a`;

/** SQL: the files of a record, as rows of a list. */
const filesOf = (assets: string) => `
      (SELECT a.url, a.base_url, a.kind, a.sha256 AS hash, a.content_type, a.extension,
         CASE WHEN a.sha256 IS NULL THEN coalesce(a.error, 'The imported archive does not contain this file.') END AS error
       FROM jsonb_to_recordset(${assets}) AS a (url text, base_url text, kind text, sha256 text, content_type text, extension text, error text)) AS f`;

const importedFiles = `
    SELECT l.id, f.url, f.base_url, f.kind, decode(f.hash, 'hex'), f.content_type, f.extension, f.error
    FROM lists l JOIN (SELECT DISTINCT ON (digest) digest, assets FROM listed ORDER BY digest) n ON n.digest = l.digest
    CROSS JOIN LATERAL ${filesOf("n.assets")}
    WHERE l.fresh`;

/*
 * A snapshot is identified by page, time (milliseconds) and content. If a file has the same one n times and the page m times, n - m are
 * new; so repeating an import adds nothing. A web archive knows only one time, that of the answer: its snapshots are identified by that. A
 * snapshot without a time is identified by page and content. A text that was converted from bytes that are stored here (in another charset,
 * or with a byte order mark) counts as those bytes, and such bytes of an archive as their text that is stored here.
 *
 * Snapshots of a page are ordered by their ids, which are UUIDv7: the new id consists of the time, the order within one millisecond, and a
 * hash of the import and record. If a clock was ahead, the id has the present time, so that the next fetch comes later.
 */
const insert = `
  WITH given AS MATERIALIZED (
    SELECT t.id AS instance_id, t.last_number, s.record, s.content_hash, decode(s.data ->> 'source_sha256', 'hex') AS source_hash,
      decode(s.data ->> 'text_sha256', 'hex') AS text_hash, s.data, (s.data ->> 'created_at')::bigint AS ms,
      row_number() OVER (PARTITION BY t.id ORDER BY s.record) AS place,
      row_number() OVER (PARTITION BY t.id, s.data ->> 'created_at', s.content_hash ORDER BY s.record) AS nth
    FROM import_row o
    JOIN import_row i ON i.import_id = o.import_id AND i.list = 1 AND i.parent_id = o.source_id
    JOIN import_row s ON s.import_id = i.import_id AND s.list = 2 AND s.parent_id = i.source_id
    CROSS JOIN LATERAL (SELECT id, last_number FROM test_instance WHERE test_object_id = ${ofAnySize("$3")} AND url = i.url LIMIT 1) t
    WHERE o.import_id = $1 AND o.list = 0 AND o.target_id = $2
  ), kept AS MATERIALIZED (
    SELECT test_instance_id, content_hash, floor(extract(epoch FROM created_at) * 1000)::bigint AS ms, floor(extract(epoch FROM fetched_at) * 1000)::bigint AS fetched_ms
    FROM test_snapshot WHERE test_instance_id IN (SELECT instance_id FROM given)
  ), known AS MATERIALIZED (
    SELECT test_instance_id, content_hash, ms, count(*) AS times FROM kept GROUP BY 1, 2, 3
  ), known_fetched AS (
    SELECT test_instance_id, content_hash, fetched_ms, count(*) AS times FROM kept GROUP BY 1, 2, 3
  ), known_anytime AS (
    SELECT test_instance_id, content_hash, sum(times) AS times FROM known GROUP BY 1, 2
  ), fresh AS (
    SELECT g.*, coalesce(g.ms, $4::bigint + (g.place >> 12)) AS at_ms, coalesce(least(g.ms, $4::bigint), $4::bigint + (g.place >> 12)) AS id_ms,
      row_number() OVER (PARTITION BY g.instance_id, coalesce(least(g.ms, $4::bigint), $4::bigint + (g.place >> 12)) ORDER BY g.ms, g.record) AS step
    FROM given g
    LEFT JOIN known k ON k.test_instance_id = g.instance_id AND k.ms = g.ms AND k.content_hash IS NOT DISTINCT FROM g.content_hash
    LEFT JOIN known_fetched f ON g.ms = (g.data ->> 'fetched_at')::bigint AND f.test_instance_id = g.instance_id AND f.fetched_ms = g.ms AND f.content_hash = g.content_hash
    LEFT JOIN known_anytime a ON g.ms IS NULL AND a.test_instance_id = g.instance_id AND a.content_hash IS NOT DISTINCT FROM g.content_hash
    LEFT JOIN known o ON o.test_instance_id = g.instance_id AND o.ms = g.ms AND o.content_hash = g.source_hash AND g.source_hash <> g.content_hash
    LEFT JOIN known x ON x.test_instance_id = g.instance_id AND x.ms = g.ms AND x.content_hash = g.text_hash
    LEFT JOIN known_fetched y ON g.ms = (g.data ->> 'fetched_at')::bigint AND y.test_instance_id = g.instance_id AND y.fetched_ms = g.ms AND y.content_hash = g.text_hash
    WHERE g.nth > greatest(coalesce(k.times, a.times, 0), f.times) + coalesce(o.times, 0) + coalesce(greatest(x.times, y.times), 0)
  ), named AS (
    SELECT f.*, (lpad(to_hex(f.id_ms), 12, '0') || '7' || lpad(to_hex(f.step & 4095), 3, '0') || '8' || substr(md5($1::uuid::text || f.record), 1, 15))::uuid AS id
    FROM fresh f
  ), listed AS MATERIALIZED (
    SELECT n.id, n.data -> 'assets' AS assets, (${digestOfRows(filesOf("n.data -> 'assets'"))}) AS digest
    FROM named n WHERE n.data ->> 'state' = 'done' AND jsonb_array_length(n.data -> 'assets') > 0
  ), lists AS (
    ${insertLists(`
      SELECT $3::uuid, digest, jsonb_array_length(assets), (SELECT count(*) FROM jsonb_array_elements(assets) AS f WHERE f ->> 'sha256' IS NULL)
      FROM (SELECT DISTINCT ON (digest) digest, assets FROM listed ORDER BY digest) d`)}
  ), made AS (
    INSERT INTO test_snapshot (id, test_instance_id, number, state, created_at, fetched_at, duration_ms, content_hash, charset, files_id, files_hash, headers,
      http_status, final_url, redirects, error_code, error, warning, fetch_mode_used, taken_with)
    SELECT n.id, n.instance_id, n.last_number + row_number() OVER (PARTITION BY n.instance_id ORDER BY n.id), n.data ->> 'state',
      to_timestamp(n.at_ms / 1000.0),
      CASE WHEN n.data ->> 'state' IN ('done', 'failed') THEN to_timestamp(coalesce((n.data ->> 'fetched_at')::bigint, n.at_ms) / 1000.0) END,
      (n.data ->> 'duration_ms')::int, n.content_hash, coalesce(n.data ->> 'charset', CASE WHEN n.content_hash IS NOT NULL THEN 'utf-8' END),
      (SELECT l.id FROM listed d JOIN lists l ON l.digest = d.digest WHERE d.id = n.id),
      CASE WHEN n.data ->> 'state' = 'done' THEN (${digestOf("n.data -> 'assets'")}) END,
      CASE WHEN n.data ->> 'state' IN ('done', 'failed') THEN n.data -> 'headers' END, (n.data ->> 'http_status')::int, n.data ->> 'final_url',
      CASE WHEN n.data ->> 'state' IN ('done', 'failed') THEN n.data -> 'redirects' END, n.data ->> 'error_code', n.data ->> 'error', n.data ->> 'warning',
      CASE WHEN n.data ->> 'state' IN ('done', 'failed') THEN n.data ->> 'fetch_mode_used' END, n.data -> 'taken_with'
    FROM named n
    RETURNING id, test_instance_id, state, content_hash, charset
  ), files AS (
    ${insertAssets(importedFiles)}
  ), entered AS (
    ${enterContents("(SELECT test_instance_id, content_hash, charset FROM made WHERE state = 'done')")}
  ), changes AS (
    ${queueChanges("SELECT id, test_instance_id, NULL::uuid AS run_id FROM made WHERE state = 'done'")}
  )
  SELECT (SELECT count(*)::int FROM given) AS given, (SELECT count(*)::int FROM made) AS fresh,
    (SELECT coalesce(array_agg(id ORDER BY id), '{}') FROM made WHERE state = 'done') AS done,
    (SELECT coalesce(array_agg(DISTINCT instance_id), '{}') FROM fresh) AS touched`;

/* Numbers are positions: if older snapshots were inserted before known ones, all snapshots of that page are renumbered. */
const renumber = `
  WITH placed AS (
    SELECT id, row_number() OVER (PARTITION BY test_instance_id ORDER BY id) AS place, number, test_instance_id,
      lag(number) OVER (PARTITION BY test_instance_id ORDER BY id) AS before
    FROM test_snapshot WHERE test_instance_id = ANY($1)
  ), mixed AS (
    SELECT DISTINCT test_instance_id FROM placed WHERE before >= number
  )
  UPDATE test_snapshot s SET number = p.place FROM placed p
  WHERE p.id = s.id AND s.number <> p.place AND p.test_instance_id IN (SELECT test_instance_id FROM mixed)`;

/**
 * Imports the snapshots of an object's instances, which must be locked.
 * @param nowMs time for snapshots that have none of their own
 * @returns `done`: the new snapshots with HTML, which the differ has to compare
 */
export async function importSnapshots(
  tx: Queryable,
  importId: string,
  target: string,
  objectId: string,
  nowMs: number,
): Promise<Counted & { done: string[] }> {
  const [row] = await tx.query<Counted & { done: string[]; touched: string[] }>(insert, [
    importId,
    target,
    objectId,
    nowMs,
  ]);
  if (row === undefined) return { given: 0, fresh: 0, done: [] };
  if (row.touched.length > 0) {
    await tx.query(renumber, [row.touched]);
    await showImported(tx, row.touched);
  }
  return { given: row.given, fresh: row.fresh, done: row.done };
}
