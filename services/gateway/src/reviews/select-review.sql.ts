import type { GroupKind, ReviewKind, Verdict } from "@web-tester/contracts/entities/review";
import type { PageFact } from "@web-tester/contracts/entities/vocabulary";
import type { ChangedFact } from "@web-tester/contracts/entities/snapshot";
import type { Queryable } from "@web-tester/platform/database/database";
import { filesOf, hasFiles } from "@web-tester/records/changes/files-of-change";
import { countKinds, countSets } from "@web-tester/records/changes/change-hunks";
import { isNotable } from "@web-tester/records/changes/queue-changes";
import { pageOfSnapshotStays, stays } from "@web-tester/records/instances/going";
import { accepted } from "@web-tester/records/reviews/accepted";
import { ofAnySize } from "@web-tester/records/runs/of-any-size";
import { encodedPart } from "@web-tester/urls/encoded-part";

/**
 * SQL: whether a failed page is gone, by the same rule as in messages: it answered 404 or 410 and was fetched well before, whichever run
 * noticed it first; or this run recorded it as gone, and what was fetched before is no longer kept.
 * @param s alias of its snapshot
 */
const isGone = (s: string) =>
  `(coalesce(${s}.http_status, 0) IN (404, 410) AND EXISTS (SELECT 1 FROM test_snapshot w WHERE w.test_instance_id = ${s}.test_instance_id AND w.id < ${s}.id AND w.state = 'done')
    OR EXISTS (SELECT 1 FROM page_lifecycle g WHERE g.run_id = ${s}.run_id AND g.test_instance_id = ${s}.test_instance_id AND g.kind = 'gone'))`;

/**
 * SQL: the kind of a page in a run's review.
 * @param s, c aliases of its snapshot and its change, which is null where the page is unchanged
 */
const kindOf = (s: string, c: string) => `
  CASE WHEN ${s}.state = 'failed' THEN CASE WHEN ${isGone(s)} THEN 'gone' ELSE 'failed' END
    WHEN ${s}.state <> 'done' OR ${c}.state <> 'done' THEN 'pending'
    WHEN ${c}.kind = 'first' THEN 'new' WHEN ${c}.kind = 'changed' THEN CASE WHEN ${c}.significant THEN 'changed' ELSE 'ignored' END
    ELSE 'unchanged' END`;

/*
 * SQL: most pages of most runs are unchanged. Their number is that of the finished snapshots without all pages of other kinds, so that
 * the run's snapshots are read once, and of its changes only those of the other kinds.
 */
const counts = `
  WITH ended AS (
    SELECT count(*) FILTER (WHERE s.state = 'done') AS done, count(*) FILTER (WHERE s.state NOT IN ('done', 'failed')) AS open,
      array_agg(s.id) FILTER (WHERE s.state = 'failed') AS failures
    FROM test_snapshot s WHERE s.run_id = $1 AND s.state <> 'cancelled' AND ${stays("s.test_instance_id")}
  ), failed AS (
    SELECT count(*) AS pages, count(*) FILTER (WHERE ${isGone("s")}) AS gone
    FROM ended, unnest(ended.failures) AS f (id) JOIN test_snapshot s ON s.id = f.id
  ), notable AS (
    SELECT CASE WHEN c.state <> 'done' THEN 'pending' WHEN c.kind = 'first' THEN 'new' WHEN c.significant THEN 'changed' ELSE 'ignored' END AS kind,
      count(*) AS pages, count(*) FILTER (WHERE c.files_changed > 0) AS files
    FROM change c WHERE c.run_id = $1 AND ${isNotable("c")} AND ${pageOfSnapshotStays("c.snapshot_id")} GROUP BY 1
  )
  SELECT kind, sum(pages)::int AS pages, sum(files)::int AS files FROM (
    SELECT kind, pages, files FROM notable
    UNION ALL SELECT 'pending', open, 0 FROM ended
    UNION ALL SELECT 'failed', pages - gone, 0 FROM failed
    UNION ALL SELECT 'gone', gone, 0 FROM failed
    UNION ALL SELECT 'unchanged', done - (SELECT coalesce(sum(pages), 0) FROM notable), 0 FROM ended
  ) k GROUP BY 1`;

