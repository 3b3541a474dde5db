import type { ComparedPart } from "@web-tester/contracts/entities/comparison";
import type { Database, Queryable } from "@web-tester/platform/database/database";
import { lostRows, type Recoverable } from "../leases/lost-rows.js";
import { letVerdictsGo } from "../reviews/verdicts.js";
import { settleRun } from "./settle-run.js";
import { progressColumns } from "./run-counters.js";
import type { RunProgress } from "./run-progress.js";

/** A comparison that is running. */
export interface ComparisonRun {
  id: string;
  objectId: string;
  objectUrl: string;
  /** The other site in the comparison; null when it compares one site at two times. */
  otherId: string | null;
  otherUrl: string | null;
  /** The parts of pages that count; null: all. */
  parts: ComparedPart[] | null;
}

const select = `
  SELECT r.id, r.test_object_id AS "objectId", o.url AS "objectUrl", l.id AS "otherId", l.url AS "otherUrl", c.parts
  FROM run r JOIN test_object o ON o.id = r.test_object_id JOIN comparison c ON c.run_id = r.id
  LEFT JOIN test_object l ON l.id = (c.one ->> 'testobject_id')::uuid WHERE r.id = $1 AND r.state = 'running' AND r.kind = 'compare'`;

/** @returns null when it is over */
export async function selectComparisonRun(db: Queryable, runId: string): Promise<ComparisonRun | null> {
  const [row] = await db.query<ComparisonRun>(select, [runId]);
  return row ?? null;
}

/** Numbers of pages when a comparison begins: `queued` have to be compared, `changed` are new or gone. */
export interface ComparisonCounts {
  total: number;
  queued: number;
  failed: number;
  changed: number;
}

const settle = `
  UPDATE run SET total = $2::int, completed = $2::int - $3::int, failed = $4, changed = $5, told = true,
    state = CASE WHEN $3::int = 0 THEN 'finished' ELSE 'running' END, finished_at = CASE WHEN $3::int = 0 THEN now() END WHERE id = $1`;

/**
 * Sets the counters of a new comparison; if there is nothing to compare, it is finished. It is never reported, because the person who
 * started it looks at it.
 */
export async function settleComparison(tx: Queryable, runId: string, counts: ComparisonCounts): Promise<void> {
  const { total, queued, failed, changed } = counts;
  await tx.query(settle, [runId, total, queued, failed, changed]);
}

/**
 * SQL: counts compared pages.
 * @param rows CTE with `kind`
 */
export const countCompared = (run: string, rows: string) => `
  UPDATE run SET completed = least(run.total, run.completed + n.pages), changed = run.changed + n.changed, queued_at = now()
  FROM (SELECT count(*)::int AS pages, (count(*) FILTER (WHERE kind = 'changed'))::int AS changed FROM ${rows}) n
  WHERE run.id = ${run} AND run.state = 'running' RETURNING ${progressColumns}`;

/**
 * SQL: subtracts pages that count as ignored now from a comparison's changed pages.
 * @param rows CTE of these pages
 */
export const countLeftOut = (run: string, rows: string) => `
  UPDATE run SET changed = greatest(0, changed - (SELECT count(*)::int FROM ${rows})) WHERE id = ${run}`;

const finish = `
  UPDATE run SET state = 'finished', completed = total, finished_at = now() WHERE id = $1 AND state = 'running'
    AND NOT EXISTS (SELECT 1 FROM compared_page p WHERE p.run_id = $1 AND p.state = 'queued') RETURNING ${progressColumns}`;

/** @returns null when the run is over, or has pages left */
export async function finishComparison(db: Database, runId: string): Promise<RunProgress | null> {
  return db.transaction(async (tx) => {
    const [row] = await tx.query<RunProgress>(finish, [runId]);
    if (row === undefined) return null;
    // only now it is known which carried verdicts still apply
    await letVerdictsGo(tx, runId);
    await settleRun(tx, runId);
    return row;
  });
}

/** The most comparisons of an object that are kept without a verdict of their own; carried verdicts were given on an earlier comparison. */
const kept = 30;
const forget = `
  DELETE FROM run WHERE id IN (
    SELECT r.id FROM run r WHERE r.test_object_id = $1 AND r.kind = 'compare' AND r.state <> 'running'
      AND NOT EXISTS (SELECT 1 FROM release_check c WHERE c.run_id = r.id)
      AND NOT EXISTS (SELECT 1 FROM verdict v WHERE v.run_id = r.id AND v.created_at >= r.created_at)
    ORDER BY r.id DESC OFFSET ${kept})`;

/** Deletes the comparisons without a verdict of their own, except the newest ones. */
export async function forgetComparisons(tx: Queryable, objectId: string): Promise<void> {
  await tx.query(forget, [objectId]);
}

/** Recovers comparisons that lost their message. */
export const lostComparisons: Recoverable<"compare"> = {
  name: "compare",
  requeueExpired: async () => 0,
  ...lostRows({ table: "run", key: "id", waiting: "state = 'running' AND kind = 'compare'", atOnce: 4 }),
  body: ([runId]) => {
    if (runId === undefined) throw new Error("a message of no run");
    return { runId };
  },
};
