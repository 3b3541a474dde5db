import type { PageFact } from "@web-tester/contracts/entities/vocabulary";
import { factNames } from "../snapshots/select-snapshots.sql.js";
import type { Queryable } from "@web-tester/platform/database/database";
import { hasFiles } from "@web-tester/records/changes/files-of-change";

/** A finished snapshot at one index of an instance. */
export interface BulkSide {
  id: string;
  number: number;
  /** Hex. */
  hash: string;
  charset: string | null;
  bytes: number;
  /** Whether files of the page are stored. */
  assets: boolean;
}

/** One instance with its two snapshots; null where it has no snapshot at that index. */
export interface BulkRow {
  id: string;
  name: string;
  url: string;
  outcome: "differs" | "too few" | "identical";
  snapshots: number;
  one: BulkSide | null;
  other: BulkSide | null;
  /** What the differ found beside the HTML of two snapshots in a row; null where nothing, or where they are not in a row. */
  besides: { files: number; facts: PageFact[] } | null;
  /** Null where the pair has not been counted. */
  added: number | null;
  removed: number | null;
}

/** One page of a bulk diff with the sums of the whole. */
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

/** SQL: where a pair stands in the order: those that differ, those of which one side is missing, identical ones. @param one, other aliases of two snapshots */
const placeOf = (one: string, other: string) => `
           CASE WHEN ${one}.id IS NULL OR ${other}.id IS NULL THEN 1
                WHEN ${one}.content_hash = ${other}.content_hash AND ${one}.charset IS NOT DISTINCT FROM ${other}.charset THEN 2
                ELSE 0 END`;

/* Hashes tell which pairs differ, and no content is read: an instance costs two probes of the index snapshot_of_instance. */
const probed = `
    SELECT i.id, i.url, ${placeOf("one", "other")} AS place, one.id AS one_id, other.id AS other_id
    FROM test_instance i
    LEFT JOIN LATERAL (${at("$2", "i.id")}) one ON true
    LEFT JOIN LATERAL (${at("$3", "i.id")}) other ON true
    WHERE i.test_object_id = $1 AND i.removal_id IS NULL`;

/*
 * The two newest of each page, which is what most people ask for: the differ wrote down what the newest one was compared with, so that
 * an instance costs one probe of the key of changes, and its snapshots are looked at only where it changed or where the differ knows
 * nothing (its newest snapshot is not finished, or what that was compared with was removed).
 */
const recorded = (one: "older" | "newer") => `
    WITH newest AS MATERIALIZED (
      SELECT i.id, i.url, c.kind, c.snapshot_id, c.previous_id
      FROM test_instance i
      LEFT JOIN change c ON c.snapshot_id = i.last_snapshot_id AND c.state = 'done' AND (c.previous_id IS NOT NULL OR c.kind = 'first')
      WHERE i.test_object_id = $1 AND i.removal_id IS NULL
    )
    SELECT id, url, CASE kind WHEN 'first' THEN 1 ELSE 2 END AS place, NULL::uuid AS one_id, NULL::uuid AS other_id FROM newest WHERE kind IN ('first', 'unchanged')
    UNION ALL
    SELECT n.id, n.url, ${placeOf("older", "newer")}, ${one === "older" ? "older.id, newer.id" : "newer.id, older.id"}
    FROM newest n LEFT JOIN test_snapshot newer ON newer.id = n.snapshot_id LEFT JOIN test_snapshot older ON older.id = n.previous_id
    WHERE n.kind = 'changed'
    UNION ALL
    SELECT n.id, n.url, ${placeOf("one", "other")}, one.id, other.id
    FROM newest n
    LEFT JOIN LATERAL (${at("$2", "n.id")}) one ON true
    LEFT JOIN LATERAL (${at("$3", "n.id")}) other ON true
    WHERE n.kind IS NULL`;

const side = (name: string) => `
  (SELECT json_build_object('id', p.${name}_id, 'number', p.${name}_number, 'hash', encode(p.${name}_hash, 'hex'), 'charset', p.${name}_charset, 'bytes', b.size,
     'assets', EXISTS (SELECT 1 FROM test_snapshot s JOIN file_list f ON f.id = s.files_id WHERE s.id = p.${name}_id AND f.files > f.missing))
   FROM content b WHERE b.hash = p.${name}_hash)`;

const besides = `
  SELECT json_build_object('files', c.files_changed, 'facts', ${factNames("c.facts")}) FROM change c
  WHERE c.snapshot_id = greatest(p.one_id, p.other_id) AND c.previous_id = least(p.one_id, p.other_id) AND (${hasFiles("c")} OR c.facts IS NOT NULL)`;

/*
 * What the differ counted for two snapshots in a row is taken over; with A newer than B its sides change places. All else is looked up for
 * the rows of the page only.
 */
const page = (pairs: string) => `
  WITH pair AS MATERIALIZED (${pairs}
  ), counted AS (
    SELECT p.*,
           CASE WHEN p.one_id < p.other_id THEN c.lines_added ELSE c.lines_removed END AS added,
           CASE WHEN p.one_id < p.other_id THEN c.lines_removed ELSE c.lines_added END AS removed
    FROM pair p
    LEFT JOIN change c ON p.place = 0 AND c.snapshot_id = greatest(p.one_id, p.other_id)
                      AND c.previous_id = least(p.one_id, p.other_id) AND c.state = 'done'
  ), sums AS (
    SELECT count(*)::int AS total, count(*) FILTER (WHERE place = 0)::int AS differing, count(*) FILTER (WHERE place = 2)::int AS identical,
           CASE WHEN count(*) FILTER (WHERE place = 0 AND added IS NULL) = 0 THEN coalesce(sum(added), 0)::int END AS lines_added,
           CASE WHEN count(*) FILTER (WHERE place = 0 AND added IS NULL) = 0 THEN coalesce(sum(removed), 0)::int END AS lines_removed
    FROM counted
  ), p AS (
    SELECT c.id, c.url, c.place, c.added, c.removed, i.name,
           one.id AS one_id, one.number AS one_number, one.content_hash AS one_hash, one.charset AS one_charset,
           other.id AS other_id, other.number AS other_number, other.content_hash AS other_hash, other.charset AS other_charset
    FROM (SELECT * FROM counted ORDER BY place, url LIMIT $4 OFFSET $5) c
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

/** One page of an object's instances by their snapshots at two indices (0 = latest finished), in the contract's order. */
export async function selectBulkPage(
  db: Queryable,
  objectId: string,
  { idx1, idx2, limit, offset }: { idx1: number; idx2: number; limit: number; offset: number },
): Promise<BulkPage> {
  const statement = idx1 === 1 && idx2 === 0 ? olderFirst : idx1 === 0 && idx2 === 1 ? newerFirst : anyPair;
  const [row] = await db.query<BulkPage>(statement, [objectId, idx1, idx2, limit, offset]);
  if (row === undefined) throw new Error("The sums of a bulk diff are one row, always.");
  return row;
}
