import type { Verdict } from "@web-tester/contracts/entities/review";
import type { Queryable } from "@web-tester/platform/database/database";
import { besideStatus } from "../changes/facts-of.js";

/** The target of a verdict: one kind of change (`fingerprint`, hex), one page, or all kinds and pages of the run. */
export type VerdictTarget = { fingerprint: string } | { instanceId: string } | "all";

export interface GivenVerdict {
  verdict: Verdict;
  note: string;
  author: string;
}

const ofGroup = `
  INSERT INTO verdict (run_id, fingerprint, verdict, note, author, left_out)
  SELECT $1, fingerprint, $3, $4, $5, left_out FROM (
    SELECT DISTINCT fingerprint, NULL::bytea[] AS left_out FROM change_hunk WHERE run_id = $1 AND ($2::bytea IS NULL OR fingerprint = $2)
    UNION ALL
    SELECT fingerprint, array_agg(DISTINCT left_out) FILTER (WHERE left_out IS NOT NULL) FROM compared_hunk
    WHERE run_id = $1 AND ($2::bytea IS NULL OR fingerprint = $2) GROUP BY 1
  ) g
  ON CONFLICT (run_id, fingerprint) WHERE fingerprint IS NOT NULL
  DO UPDATE SET verdict = $3, note = $4, author = $5, created_at = now(), left_out = excluded.left_out WHERE $2::bytea IS NOT NULL
  RETURNING 1`;

/*
 * The named page, or (if none is named) all pages whose changes have no fingerprint, such as changes of files alone. In a comparison new
 * and gone pages are changes too.
 */
const ofPage = `
  INSERT INTO verdict (run_id, test_instance_id, verdict, note, author)
  SELECT $1, s.test_instance_id, $3, $4, $5 FROM change c JOIN test_snapshot s ON s.id = c.snapshot_id
  WHERE c.run_id = $1 AND c.state = 'done' AND c.kind = 'changed' AND CASE WHEN $2::uuid IS NULL
    THEN c.significant AND NOT EXISTS (SELECT 1 FROM change_hunk h WHERE h.snapshot_id = s.id) ELSE s.test_instance_id = $2 END
  UNION ALL
  SELECT $1, p.test_instance_id, $3, $4, $5 FROM compared_page p
  WHERE p.run_id = $1 AND p.state = 'done' AND p.kind IN ('changed', 'new', 'gone') AND CASE WHEN $2::uuid IS NULL
    THEN NOT EXISTS (SELECT 1 FROM compared_hunk h WHERE h.page_id = p.id) ELSE p.test_instance_id = $2 END
  ON CONFLICT (test_instance_id, run_id) WHERE test_instance_id IS NOT NULL
  DO UPDATE SET verdict = $3, note = $4, author = $5, created_at = now() WHERE $2::uuid IS NOT NULL
  RETURNING 1`;

/** @returns how many verdicts were written; 0 when the run has no such change */
export async function giveVerdict(
  tx: Queryable,
  runId: string,
  of: VerdictTarget,
  { verdict, note, author }: GivenVerdict,
): Promise<number> {
  const said = [verdict, note, author];
  const group = of === "all" ? null : "fingerprint" in of ? Buffer.from(of.fingerprint, "hex") : undefined;
  const page = of === "all" ? null : "instanceId" in of ? of.instanceId : undefined;
  const groups = group === undefined ? [] : await tx.query(ofGroup, [runId, group, ...said]);
  const pages = page === undefined ? [] : await tx.query(ofPage, [runId, page, ...said]);
  return groups.length + pages.length;
}

/** Replaces all "problem" verdicts of a run by another verdict. */
export async function overruleProblems(
  tx: Queryable,
  runId: string,
  { verdict, note, author }: GivenVerdict,
): Promise<void> {
  await tx.query(
    `UPDATE verdict SET verdict = $2, note = $3, author = $4, created_at = now() WHERE run_id = $1 AND verdict = 'problem'`,
    [runId, verdict, note, author],
  );
}

/** Returns the time of this transaction's verdicts, to the microsecond; it identifies verdicts that were given together. @returns ISO 8601 */
export async function timeOfGiving(tx: Queryable): Promise<string> {
  const [row] = await tx.query<{ at: string }>(
    `SELECT to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS at`,
  );
  return row?.at ?? "";
}

/** Deletes verdicts. @param givenAt only verdicts of that time, ISO 8601; null: of any time @returns how many there were */
export async function takeVerdictBack(
  tx: Queryable,
  runId: string,
  of: VerdictTarget,
  givenAt: string | null,
): Promise<number> {
  const rows = await tx.query(
    `DELETE FROM verdict WHERE run_id = $1 AND ($2 OR fingerprint = $3::bytea OR test_instance_id = $4::uuid)
       AND ($5::timestamptz IS NULL OR created_at = $5) RETURNING 1`,
    [
      runId,
      of === "all",
      of !== "all" && "fingerprint" in of ? Buffer.from(of.fingerprint, "hex") : null,
      of !== "all" && "instanceId" in of ? of.instanceId : null,
      givenAt,
    ],
  );
  return rows.length;
}

/** SQL: the facts of a snapshot besides content and status, with nonces masked: a nonce is new in every answer and permits the same. */
const besideNonces = (snapshot: string) =>
  `regexp_replace(${besideStatus(snapshot)}::text, '''nonce-[^'']*''', '', 'gi')`;

