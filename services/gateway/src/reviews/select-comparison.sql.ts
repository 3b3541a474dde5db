import type { ComparedSide } from "@web-tester/contracts/entities/comparison";
import type { PageFact } from "@web-tester/contracts/entities/vocabulary";
import type { Queryable } from "@web-tester/platform/database/database";
import { pageOfPairStays, stays } from "@web-tester/records/instances/going";
import { ofAnySize } from "@web-tester/records/runs/of-any-size";
import {
  type GroupRow,
  type PageFilter,
  type ReviewCounts,
  type ReviewPageRow,
  hasText,
  said,
  soughtTexts,
  otherwiseThan,
  pagesOfPlaces,
  shownGroups,
} from "./select-review.sql.js";

/* SQL: the queries of a review for comparisons of two states. Pages that are the same in both states have no rows, only a count. */

const comparison = `SELECT one AS "from", other AS "to", same FROM comparison WHERE run_id = $1`;

/** Selects the two sides of a comparison; null for a run that is none. */
export async function selectComparison(
  db: Queryable,
  runId: string,
): Promise<{ from: ComparedSide; to: ComparedSide; same: number } | null> {
  const [row] = await db.query<{ from: ComparedSide; to: ComparedSide; same: number }>(comparison, [runId]);
  return row ?? null;
}

const kindOf = `CASE WHEN c.state = 'queued' THEN 'pending' ELSE c.kind END`;

const counts = `
  SELECT ${kindOf} AS kind, count(*)::int AS pages, (count(*) FILTER (WHERE c.files_changed > 0))::int AS files
  FROM compared_page c WHERE c.run_id = $1 AND ${stays("c.test_instance_id")} GROUP BY 1`;

const newFailures = `
  SELECT count(*)::int AS n FROM compared_page c WHERE c.run_id = $1 AND c.kind = 'failed' AND c.one_id IS NOT NULL AND ${stays("c.test_instance_id")}`;

/**
 * Counts the pages of a comparison by kind.
 * @param same number of pages that have no rows
 */
export async function selectComparedCounts(db: Queryable, runId: string, same: number): Promise<ReviewCounts> {
  const [kinds, [failures]] = await Promise.all([
    db.query<ReviewCounts["kinds"][number]>(counts, [runId]),
    db.query<{ n: number }>(newFailures, [runId]),
  ]);
  const unchanged = kinds.find(({ kind }) => kind === "unchanged")?.pages ?? 0;
  return {
    kinds: [
      ...kinds.filter(({ kind }) => kind !== "unchanged"),
      { kind: "unchanged", pages: unchanged + same, files: 0 },
    ],
    newFailures: failures?.n ?? 0,
  };
}

const files = `
  SELECT f ->> 'url' AS url, count(*)::int AS pages FROM compared_page c CROSS JOIN LATERAL jsonb_array_elements(c.files) AS f
  WHERE c.run_id = $1 AND c.kind = 'changed' AND c.files IS NOT NULL AND ${stays("c.test_instance_id")} GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 50`;

const facts = `
  SELECT f ->> 'fact' AS fact, count(*)::int AS pages FROM compared_page c CROSS JOIN LATERAL jsonb_array_elements(c.facts) AS f
  WHERE c.run_id = $1 AND c.kind = 'changed' AND c.facts IS NOT NULL AND ${stays("c.test_instance_id")} GROUP BY 1 ORDER BY 2 DESC, 1`;

/** Selects the files and facts that differ, with the number of pages that differ in each. */
export async function selectComparedBeside(
  db: Queryable,
  runId: string,
): Promise<{ files: { url: string; pages: number }[]; facts: { fact: PageFact; pages: number }[] }> {
  const [ofFiles, ofFacts] = await Promise.all([
    db.query<{ url: string; pages: number }>(files, [runId]),
    db.query<{ fact: PageFact; pages: number }>(facts, [runId]),
  ]);
  return { files: ofFiles, facts: ofFacts };
}