const newFailures = `
  SELECT count(*)::int AS n FROM test_snapshot s
  CROSS JOIN LATERAL (
    SELECT state FROM test_snapshot p WHERE p.test_instance_id = s.test_instance_id AND p.id < s.id AND p.state IN ('done', 'failed')
    ORDER BY p.id DESC LIMIT 1
  ) before
  WHERE s.run_id = $1 AND s.state = 'failed' AND before.state = 'done' AND ${stays("s.test_instance_id")} AND NOT ${isGone("s")}`;

export interface ReviewCounts {
  kinds: { kind: ReviewKind; pages: number; files: number }[];
  newFailures: number;
}

export async function selectCounts(db: Queryable, runId: string): Promise<ReviewCounts> {
  const kinds = await db.query<ReviewCounts["kinds"][number]>(counts, [runId]);
  const failed = kinds.find(({ kind }) => kind === "failed")?.pages ?? 0;
  // most runs have no failures, and then they need not be searched for
  const [failures] = failed === 0 ? [] : await db.query<{ n: number }>(newFailures, [runId]);
  return { kinds, newFailures: failures?.n ?? 0 };
}

const files = `
  WITH listed AS (
    SELECT test_object_id, files, files_digest, count(*) AS pages FROM change c
    WHERE c.run_id = $1 AND c.state = 'done' AND c.kind <> 'unchanged' AND c.significant AND ${hasFiles("c")} AND ${pageOfSnapshotStays("c.snapshot_id")}
    GROUP BY 1, 2, 3
  )
  SELECT f ->> 'url' AS url, sum(c.pages)::int AS pages FROM listed c CROSS JOIN LATERAL jsonb_array_elements(${filesOf("c")}) AS f
  GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 50`;

const facts = `
  SELECT f ->> 'fact' AS fact, count(*)::int AS pages
  FROM change c CROSS JOIN LATERAL jsonb_array_elements(c.facts) AS f
  WHERE c.run_id = $1 AND c.state = 'done' AND c.kind <> 'unchanged' AND c.significant AND c.facts IS NOT NULL AND ${pageOfSnapshotStays("c.snapshot_id")} GROUP BY 1 ORDER BY 2 DESC, 1`;

/** Selects the files and facts that changed in a run, with the number of pages that changed in each. */
export async function selectBeside(
  db: Queryable,
  runId: string,
): Promise<{ files: { url: string; pages: number }[]; facts: { fact: PageFact; pages: number }[] }> {
  const [ofFiles, ofFacts] = await Promise.all([
    db.query<{ url: string; pages: number }>(files, [runId]),
    db.query<{ fact: PageFact; pages: number }>(facts, [runId]),
  ]);
  return { files: ofFiles, facts: ofFacts };
}

/**
 * SQL: the verdict that somebody gave.
 * @param v alias of the verdict
 */
export const said = (v: string) =>
  `CASE WHEN ${v}.id IS NOT NULL THEN json_build_object('verdict', ${v}.verdict, 'note', ${v}.note, 'author', ${v}.author, 'at', ${v}.created_at) END AS said`;

interface Said {
  verdict: Verdict;
  note: string;
  author: string;
  at: string;
}

/**
 * SQL: one page of the groups of run $1, from a CTE `placed`, each with its texts in this run.
 * @param isThere SQL that says whether the sample `x` still shows the group's change
 */
