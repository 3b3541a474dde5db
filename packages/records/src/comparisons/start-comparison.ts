import { type ComparedPart, comparedPart, type ComparedSide } from "@web-tester/contracts/entities/comparison";
import type { Queryable } from "@web-tester/platform/database/database";
import { besideStatus } from "../changes/facts-of.js";
import { type ComparisonCounts, forgetComparisons, settleComparison } from "../runs/comparison-run.js";
import { settleRun } from "../runs/settle-run.js";
import { carryVerdicts } from "../reviews/verdicts.js";
import { accepted, firstFetch } from "../reviews/accepted.js";

/** Until when a state of a site is looked at: snapshots up to this id and this time. */
export interface Bound {
  id: string;
  at: Date | "infinity";
}

const noBound: Bound = { id: "ffffffff-ffff-ffff-ffff-ffffffffffff", at: "infinity" };

const newestOf = `SELECT id FROM test_snapshot WHERE run_id = $1 ORDER BY id DESC LIMIT 1`;

/** @returns null where a run fetched nothing */
export async function boundOf(tx: Queryable, side: ComparedSide): Promise<Bound | null> {
  if (side.type === "time") return { ...noBound, at: new Date(side.at) };
  if (side.type !== "run") return noBound;
  const [row] = await tx.query<{ id: string }>(newestOf, [side.run_id]);
  return row === undefined ? null : { ...noBound, id: row.id };
}

const columns = "s.id, s.state, s.http_status, s.content_hash, s.files_hash, s.redirects, s.final_url, s.headers";
const isGone = (s: string) => `${s}.state = 'failed' AND ${s}.http_status IN (404, 410)`;

/*
 * What follows is asked for each page by itself. `LIMIT 1` keeps it so: PostgreSQL takes a row by its key for a join, and reads a table whole
 * to join it with 100,000 pages, however much more is kept in it.
 */

/** SQL: the newest good snapshot of a page as it was last seen; what was gone by then, or never fetched well, has none. @param upTo what else holds for `n`, as `AND …` */
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

/** SQL: a page's state up to a bound. */
const asOf = (id: string, at: string) => lastSeen("i", `AND n.id <= ${id} AND n.created_at <= ${at}`);

/*
 * Of a page of which nobody has accepted anything, the baseline is what the first fetch of all found, whatever older history was imported; a page that came
 * later is new until it is accepted.
 */
const baseline = `
  SELECT ${columns} FROM test_snapshot s WHERE s.id = CASE
    WHEN a.gone THEN NULL WHEN a.snapshot_id IS NOT NULL THEN a.snapshot_id
    WHEN i.created_at <= f.ended_at THEN (
      SELECT d.id FROM test_snapshot d WHERE d.test_instance_id = i.id AND d.state = 'done' AND d.id > f.id ORDER BY d.id LIMIT 1) END
  LIMIT 1`;

/* What was gone at the fetch before is no page that goes now. */
const previous = lastSeen("i", "AND n.id < r.id");

/* The state of another site. A page that fails there for now is there all the same. */
const ofOther = lastSeen("o", "");

/* What was not modified says so with a status of its own, of a page that is as it was. */
const same = `
  l.id = r.id OR (l.content_hash = r.content_hash AND l.files_hash IS NOT DISTINCT FROM r.files_hash
    AND (l.http_status = r.http_status OR 304 IN (l.http_status, r.http_status)) AND ${besideStatus("l")} = ${besideStatus("r")})`;

/* Pages that are the same in both are counted only. */
const written = `
  written AS (
    INSERT INTO compared_page (run_id, test_instance_id, kind, state, one_id, other_id)
    SELECT $2, id, kind, CASE WHEN kind = 'changed' THEN 'queued' ELSE 'done' END, one_id, other_id
    FROM judged WHERE kind <> 'same' ORDER BY url
  )
  SELECT count(*)::int AS total, (count(*) FILTER (WHERE kind = 'same'))::int AS same, (count(*) FILTER (WHERE kind = 'changed'))::int AS queued,
    (count(*) FILTER (WHERE kind = 'failed'))::int AS failed, (count(*) FILTER (WHERE kind IN ('new', 'gone')))::int AS changed
  FROM judged WHERE kind IS NOT NULL`;

/* SQL: whether what somebody accepted was looked at in all that counts now, which is $7 */
const sawAll = `(a.parts IS NULL OR coalesce($7::jsonb, '${JSON.stringify(comparedPart.options)}') <@ a.parts)`;

/* $1 object, $2 run, $3 $4 bound of the newer state, $5 $6 bound of the older one; for the baseline $7 what of pages counts, null for all */
const pair = (older: "asOf" | "baseline" | "previous") => `
  WITH ${
    older === "baseline"
      ? `accepted AS (
    SELECT DISTINCT ON (page) page, snapshot_id, gone FROM (${accepted("$1", () => "true")}) a WHERE ${sawAll} ORDER BY page, snapshot_id DESC
  ), first_fetch AS (${firstFetch("$1")}), `
      : ""
  }judged AS MATERIALIZED (
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
    WHERE i.test_object_id = $1 AND ($5::uuid IS NOT NULL AND $6::timestamptz IS NOT NULL)
  ), ${written}`;