/** SQL: whether a compared page has a difference. @param page SQL of its id @param hash SQL of the fingerprint */
const hasHunk = (page: string, hash: string) =>
  `EXISTS (SELECT 1 FROM compared_hunk k WHERE k.page_id = ${page} AND k.fingerprint = ${hash})`;

const groups = `
  WITH counted AS (
    SELECT fingerprint, count(*)::int AS pages, (min(page_id::text))::uuid AS sample FROM compared_hunk
    WHERE run_id = ${ofAnySize("$1")} AND ${pageOfPairStays("page_id")} GROUP BY 1
  ), placed AS (
    SELECT g.*, t.removed, t.added, coalesce(t.kind, 'content') AS kind, t.place
    FROM counted g LEFT JOIN hunk_text t ON t.test_object_id = ${ofAnySize("$2")} AND t.fingerprint = g.fingerprint
  ), shown AS (
    ${shownGroups("EXISTS (SELECT 1 FROM compared_hunk h WHERE h.page_id = x.sample_id AND h.fingerprint = x.fingerprint) AND " + pageOfPairStays("x.sample_id"))}
  ), changed_there AS (
    ${pagesOfPlaces(`SELECT page_id AS at, 1 AS pages, fingerprint FROM compared_hunk WHERE run_id = ${ofAnySize("$1")} AND ${pageOfPairStays("page_id")}`)}
  )
  SELECT encode(p.fingerprint, 'hex') AS fingerprint, p.pages, coalesce(p.removed, '') AS removed, coalesce(p.added, '') AS added, p.kind,
    ${otherwiseThan("p", "o")} AS otherwise, c.other_id AS sample, c.one_id AS "comparedWith", i.id AS "instanceId", i.name, i.url, ${said("v")}, p.total
  FROM shown p
  JOIN compared_page c ON c.id = p.sample
  JOIN test_instance i ON i.id = c.test_instance_id
  LEFT JOIN changed_there o ON o.place = p.place
  LEFT JOIN verdict v ON v.run_id = $1 AND v.fingerprint = p.fingerprint
  ORDER BY p.pages DESC, p.fingerprint`;

/** Selects the groups of equal differences; those on most pages come first. */
export function selectComparedGroups(
  db: Queryable,
  runId: string,
  objectId: string,
  { limit, offset }: { limit: number; offset: number },
): Promise<GroupRow[]> {
  return db.query<GroupRow>(groups, [runId, objectId, limit, offset]);
}

const pages = `
  SELECT c.id, coalesce(c.other_id, c.one_id) AS "snapshotId", ${kindOf} AS kind, c.one_id AS "comparedWith", c.changes, c.ignored,
    c.lines_added AS added, c.lines_removed AS removed, c.files_changed AS files, c.facts, s.error, s.http_status AS status,
    i.id AS "instanceId", i.name, i.url, NULL AS since, ${said("v")}
  FROM compared_page c
  JOIN test_instance i ON i.id = c.test_instance_id
  LEFT JOIN test_snapshot s ON s.id = c.other_id
  LEFT JOIN verdict v ON v.run_id = c.run_id AND v.test_instance_id = i.id
  WHERE c.run_id = $1 AND i.removal_id IS NULL AND ($2::uuid IS NULL OR c.id > $2) AND ($3::text IS NULL OR ${kindOf} = $3)
    AND ($4::bytea[] IS NULL OR EXISTS (SELECT 1 FROM compared_hunk h WHERE h.page_id = c.id AND h.fingerprint = ANY($4)))
    AND ($7::bytea IS NULL OR NOT ${hasHunk("c.id", "$7")})
    AND ($5::text[] IS NULL OR ${hasText("i")})
  ORDER BY c.id LIMIT $6`;

/**
 * Selects the pages that are not the same in both states, ordered by address.
 * @param after id of the last row of the previous part
 */
export function selectComparedPages(
  db: Queryable,
  runId: string,
  { kind, fingerprints, without = null, q }: PageFilter,
  after: string | null,
  limit: number,
): Promise<ReviewPageRow[]> {
  return db.query<ReviewPageRow>(pages, [runId, after, kind, fingerprints, soughtTexts(q), limit, without]);
}