export const shownGroups = (isThere: string) => `
    SELECT g.fingerprint, g.pages, g.kind, g.place, g.total, coalesce(x.sample_id, g.sample) AS sample,
      coalesce(x.removed, g.removed) AS removed, coalesce(x.added, g.added) AS added
    FROM (SELECT *, (count(*) OVER ())::int AS total FROM placed ORDER BY pages DESC, fingerprint LIMIT $3 OFFSET $4) g
    LEFT JOIN hunk_sample x ON x.run_id = $1 AND x.fingerprint = g.fingerprint AND ${isThere}`;

/**
 * SQL: the number of pages that changed in the places of the groups that are `shown`, by `place`. Those of them that do not have a group
 * have another one in its place.
 * @param rows a row per page and fingerprint: `at` for the page, or for several that have the same, whose number is `pages`; `fingerprint`
 */
export const pagesOfPlaces = (rows: string) => `
    SELECT place, sum(pages)::int AS pages FROM (
      SELECT DISTINCT o.place, r.at, r.pages FROM (${rows}) r JOIN placed o ON o.fingerprint = r.fingerprint
      WHERE o.place IN (SELECT place FROM shown)) d
    GROUP BY 1`;

/** SQL: the number of pages that changed in the place of a group otherwise. @param p alias of the group @param o alias of `pagesOfPlaces` */
export const otherwiseThan = (p: string, o: string) => `coalesce(${o}.pages - ${p}.pages, 0)`;

/* SQL: verdicts are joined only to the groups that are shown, because a run can have as many groups as pages. */
const groups = `
  WITH sets AS (
    ${countSets(`SELECT c.snapshot_id, c.hunks FROM change c WHERE c.run_id = ${ofAnySize("$1")} AND ${isNotable("c")} AND ${pageOfSnapshotStays("c.snapshot_id")}`)}
  ), counted AS (
    ${countKinds("sets")}
  ), placed AS (
    SELECT g.*, t.removed, t.added, coalesce(t.kind, 'content') AS kind, t.place
    FROM counted g LEFT JOIN hunk_text t ON t.test_object_id = ${ofAnySize("$2")} AND t.fingerprint = g.fingerprint
  ), shown AS (
    ${shownGroups("EXISTS (SELECT 1 FROM change_hunk h WHERE h.snapshot_id = x.sample_id AND h.fingerprint = x.fingerprint) AND " + pageOfSnapshotStays("x.sample_id"))}
  ), changed_there AS (
    ${pagesOfPlaces("SELECT at, pages, unnest(hunks) AS fingerprint FROM (SELECT *, row_number() OVER () AS at FROM sets) s")}
  )
  SELECT encode(p.fingerprint, 'hex') AS fingerprint, p.pages, coalesce(p.removed, '') AS removed, coalesce(p.added, '') AS added, p.kind,
    ${otherwiseThan("p", "o")} AS otherwise, p.sample, c.previous_id AS "comparedWith", i.id AS "instanceId", i.name, i.url, ${said("v")}, p.total
  FROM shown p
  JOIN test_snapshot s ON s.id = p.sample
  JOIN change c ON c.snapshot_id = s.id
  JOIN test_instance i ON i.id = s.test_instance_id
  LEFT JOIN changed_there o ON o.place = p.place
  LEFT JOIN verdict v ON v.run_id = $1 AND v.fingerprint = p.fingerprint
  ORDER BY p.pages DESC, p.fingerprint`;

export interface GroupRow {
  fingerprint: string;
  pages: number;
  removed: string;
  added: string;
  kind: GroupKind;
  otherwise: number;
  sample: string;
  comparedWith: string | null;
  instanceId: string;
  name: string;
  url: string;
  said: Said | null;
  total: number;
}

/** Selects the groups of equal changes in a run; those on most pages come first. */
export function selectGroups(
  db: Queryable,
  runId: string,
  objectId: string,
  { limit, offset }: { limit: number; offset: number },
): Promise<GroupRow[]> {
  return db.query<GroupRow>(groups, [runId, objectId, limit, offset]);
}

