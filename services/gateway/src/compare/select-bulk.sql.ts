import type { PageFact } from "@web-tester/contracts/entities/vocabulary";
import { idBeforeLastFetch } from "../snapshots/first-id.js";
import { keptTotal } from "@web-tester/records/instances/kept-total";
import { factNames } from "../snapshots/select-snapshots.sql.js";
import type { Queryable } from "@web-tester/platform/database/database";
import { hasFiles } from "@web-tester/records/changes/files-of-change";

/** A finished snapshot at one index of an instance. */
export interface BulkSide {
  id: string;
  number: number;
  /** SHA-256 in hex. */
  hash: string;
  charset: string | null;
  bytes: number;
  /** Whether files of the page are stored. */
  assets: boolean;
}

/** One instance with its two snapshots; a side is null where the instance has no snapshot at that index. */
export interface BulkRow {
  id: string;
  name: string;
  url: string;
  outcome: "differs" | "too few" | "identical";
  snapshots: number;
  one: BulkSide | null;
  other: BulkSide | null;
  /** What the differ found beside the HTML of two consecutive snapshots; null where that is nothing, or where they are not consecutive. */
  besides: { files: number; facts: PageFact[] } | null;
  /** Lines added and removed; null where the pair has not been counted. */
  added: number | null;
  removed: number | null;
}

/** One page of a bulk diff's rows with the sums of the whole. */
export interface BulkPage {
  rows: BulkRow[];
  total: number;
  differing: number;
  identical: number;
  /** Null where a pair that differs has not been counted. */
  linesAdded: number | null;
  linesRemoved: number | null;
}

const at = (place: string, page: string) => `
    SELECT id, number, content_hash, charset FROM test_snapshot
    WHERE test_instance_id = ${page} AND state = 'done' ORDER BY id DESC LIMIT 1 OFFSET ${place}`;

/**
 * SQL: the rank of a pair in the order: first pairs that differ, then those that lack a side, then identical ones.
 * @param one, other aliases of two snapshots
 */
const placeOf = (one: string, other: string) => `
           CASE WHEN ${one}.id IS NULL OR ${other}.id IS NULL THEN 1
                WHEN ${one}.content_hash = ${other}.content_hash AND ${one}.charset IS NOT DISTINCT FROM ${other}.charset THEN 2
                ELSE 0 END`;

/**
 * SQL: what the differ counted for two consecutive snapshots; where A is newer than B, added and removed are swapped.
 * @param one, other SQL of their ids
 * @param wanted condition under which it is looked up
 */
const countedOf = (one: string, other: string, wanted: string) => `
    SELECT CASE WHEN ${one} < ${other} THEN c.lines_added ELSE c.lines_removed END AS added,
           CASE WHEN ${one} < ${other} THEN c.lines_removed ELSE c.lines_added END AS removed
    FROM change c WHERE ${wanted} AND c.snapshot_id = greatest(${one}, ${other}) AND c.previous_id = least(${one}, ${other}) AND c.state = 'done' LIMIT 1`;

/* The hashes tell which pairs differ, so that no content is read: an instance costs two probes of the index snapshot_of_instance. */
const probed = `
    SELECT i.id, i.url, i.place, d.added, d.removed
    FROM (
      SELECT i.id, i.url, ${placeOf("one", "other")} AS place, one.id AS one_id, other.id AS other_id
      FROM test_instance i
      LEFT JOIN LATERAL (${at("$2", "i.id")}) one ON true
      LEFT JOIN LATERAL (${at("$3", "i.id")}) other ON true
      WHERE i.test_object_id = $1 AND i.removal_id IS NULL
    ) i
    LEFT JOIN LATERAL (${countedOf("i.one_id", "i.other_id", "i.place = 0")}) d ON true`;

/**
 * SQL: changes whose previous snapshot is known, or that are first ones.
 * @param which of them, as a condition for `c`
 */
