import { type ComparedPart, comparedPart, type ComparedSide } from "@web-tester/contracts/entities/comparison";
import type { Queryable } from "@web-tester/platform/database/database";
import { besideStatus } from "../changes/facts-of.js";
import { type ComparisonCounts, forgetComparisons, settleComparison } from "../runs/comparison-run.js";
import { settleRun } from "../runs/settle-run.js";
import { carryVerdicts } from "../reviews/verdicts.js";
import { ofAnySize } from "../runs/of-any-size.js";
import { accepted, firstFetch } from "../reviews/accepted.js";

/** The end of a state of a site: snapshots up to this id and this time belong to it. */
export interface Bound {
  id: string;
  at: Date | "infinity";
}

const noBound: Bound = { id: "ffffffff-ffff-ffff-ffff-ffffffffffff", at: "infinity" };

const newestOf = `SELECT id FROM test_snapshot WHERE run_id = $1 ORDER BY id DESC LIMIT 1`;

/** Returns the end of a state. @returns null when its run fetched nothing */
export async function boundOf(tx: Queryable, side: ComparedSide): Promise<Bound | null> {
  if (side.type === "time") return { ...noBound, at: new Date(side.at) };
  if (side.type !== "run") return noBound;
  const [row] = await tx.query<{ id: string }>(newestOf, [side.run_id]);
  return row === undefined ? null : { ...noBound, id: row.id };
}

const columns = "s.id, s.state, s.http_status, s.content_hash, s.files_hash, s.redirects, s.final_url, s.headers";
/** SQL: whether a page is gone; false, not NULL, where no answer came, so that it can be negated. */
const isGone = (s: string) => `${s}.state = 'failed' AND coalesce(${s}.http_status IN (404, 410), false)`;

/*
 * The following subqueries run once for each page. `LIMIT 1` keeps it so: without it PostgreSQL turns a lookup by key into a join and reads
 * the whole table for 100,000 pages, however much more the table holds.
 */

/**
 * SQL: the newest good snapshot of a page at a time; none if the page was gone by then, or never fetched well. @param upTo further
 * conditions on `n`, as `AND …`
 */
const lastSeen = (page: string, upTo: string) => `
  SELECT ${columns} FROM (
    SELECT n.id, n.state, n.http_status FROM test_snapshot n
    WHERE n.test_instance_id = ${page}.id AND n.state IN ('done', 'failed') ${upTo} ORDER BY n.id DESC LIMIT 1
  ) n CROSS JOIN LATERAL (
    SELECT ${columns} FROM test_snapshot s WHERE s.id = CASE WHEN n.state = 'done' THEN n.id WHEN NOT (${isGone("n")}) THEN (
      SELECT d.id FROM test_snapshot d WHERE d.test_instance_id = ${page}.id AND d.state = 'done' AND d.id < n.id ORDER BY d.id DESC LIMIT 1) END
    LIMIT 1
  ) s
  LIMIT 1`;

/** SQL: the state of a page up to a bound. */
const asOf = (id: string, at: string) => lastSeen("i", `AND n.id <= ${id} AND n.created_at <= ${at}`);

/*
 * The baseline of a page that was never accepted is the snapshot of the first Fetch All, regardless of older imported history; a page that
 * appeared later is new until it is accepted.
 */
const baseline = `
  SELECT ${columns} FROM test_snapshot s WHERE s.id = CASE
    WHEN a.gone THEN NULL WHEN a.snapshot_id IS NOT NULL THEN a.snapshot_id
    WHEN i.created_at <= f.ended_at THEN (
      SELECT d.id FROM test_snapshot d WHERE d.test_instance_id = i.id AND d.state = 'done' AND d.id > f.id ORDER BY d.id LIMIT 1) END
  LIMIT 1`;

/* A page that was gone at the previous fetch already does not go now. */
const previous = lastSeen("i", "AND n.id < r.id");

/* The current state of another site. A page whose fetch fails there temporarily still counts as present. */
const ofOther = lastSeen("o", "");

/* Status 304 means "not modified", so it does not differ from the status of the page itself. */
const same = `
  l.id = r.id OR (l.content_hash = r.content_hash AND l.files_hash IS NOT DISTINCT FROM r.files_hash
    AND (l.http_status = r.http_status OR 304 IN (l.http_status, r.http_status)) AND ${besideStatus("l")} = ${besideStatus("r")})`;

