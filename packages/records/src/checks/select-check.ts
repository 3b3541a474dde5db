import { checkFailKind, type ReleaseCheck } from "@web-tester/contracts/entities/check";
import type { StartedBy } from "@web-tester/contracts/entities/schedule";
import { z } from "zod";

/*
 * Number of pages that still make a check fail. If all kinds of difference count, the run's own counters tell; otherwise pages are counted,
 * which is needed seldom.
 */
const countWaiting = `
  CASE WHEN c.fail_on @> '["changed", "new", "gone"]' THEN greatest(0, r.changed - r.settled) ELSE (
    SELECT count(*)::int FROM compared_page p
    LEFT JOIN verdict v ON v.run_id = p.run_id AND v.test_instance_id = p.test_instance_id
    LEFT JOIN LATERAL (
      SELECT bool_and(g.id IS NOT NULL) AS settled FROM compared_hunk h
      LEFT JOIN verdict g ON g.run_id = h.run_id AND g.fingerprint = h.fingerprint WHERE h.page_id = p.id
    ) h ON true
    WHERE p.run_id = r.id AND p.kind IN ('changed', 'new', 'gone') AND c.fail_on ? p.kind AND v.id IS NULL AND h.settled IS NOT TRUE
  ) END + CASE WHEN c.fail_on ? 'failed' THEN r.failed ELSE 0 END`;

/*
 * Whether a verdict makes a check fail: it says "problem", the check fails on that kind of difference, and the comparison still has such a
 * difference. (Verdicts on fingerprints are carried on to later comparisons, even to those without that difference.)
 */
const isFailing = `
  CASE WHEN v.verdict <> 'problem' THEN false
    WHEN v.fingerprint IS NOT NULL THEN c.fail_on ? 'changed' AND EXISTS (
      SELECT 1 FROM compared_hunk h WHERE h.run_id = v.run_id AND h.fingerprint = v.fingerprint)
    ELSE EXISTS (
      SELECT 1 FROM compared_page p WHERE p.run_id = v.run_id AND p.test_instance_id = v.test_instance_id
        AND p.kind IN ('changed', 'new', 'gone') AND c.fail_on ? p.kind) END`;

/* A pipeline that was killed reports nothing any more. One that has not begun its comparison after a day counts as killed. */
const errorOf = `
  CASE WHEN c.error IS NULL AND c.run_id IS NULL AND c.decision IS NULL AND c.created_at < now() - interval '1 day'
    THEN 'Nothing was heard of it for a day: its pipeline was ended before it compared anything.' ELSE c.error END`;

/** SQL: checks with the numbers of their comparison. */
export const checkColumns = `
  SELECT c.id, c.test_object_id, o.name AS object_name, o.url AS object_url, c.run_id, c.against, c.fail_on, c.commit, c.branch, c.pipeline_url, c.started_by, c.started_name,
    ${errorOf} AS error, c.decision, c.note, c.decided_by, c.decided_at, c.created_at, r.state AS run_state, r.finished_at, r.total, r.changed, r.failed,
    w.waiting, s.problems, s.author, s.at
  FROM release_check c JOIN test_object o ON o.id = c.test_object_id
  LEFT JOIN run r ON r.id = c.run_id
  LEFT JOIN LATERAL (SELECT ${countWaiting} AS waiting WHERE r.id IS NOT NULL) w ON true
  LEFT JOIN LATERAL (
    SELECT (count(*) FILTER (WHERE ${isFailing}))::int AS problems, (array_agg(v.author ORDER BY v.created_at DESC))[1] AS author,
      max(v.created_at) AS at FROM verdict v WHERE v.run_id = c.run_id
  ) s ON true`;

export interface CheckRow {
  id: string;
  test_object_id: string;
  object_name: string;
  object_url: string;
  run_id: string | null;
  against: string;
  fail_on: unknown;
  commit: string | null;
  branch: string | null;
  pipeline_url: string | null;
  started_by: StartedBy;
  started_name: string | null;
  error: string | null;
  decision: "accepted" | "rejected" | null;
  note: string;
  decided_by: string | null;
  decided_at: Date | null;
  created_at: Date;
  run_state: "running" | "finished" | "cancelled" | null;
  finished_at: Date | null;
  total: number | null;
  changed: number | null;
  failed: number | null;
  waiting: number | null;
  problems: number;
  author: string | null;
  at: Date | null;
}

/** Returns the state of a check. After retention has removed its comparison, only a person's decision is known. */
function stateOf({
  error,
  decision,
  run_id: runId,
  run_state: run,
  problems,
  waiting,
}: CheckRow): ReleaseCheck["state"] {
  if (error !== null || run === "cancelled") return "failed";
  if (decision !== null) return decision;
  if (runId === null || run === "running") return "running";
  if (problems > 0) return "rejected";
  return (waiting ?? 0) > 0 ? "waiting" : "accepted";
}

const failKinds = z.array(checkFailKind);

export function toCheck(row: CheckRow): ReleaseCheck {
  const { id, run_id, against, commit, branch, pipeline_url, started_by, started_name, error, note } = row;
  const state = stateOf(row);
  const isDecided = row.decision !== null;
  const isSettled = state === "accepted" || state === "rejected";
  return {
    ...{ id, run_id, against, commit, branch, pipeline_url, started_by, started_name, error, note, state },
    fail_on: failKinds.parse(row.fail_on),
    testobject: { id: row.test_object_id, name: row.object_name, url: row.object_url },
    pages: row.total ?? 0,
    differing: row.changed ?? 0,
    failed: row.failed ?? 0,
    waiting: state === "waiting" ? (row.waiting ?? 0) : 0,
    decided_by: isDecided ? row.decided_by : isSettled ? row.author : null,
    decided_at: (isDecided ? row.decided_at : isSettled ? row.at : null)?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
    finished_at: row.finished_at?.toISOString() ?? null,
  };
}