/** SQL: whether two snapshots are equal in content, files and facts; two missing ones are equal too. */
const saysTheSame = (one: string, other: string) => `
  ${one}.content_hash IS NOT DISTINCT FROM ${other}.content_hash AND ${one}.files_hash IS NOT DISTINCT FROM ${other}.files_hash
    AND (${one}.http_status IS NOT DISTINCT FROM ${other}.http_status OR 304 IN (${one}.http_status, ${other}.http_status))
    AND ${besideNonces(one)} = ${besideNonces(other)}`;

/**
 * SQL: whether a page of the earlier comparison `e` (verdict `v`) is the same now on both sides. @param kinds condition on the page then
 * (`p`) and now (`n`)
 */
const isAsBefore = (kinds: string) => `EXISTS (
    SELECT 1 FROM compared_page p JOIN compared_page n ON n.run_id = $1 AND n.test_instance_id = p.test_instance_id
    LEFT JOIN test_snapshot po ON po.id = p.one_id LEFT JOIN test_snapshot pt ON pt.id = p.other_id
    LEFT JOIN test_snapshot no ON no.id = n.one_id LEFT JOIN test_snapshot nt ON nt.id = n.other_id
    WHERE p.run_id = e.run_id AND p.test_instance_id = v.test_instance_id AND ${kinds} AND ${saysTheSame("po", "no")}
      AND (p.kind = 'gone' AND n.kind = 'gone' OR ${saysTheSame("pt", "nt")}))`;

/** The number of earlier comparisons of the same sides whose later verdicts are still considered. */
const overtakenMax = 20;

const said = "v.fingerprint, v.test_instance_id, v.verdict, v.note, v.author, v.created_at, v.left_out";

/**
 * SQL: the type of a comparison's newer side; `run` and `latest` count as equal, because a fetch that was just made is the latest state,
 * which may be compared again without a fetch.
 */
const newerSide = (comparison: string) => `replace(${comparison}.other ->> 'type', 'latest', 'run')`;

/*
 * Copies verdicts from the newest earlier comparison of the same sides: those on kinds of difference, and those on pages whose both sides
 * are still the same. A verdict on a changed page is taken from the newest comparison in which at least the parts counted that count now;
 * for new or gone pages the parts do not matter. Verdicts on older comparisons count too if they were given after the newest one had begun,
 * as when pipelines run faster than people review; of several verdicts the last one counts. Comparisons with the baseline or with the
 * previous snapshots need none of this: what was accepted is no difference there.
 */
const carry = `
  WITH earlier AS (
    SELECT o.run_id, m.counts_all, row_number() OVER newest <= ${overtakenMax} AS is_near,
      first_value(q.id) OVER newest AS last_id, first_value(q.created_at) OVER newest AS last_at,
      first_value(q.id) OVER whole AS whole_id, first_value(q.created_at) OVER whole AS whole_at
    FROM comparison c JOIN run r ON r.id = c.run_id
    JOIN run q ON q.test_object_id = r.test_object_id AND q.kind = 'compare' AND q.state = 'finished' AND q.id < r.id
    JOIN comparison o ON o.run_id = q.id AND o.one = c.one AND ${newerSide("o")} = ${newerSide("c")}
    CROSS JOIN LATERAL (SELECT o.parts IS NULL OR coalesce(c.parts <@ o.parts, false) AS counts_all) m
    WHERE c.run_id = $1 AND c.one ->> 'type' NOT IN ('baseline', 'previous')
    WINDOW newest AS (ORDER BY q.id DESC), whole AS (PARTITION BY m.counts_all ORDER BY q.id DESC)
  )
  INSERT INTO verdict (run_id, fingerprint, test_instance_id, verdict, note, author, created_at, left_out)
  SELECT DISTINCT ON (v.fingerprint, v.test_instance_id) $1::uuid, ${said} FROM earlier e JOIN verdict v ON v.run_id = e.run_id
  WHERE (e.run_id = e.last_id OR e.is_near AND v.created_at > e.last_at)
      AND (v.fingerprint IS NOT NULL OR ${isAsBefore("n.kind IN ('new', 'gone') AND p.kind = n.kind")})
    OR e.counts_all AND (e.run_id = e.whole_id OR e.is_near AND v.created_at > e.whole_at)
      AND v.fingerprint IS NULL AND ${isAsBefore("n.kind NOT IN ('new', 'gone')")}
  ORDER BY v.fingerprint, v.test_instance_id, v.created_at DESC
  ON CONFLICT DO NOTHING`;

/** Carries earlier verdicts on the same differences on to a new comparison. */
export async function carryVerdicts(tx: Queryable, runId: string): Promise<void> {
  await tx.query(carry, [runId]);
}

/* Carried verdicts are recognised by being older than the comparison. */
const letGo = `
  DELETE FROM verdict v USING run r
  WHERE r.id = $1 AND v.run_id = r.id AND v.fingerprint IS NOT NULL AND v.created_at < r.created_at AND EXISTS (
    SELECT 1 FROM compared_hunk h WHERE h.run_id = $1 AND h.fingerprint = v.fingerprint AND h.left_out IS NOT NULL
      AND h.left_out <> ALL (coalesce(v.left_out, '{}')))`;

/** Deletes carried verdicts on kinds of difference whose left-out text is new, such as another price, because nobody has seen it. */
export async function letVerdictsGo(tx: Queryable, runId: string): Promise<void> {
  await tx.query(letGo, [runId]);
}