/* Pages that are the same in both states are only counted. */
const written = `
  written AS (
    INSERT INTO compared_page (run_id, test_instance_id, kind, state, one_id, other_id)
    SELECT $2, id, kind, CASE WHEN kind = 'changed' THEN 'queued' ELSE 'done' END, one_id, other_id
    FROM classified WHERE kind <> 'same' ORDER BY url
  )
  SELECT count(*)::int AS total, (count(*) FILTER (WHERE kind = 'same'))::int AS same, (count(*) FILTER (WHERE kind = 'changed'))::int AS queued,
    (count(*) FILTER (WHERE kind = 'failed'))::int AS failed, (count(*) FILTER (WHERE kind IN ('new', 'gone')))::int AS changed
  FROM classified WHERE kind IS NOT NULL`;

/* SQL: whether an accepted snapshot was compared in all parts that count now, which are $7 */
const sawAll = `(a.parts IS NULL OR coalesce($7::jsonb, '${JSON.stringify(comparedPart.options)}') <@ a.parts)`;

/* $1 object, $2 run, $3 $4 bound of the newer state, $5 $6 bound of the older state; for the baseline also $7: the parts of pages that count, null for all */
const pair = (older: "asOf" | "baseline" | "previous") => `
  WITH ${
    older === "baseline"
      ? `accepted AS (
    SELECT DISTINCT ON (page) page, snapshot_id, gone FROM (${accepted("$1", () => "true")}) a WHERE ${sawAll} ORDER BY page, snapshot_id DESC
  ), first_fetch AS (${firstFetch("$1")}), `
      : ""
  }classified AS MATERIALIZED (
    SELECT i.id, i.url, l.id AS one_id, r.id AS other_id, CASE
      WHEN r.id IS NULL THEN CASE WHEN l.id IS NOT NULL THEN 'gone' END
      WHEN ${isGone("r")} THEN CASE WHEN l.id IS NOT NULL THEN 'gone' END
      WHEN r.state = 'failed' THEN 'failed'
      WHEN l.id IS NULL THEN 'new'
      WHEN ${same} THEN 'same' ELSE 'changed' END AS kind
    FROM test_instance i ${older === "baseline" ? "LEFT JOIN accepted a ON a.page = i.id LEFT JOIN first_fetch f ON true" : ""}
    LEFT JOIN LATERAL (
      SELECT ${columns} FROM test_snapshot s
      WHERE s.test_instance_id = i.id AND s.state IN ('done', 'failed') AND s.id <= $3 AND s.created_at <= $4 ORDER BY s.id DESC LIMIT 1
    ) r ON true
    LEFT JOIN LATERAL (${older === "asOf" ? asOf("$5", "$6") : older === "baseline" ? baseline : previous}) l ON true
    WHERE i.test_object_id = ${ofAnySize("$1")} AND ($5::uuid IS NOT NULL AND $6::timestamptz IS NOT NULL)
  ), ${written}`;

const older = { asOf: pair("asOf"), baseline: pair("baseline"), previous: pair("previous") };

/** SQL: path and query of a page relative to the folder of its object's URL; the whole path for pages elsewhere. */
const pathBelow = (page: string, root: string) =>
  `CASE WHEN starts_with(${page}.url, ${root}) THEN substr(${page}.url, length(${root}) + 1) ELSE coalesce(substring(${page}.url from '^[^/]+//[^/]*(/.*)$'), '/') END`;
const rootOf = (object: string) =>
  `(SELECT substring(url from '^[^/]+//[^/]*/(?:[^?#]*/)?') FROM test_object WHERE id = ${object})`;

/** SQL: whether a page is looked up at its own address, because it has not moved to the address of another page. */
const isPlaced = (page: string) =>
  `(${page}.lifecycle IS DISTINCT FROM 'moved' OR NOT EXISTS (
    SELECT 1 FROM test_instance t WHERE t.test_object_id = ${page}.test_object_id AND t.url = ${page}.lifecycle_to))`;

/** SQL, a CTE: moved pages of one site under their former path, if the other site still has a page at that path. */
const movedOf = (name: string, object: string, own: string, other: string) => `${name} AS (
    SELECT DISTINCT ON (page) page, key FROM (
      SELECT DISTINCT ON (f.key) f.page, f.key FROM former f JOIN ${other} o ON o.key = f.key
      WHERE f.object = ${object} AND NOT EXISTS (SELECT 1 FROM ${own} n WHERE n.key = f.key)
        AND NOT EXISTS (SELECT 1 FROM ${own} n JOIN ${other} t ON t.key = n.key WHERE n.page = f.page)
      ORDER BY f.key, f.page DESC
    ) f ORDER BY page, key)`;