const older = { asOf: pair("asOf"), baseline: pair("baseline"), previous: pair("previous") };

/** SQL: path and query of a page below the folder of its object's URL; of pages elsewhere, the whole path. */
const pathBelow = (page: string, root: string) =>
  `CASE WHEN starts_with(${page}.url, ${root}) THEN substr(${page}.url, length(${root}) + 1) ELSE coalesce(substring(${page}.url from '^[^/]+//[^/]*(/.*)$'), '/') END`;
const rootOf = (object: string) =>
  `(SELECT substring(url from '^[^/]+//[^/]*/(?:[^?#]*/)?') FROM test_object WHERE id = ${object})`;

/** SQL: whether a page is looked for at its own address: it did not move to that of another page. */
const isPlaced = (page: string) =>
  `(${page}.lifecycle IS DISTINCT FROM 'moved' OR NOT EXISTS (
    SELECT 1 FROM test_instance t WHERE t.test_object_id = ${page}.test_object_id AND t.url = ${page}.lifecycle_to))`;

/** SQL, a CTE: pages of one site under the path that they had before, where the other site has that path still. */
const movedOf = (name: string, object: string, own: string, other: string) => `${name} AS (
    SELECT DISTINCT ON (page) page, key FROM (
      SELECT DISTINCT ON (f.key) f.page, f.key FROM former f JOIN ${other} o ON o.key = f.key
      WHERE f.object = ${object} AND NOT EXISTS (SELECT 1 FROM ${own} n WHERE n.key = f.key)
        AND NOT EXISTS (SELECT 1 FROM ${own} n JOIN ${other} t ON t.key = n.key WHERE n.page = f.page)
      ORDER BY f.key, f.page DESC
    ) f ORDER BY page, key)`;

/*
 * $1 object, $2 run, $3 other object, whose pages are the older side. What both lack is in neither; of a page that only the other one has,
 * the row is of that one's page. What one of them has moved is found by the path that it had, where nothing else is at that path.
 */
const pairWithOther = `
  WITH older AS (
    SELECT o.id AS page, o.url, ${pathBelow("o", "root.path")} AS key, l.* FROM (SELECT ${rootOf("$3")} AS path) root
    JOIN test_instance o ON o.test_object_id = $3 AND ${isPlaced("o")} JOIN LATERAL (${ofOther}) l ON true
  ), newer AS (
    SELECT i.id AS page, i.url, ${pathBelow("i", "root.path")} AS key, r.* FROM (SELECT ${rootOf("$1")} AS path) root
    JOIN test_instance i ON i.test_object_id = $1 AND ${isPlaced("i")} JOIN LATERAL (
      SELECT ${columns} FROM test_snapshot s WHERE s.test_instance_id = i.id AND s.state IN ('done', 'failed') ORDER BY s.id DESC LIMIT 1
    ) r ON true
  ), former AS (
    SELECT m.test_object_id AS object, i.id AS page, ${pathBelow("m", "root.path")} AS key
    FROM (SELECT o AS id, ${rootOf("o")} AS path FROM unnest(ARRAY[$1::uuid, $3::uuid]) o) root
    JOIN page_lifecycle m ON m.test_object_id = root.id AND m.kind = 'moved' AND m.undone_at IS NULL
    JOIN test_instance i ON i.test_object_id = m.test_object_id AND i.url = m.to_url
  ), ${movedOf("moved_newer", "$1", "newer", "older")}, ${movedOf("moved_older", "$3", "older", "newer")}, judged AS MATERIALIZED (
    SELECT coalesce(r.page, l.page) AS id, coalesce(r.url, l.url) AS url, l.id AS one_id, r.id AS other_id, CASE
      WHEN r.id IS NULL THEN 'gone'
      WHEN ${isGone("r")} THEN CASE WHEN l.id IS NOT NULL THEN 'gone' END
      WHEN r.state = 'failed' THEN 'failed'
      WHEN l.id IS NULL THEN 'new'
      WHEN ${same} THEN 'same' ELSE 'changed' END AS kind
    FROM (SELECT o.*, coalesce(m.key, o.key) AS path FROM older o LEFT JOIN moved_older m ON m.page = o.page) l
    FULL JOIN (SELECT n.*, coalesce(m.key, n.key) AS path FROM newer n LEFT JOIN moved_newer m ON m.page = n.page) r ON r.path = l.path
  ), ${written}`;

/** @property only what of pages counts; undefined: all */
export interface ComparedSites {
  from: ComparedSide;
  to: ComparedSide;
  bounds: readonly [Bound, Bound];
  only?: readonly ComparedPart[] | undefined;
}

/** What is to be compared, in numbers of pages. */
export interface PairedPages {
  total: number;
  same: number;
  /** Whose contents, files or headers differ, and are looked at now. */
  queued: number;
}

/**
 * Pairs the pages of an object as they were with those as they are. Only those that differ are kept, and looked at by the differ.
 * @param runId of a run of kind `compare` of that object
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