const otherwise = `
  SELECT t.fingerprint FROM hunk_text t
  WHERE t.test_object_id = $1 AND t.fingerprint <> $3 AND t.place = (SELECT k.place FROM hunk_text k WHERE k.test_object_id = $1 AND k.fingerprint = $3)
    AND (t.fingerprint IN (SELECT unnest(c.hunks) FROM change c WHERE c.run_id = $2 AND ${isNotable("c")})
      OR EXISTS (SELECT 1 FROM compared_hunk h WHERE h.run_id = $2 AND h.fingerprint = t.fingerprint))`;

/** Selects the other changes of a run that are in the same place as a given one. */
export async function selectOtherwise(db: Queryable, objectId: string, runId: string, hash: Buffer): Promise<Buffer[]> {
  const rows = await db.query<{ fingerprint: Buffer }>(otherwise, [objectId, runId, hash]);
  return rows.map(({ fingerprint }) => fingerprint);
}

/*
 * SQL: the snapshots of a run, read by the index on its id. `OFFSET 0` keeps the planner from scanning all snapshots in order instead:
 * a run's snapshots usually are the youngest, and would be found last.
 */
const ofRun = `(SELECT id, run_id, test_instance_id, state, http_status FROM test_snapshot WHERE run_id = ${ofAnySize("$1")} OFFSET 0)`;

/** SQL: which changes `c` pages of a kind have, that a row of changes may say. Pages of these kinds always have one, others never, and pending ones may. */
const changesOf: Partial<Record<ReviewKind, string>> = {
  new: "c.state = 'done' AND c.kind = 'first'",
  changed: "c.state = 'done' AND c.kind = 'changed' AND c.significant",
  ignored: "c.state = 'done' AND c.kind = 'changed' AND NOT c.significant",
  pending: "c.state <> 'done'",
};

/** SQL: whether a page's name has the first text of $5, or its address the second. */
export const hasText = (page: string): string =>
  `position(lower(($5::text[])[1]) IN lower(${page}.name)) > 0 OR position(lower(($5::text[])[2]) IN lower(${page}.url)) > 0`;

/** The texts that names and addresses of pages are searched for; null: none. */
export const soughtTexts = (q: string | null): [name: string, url: string] | null =>
  q === null || q === "" ? null : [q, encodedPart(q)];

/** SQL: in place of a change, for a page that has none. */
const noChange =
  "(SELECT NULL::text AS state, NULL::text AS kind, NULL::boolean AS significant, NULL::bytea[] AS hunks)";

/*
 * SQL: first picks the pages, then looks up the details of each. The pages whose changes are not unchanged are found by these, and all others are
 * the rest of the run: a planner that expects no row of a new run would join them by comparing each with each.
 */