const changeOf = (which: string) => `
    SELECT c.kind, c.snapshot_id, c.previous_id, c.lines_added, c.lines_removed FROM change c
    WHERE ${which} AND c.state = 'done' AND (c.previous_id IS NOT NULL OR c.kind = 'first')`;

/**
 * SQL: one of the two newest snapshots of page `i`, looked up only where its change `k` does not tell enough.
 * @param id SQL of the snapshot that `k` names
 * @param back how many finished ones are newer
 */
const sideOf = (id: string, back: number) => `
        SELECT s.id, s.content_hash, s.charset FROM test_snapshot s WHERE k.kind = 'changed' AND s.id = ${id}
        UNION ALL (SELECT s.id, s.content_hash, s.charset FROM test_snapshot s WHERE k.kind IS NULL AND s.test_instance_id = i.id AND s.state = 'done'
          ORDER BY s.id DESC LIMIT 1 OFFSET ${back})
        LIMIT 1`;

/*
 * SQL: the two newest snapshots of each page, which most people ask for. The differ recorded what the newest one was compared with, so
 * that an instance costs one row of changes; its snapshots are read only where no line changed, or where the differ's record does not
 * suffice (the newest snapshot is not finished, or the one it was compared with was removed).
 * Changes since $6 are adjacent and are read in one go. The inner `LIMIT`s keep the lookups that only few pages need from becoming
 * joins with all changes there are.
 * Most pages usually are unchanged according to those changes: they are left out here, and counted as what is missing.
 */
const recorded = (one: "older" | "newer") => `
    SELECT n.id, n.url, n.place, CASE n.place WHEN 0 THEN ${one === "older" ? "n.added" : "n.removed"} END AS added, CASE n.place WHEN 0 THEN ${one === "older" ? "n.removed" : "n.added"} END AS removed
    FROM (
      SELECT i.id, i.url, coalesce(l.place, CASE k.kind WHEN 'unchanged' THEN 2 WHEN 'first' THEN 1 ELSE 0 END) AS place,
        coalesce(k.lines_added, l.added) AS added, coalesce(k.lines_removed, l.removed) AS removed
      FROM test_instance i
      LEFT JOIN (${changeOf("c.snapshot_id >= $6")}) r ON r.snapshot_id = i.last_snapshot_id
      LEFT JOIN LATERAL (${changeOf("i.last_snapshot_id < $6 AND c.snapshot_id = i.last_snapshot_id")} LIMIT 1) o ON true
      CROSS JOIN LATERAL (
        SELECT coalesce(r.kind, o.kind) AS kind, coalesce(r.snapshot_id, o.snapshot_id) AS snapshot_id, coalesce(r.previous_id, o.previous_id) AS previous_id,
          coalesce(r.lines_added, o.lines_added) AS lines_added, coalesce(r.lines_removed, o.lines_removed) AS lines_removed
      ) k
      LEFT JOIN LATERAL (
        SELECT ${placeOf("older", "newer")} AS place, d.added, d.removed
        FROM (SELECT) nothing
        LEFT JOIN LATERAL (${sideOf("k.snapshot_id", 0)}) newer ON true
        LEFT JOIN LATERAL (${sideOf("k.previous_id", 1)}) older ON true
        LEFT JOIN LATERAL (${countedOf("older.id", "newer.id", "k.kind IS NULL")}) d ON true
        WHERE k.kind IS NULL OR (k.kind = 'changed' AND k.lines_added + k.lines_removed = 0)
        LIMIT 1
      ) l ON true
      WHERE i.test_object_id = $1 AND i.removal_id IS NULL AND r.kind IS DISTINCT FROM 'unchanged'
    ) n`;

const side = (name: string) => `
  (SELECT json_build_object('id', p.${name}_id, 'number', p.${name}_number, 'hash', encode(p.${name}_hash, 'hex'), 'charset', p.${name}_charset, 'bytes', b.size,
     'assets', EXISTS (SELECT 1 FROM test_snapshot s JOIN file_list f ON f.id = s.files_id WHERE s.id = p.${name}_id AND f.files > f.missing))
   FROM content b WHERE b.hash = p.${name}_hash)`;