/*
 * $1 object, $2 run, $3 other object, whose pages are the older side. For a page that only the other object has, the row refers to that
 * object's page. A page that one of them has moved is found by its former path, if no other page is at that path.
 */
const pairWithOther = `
  WITH older AS (
    SELECT o.id AS page, o.url, ${pathBelow("o", "root.path")} AS key, l.* FROM (SELECT ${rootOf("$3")} AS path) root
    JOIN test_instance o ON o.test_object_id = ${ofAnySize("$3")} AND ${isPlaced("o")} JOIN LATERAL (${ofOther}) l ON true
  ), newer AS (
    SELECT i.id AS page, i.url, ${pathBelow("i", "root.path")} AS key, r.* FROM (SELECT ${rootOf("$1")} AS path) root
    JOIN test_instance i ON i.test_object_id = ${ofAnySize("$1")} AND ${isPlaced("i")} JOIN LATERAL (
      SELECT ${columns} FROM test_snapshot s WHERE s.test_instance_id = i.id AND s.state IN ('done', 'failed') ORDER BY s.id DESC LIMIT 1
    ) r ON true
  ), former AS (
    SELECT m.test_object_id AS object, i.id AS page, ${pathBelow("m", "root.path")} AS key
    FROM (SELECT o AS id, ${rootOf("o")} AS path FROM unnest(ARRAY[$1::uuid, $3::uuid]) o) root
    JOIN page_lifecycle m ON m.test_object_id = root.id AND m.kind = 'moved' AND m.undone_at IS NULL
    JOIN test_instance i ON i.test_object_id = m.test_object_id AND i.url = m.to_url
  ), ${movedOf("moved_newer", "$1", "newer", "older")}, ${movedOf("moved_older", "$3", "older", "newer")}, classified AS MATERIALIZED (
    SELECT coalesce(r.page, l.page) AS id, coalesce(r.url, l.url) AS url, l.id AS one_id, r.id AS other_id, CASE
      WHEN r.id IS NULL THEN 'gone'
      WHEN ${isGone("r")} THEN CASE WHEN l.id IS NOT NULL THEN 'gone' END
      WHEN r.state = 'failed' THEN 'failed'
      WHEN l.id IS NULL THEN 'new'
      WHEN ${same} THEN 'same' ELSE 'changed' END AS kind
    FROM (SELECT o.*, coalesce(m.key, o.key) AS path FROM older o LEFT JOIN moved_older m ON m.page = o.page) l
    FULL JOIN (SELECT n.*, coalesce(m.key, n.key) AS path FROM newer n LEFT JOIN moved_newer m ON m.page = n.page) r ON r.path = l.path
  ), ${written}`;

/** @property only the parts of pages that count; undefined: all */
export interface ComparedSites {
  from: ComparedSide;
  to: ComparedSide;
  bounds: readonly [Bound, Bound];
  only?: readonly ComparedPart[] | undefined;
}

/** The numbers of pages to be compared. */
export interface PairedPages {
  total: number;
  same: number;
  /** Pages whose contents, files or headers differ, and which the differ has to compare. */
  queued: number;
}

/**
 * Starts a comparison: pairs the pages of two states of an object, and writes rows for those that differ, which the differ then compares.
 * @param runId a run of kind `compare` of that object
 */
export async function startComparison(
  tx: Queryable,
  objectId: string,
  runId: string,
  { from, to, bounds, only }: ComparedSites,
): Promise<PairedPages> {
  const [one, other] = bounds;
  const ofOtherSite = from.type === "object" ? from.testobject_id : null;
  const way = from.type === "baseline" || from.type === "previous" ? from.type : "asOf";
  const parts = only === undefined ? null : JSON.stringify(only);
  const bound = [other.id, other.at, one.id, one.at, ...(way === "baseline" ? [parts] : [])];
  const [counts] = await tx.query<PairedPages & ComparisonCounts>(
    ofOtherSite === null ? older[way] : pairWithOther,
    ofOtherSite === null ? [objectId, runId, ...bound] : [objectId, runId, ofOtherSite],
  );
  if (counts === undefined) throw new Error("count gave no row");
  const { total, same: equal, queued } = counts;
  await tx.query(
    `INSERT INTO comparison (run_id, one, other, same, parts) VALUES ($1, $2::jsonb, $3::jsonb, $4, $5::jsonb)`,
    [runId, JSON.stringify(from), JSON.stringify(to), equal, parts],
  );
  await settleComparison(tx, runId, counts);
  await carryVerdicts(tx, runId);
  await settleRun(tx, runId);
  await forgetComparisons(tx, objectId);
  return { total, same: equal, queued };
}