const pages = (kind: ReviewKind | null, withText: boolean) => {
  const notable = `FROM change c WHERE c.run_id = $1 AND ${isNotable("c")}`;
  const named = withText ? "JOIN test_instance i ON i.id = s.test_instance_id" : "";
  const isMeant = `${stays("s.test_instance_id")} AND s.state <> 'cancelled' AND ($2::uuid IS NULL OR s.id > $2)
      AND ($3::text IS NULL OR ${kindOf("s", "c")} = $3)
      AND ($4::bytea[] IS NULL OR c.hunks && $4)
      AND ($7::bytea IS NULL OR $7 <> ALL (c.hunks))
      AND ($5::text[] IS NULL${withText ? ` OR ${hasText("i")}` : ""})`;
  const of = kind === null ? "true" : changesOf[kind];
  const withChange = `(
    SELECT c.snapshot_id AS id, ${kindOf("s", "c")} AS kind
    FROM (SELECT c.snapshot_id, c.state, c.kind, c.significant, c.hunks ${notable} AND ${of} ORDER BY c.snapshot_id OFFSET 0) c
    CROSS JOIN LATERAL (SELECT * FROM test_snapshot f WHERE f.id = c.snapshot_id LIMIT 1) s ${named}
    WHERE ${isMeant} ORDER BY c.snapshot_id LIMIT $6)`;
  const rest = `(
    SELECT s.id, ${kindOf("s", "c")} AS kind FROM ${ofRun} s ${named} CROSS JOIN ${noChange} c
    WHERE s.id NOT IN (SELECT c.snapshot_id ${notable}) AND ${isMeant} ORDER BY s.id LIMIT $6)`;
  const parts = [
    ...(of === undefined ? [] : [withChange]),
    ...(kind === null || kind === "pending" || of === undefined ? [rest] : []),
  ];
  return `
  WITH picked AS MATERIALIZED (
    SELECT * FROM (${parts.join(" UNION ALL ")}) p ORDER BY id LIMIT $6
  )
  SELECT s.id, s.id AS "snapshotId", k.kind, c.previous_id AS "comparedWith", coalesce(c.changes, 0) AS changes, coalesce(c.ignored, 0) AS ignored,
    coalesce(c.lines_added, 0) AS added, coalesce(c.lines_removed, 0) AS removed, coalesce(c.files_changed, 0) AS files, c.facts, s.error,
    s.http_status AS status, i.id AS "instanceId", i.name, i.url, f.since, ${said("v")}
  FROM picked k
  JOIN test_snapshot s ON s.id = k.id
  JOIN test_instance i ON i.id = s.test_instance_id
  LEFT JOIN change c ON c.snapshot_id = s.id
  LEFT JOIN verdict v ON v.run_id = s.run_id AND v.test_instance_id = i.id
  LEFT JOIN LATERAL (
    SELECT min(b.created_at) AS since FROM test_snapshot b
    WHERE s.state = 'failed' AND b.test_instance_id = i.id AND b.id <= s.id AND b.state = 'failed' AND b.id > coalesce((
      SELECT d.id FROM test_snapshot d WHERE d.test_instance_id = i.id AND d.id < s.id AND d.state = 'done' ORDER BY d.id DESC LIMIT 1
    ), '00000000-0000-0000-0000-000000000000')
  ) f ON true
  ORDER BY s.id`;
};

export interface ReviewPageRow {
  /** The cursor from which the list continues. */
  id: string;
  snapshotId: string;
  kind: ReviewKind;
  comparedWith: string | null;
  changes: number;
  ignored: number;
  added: number;
  removed: number;
  files: number;
  facts: ChangedFact[] | null;
  error: string | null;
  status: number | null;
  instanceId: string;
  name: string;
  url: string;
  since: Date | null;
  said: Said | null;
}

export interface PageFilter {
  kind: ReviewKind | null;
  /** Only pages with one of these changes; null: all. */
  fingerprints: readonly Buffer[] | null;
  /** Only pages without this change. */
  without?: Buffer | null;
  q: string | null;
}

/**
 * Selects pages of a run in the order of their snapshots.
 * @param after id of the last snapshot of the previous part
 */
export function selectPages(
  db: Queryable,
  runId: string,
  { kind, fingerprints, without = null, q }: PageFilter,
  after: string | null,
  limit: number,
): Promise<ReviewPageRow[]> {
  const texts = soughtTexts(q);
  return db.query<ReviewPageRow>(pages(kind, texts !== null), [
    runId,
    after,
    kind,
    fingerprints,
    texts,
    limit,
    without,
  ]);
}

const baseline = `
  SELECT snapshot_id, gone FROM (${accepted("(SELECT test_object_id FROM test_instance WHERE id = $1)", (page) => `${page} = $1`)}) a
  ORDER BY snapshot_id DESC LIMIT 1`;

/**
 * Selects the last snapshot of a page that somebody accepted, by the page or by its changes, in a fetch or in a comparison; null where
 * the page was accepted as gone since.
 */
export async function selectBaseline(db: Queryable, instanceId: string): Promise<string | null> {
  const [row] = await db.query<{ snapshot_id: string; gone: boolean }>(baseline, [instanceId]);
  return row === undefined || row.gone ? null : row.snapshot_id;
}