const besides = `
  SELECT json_build_object('files', c.files_changed, 'facts', ${factNames("c.facts")}) FROM change c
  WHERE c.snapshot_id = greatest(p.one_id, p.other_id) AND c.previous_id = least(p.one_id, p.other_id) AND (${hasFiles("c")} OR c.facts IS NOT NULL)`;

/*
 * Everything else is looked up for the rows of the page only. Instances that are missing among the pairs are identical, and identical
 * ones come last.
 */
const page = (pairs: string) => `
  WITH pair AS MATERIALIZED (${pairs}
  ), counted AS (
    SELECT ${keptTotal("instances", "")}::int AS total,
           count(*) FILTER (WHERE place = 0)::int AS differing, count(*) FILTER (WHERE place < 2)::int AS first,
           CASE WHEN count(*) FILTER (WHERE place = 0 AND added IS NULL) = 0 THEN coalesce(sum(added), 0)::int END AS lines_added,
           CASE WHEN count(*) FILTER (WHERE place = 0 AND added IS NULL) = 0 THEN coalesce(sum(removed), 0)::int END AS lines_removed
    FROM pair
  ), sums AS MATERIALIZED (
    SELECT *, total - first AS identical FROM counted
  ), p AS (
    SELECT c.id, c.url, c.place, c.added, c.removed, i.name,
           one.id AS one_id, one.number AS one_number, one.content_hash AS one_hash, one.charset AS one_charset,
           other.id AS other_id, other.number AS other_number, other.content_hash AS other_hash, other.charset AS other_charset
    FROM (
      SELECT * FROM pair
      UNION ALL
      SELECT i.id, i.url, 2, NULL, NULL FROM test_instance i
      WHERE (SELECT first FROM sums) < $4::bigint + $5::bigint AND i.test_object_id = $1 AND i.removal_id IS NULL AND NOT EXISTS (SELECT FROM pair WHERE pair.id = i.id)
      ORDER BY place, url LIMIT $4 OFFSET $5
    ) c
    JOIN test_instance i ON i.id = c.id
    LEFT JOIN LATERAL (${at("$2", "c.id")}) one ON true
    LEFT JOIN LATERAL (${at("$3", "c.id")}) other ON true
  )
  SELECT sums.total, sums.differing, sums.identical, sums.lines_added AS "linesAdded", sums.lines_removed AS "linesRemoved",
         coalesce((
           SELECT json_agg(json_build_object(
             'id', p.id, 'name', p.name, 'url', p.url,
             'outcome', (ARRAY['differs', 'too few', 'identical'])[p.place + 1],
             'snapshots', (SELECT count(*) FROM test_snapshot s WHERE s.test_instance_id = p.id AND s.state = 'done'),
             'one', ${side("one")}, 'other', ${side("other")}, 'added', p.added, 'removed', p.removed,
             'besides', (${besides})
           ) ORDER BY p.place, p.url) FROM p
         ), '[]') AS rows
  FROM sums`;
const anyPair = page(probed);
const olderFirst = page(recorded("older"));
const newerFirst = page(recorded("newer"));

/** Selects one page of an object's instances by their snapshots at two indices (0 = latest finished), in the contract's order. */
export async function selectBulkPage(
  db: Queryable,
  objectId: string,
  { idx1, idx2, limit, offset }: { idx1: number; idx2: number; limit: number; offset: number },
): Promise<BulkPage> {
  const statement = idx1 === 1 && idx2 === 0 ? olderFirst : idx1 === 0 && idx2 === 1 ? newerFirst : anyPair;
  const since = statement === anyPair ? [] : [await idBeforeLastFetch(db, objectId)];
  const [row] = await db.query<BulkPage>(statement, [objectId, idx1, idx2, limit, offset, ...since]);
  if (row === undefined) throw new Error("The sums of a bulk diff are one row, always.");
  return row;
}
