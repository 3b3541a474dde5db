import type { Queryable } from "@web-tester/platform/database/database";
import { lostRows, type Recoverable } from "../leases/lost-rows.js";
import { progressColumns } from "./run-counters.js";
import type { RunProgress } from "./run-progress.js";

/* Pages with one snapshot have nothing that could have changed. */
const pages = `FROM test_instance WHERE test_object_id = o.id AND snapshots_total > 1`;

const restart = `
  UPDATE run SET cursor = NULL, completed = 0, total = (SELECT count(*)::int ${pages}), generation = run.generation + 1, queued_at = now()
  FROM test_object o
  WHERE o.id = run.test_object_id AND run.kind = 'rules' AND run.state = 'running' AND ($1::uuid IS NULL OR o.id = $1)
  RETURNING run.id, run.test_object_id, run.generation`;

const start = `
  INSERT INTO run (test_object_id, kind, total)
  SELECT o.id, 'rules', (SELECT count(*)::int ${pages}) FROM test_object o
  WHERE NOT o.deleting AND ($1::uuid IS NULL OR o.id = $1) AND EXISTS (SELECT 1 ${pages})
    AND NOT EXISTS (SELECT 1 FROM run r WHERE r.test_object_id = o.id AND r.kind = 'rules' AND r.state = 'running')
  RETURNING id, test_object_id, generation`;

/** A run that looks at the history of an object again. */
export interface EvaluationStart {
  id: string;
  test_object_id: string;
  generation: number;
}

/**
 * Begins to look at all changes again with the present rules; where that is under way, it begins anew.
 * @param objectId null: of every object, for a rule that holds for all
 */
export async function startEvaluation(tx: Queryable, objectId: string | null): Promise<EvaluationStart[]> {
  // two changes of rules at the same time follow one another, so that each object has one such run
  await tx.query(`SELECT pg_advisory_xact_lock(hashtextextended('web-tester:rules', 0))`);
  const again = await tx.query<EvaluationStart>(restart, [objectId]);
  const fresh = await tx.query<EvaluationStart>(start, [objectId]);
  return [...again, ...fresh];
}

/** The pages that come next, behind those that are done. */
export interface EvaluationStep {
  objectId: string;
  cursor: string | null;
  /** Raised where the run begins anew: before any page is done, the cursor is the same as then. */
  generation: number;
  instanceIds: string[];
}

const next = `
  SELECT r.test_object_id AS "objectId", r.cursor, r.generation, ARRAY(
    SELECT i.id FROM test_instance i
    WHERE i.test_object_id = r.test_object_id AND i.snapshots_total > 1 AND (r.cursor IS NULL OR i.id > r.cursor) ORDER BY i.id LIMIT $2
  ) AS "instanceIds"
  FROM run r WHERE r.id = $1 AND r.state = 'running' AND r.kind = 'rules'`;

/** @returns null where the run is over */
export async function nextEvaluation(db: Queryable, runId: string, limit: number): Promise<EvaluationStep | null> {
  const [row] = await db.query<EvaluationStep>(next, [runId, limit]);
  return row ?? null;
}

const advance = `
  UPDATE run SET cursor = $4, completed = completed + $5, total = greatest(total, completed + $5), queued_at = now()
  WHERE id = $1 AND state = 'running' AND cursor IS NOT DISTINCT FROM $2 AND generation = $3 RETURNING ${progressColumns}`;

/** Counts pages as done. @returns null where somebody else did them, or the run began anew */
export async function advanceEvaluation(
  tx: Queryable,
  runId: string,
  { cursor, generation, instanceIds }: EvaluationStep,
): Promise<RunProgress | null> {
  const last = instanceIds.at(-1) ?? null;
  const [row] = await tx.query<RunProgress>(advance, [runId, cursor, generation, last, instanceIds.length]);
  return row ?? null;
}

const finish = `
  UPDATE run SET state = 'finished', total = completed, finished_at = now()
  WHERE id = $1 AND state = 'running' AND cursor IS NOT DISTINCT FROM $2 AND generation = $3 RETURNING ${progressColumns}`;

/** @returns null where the run began anew, or is over */
export async function finishEvaluation(
  tx: Queryable,
  runId: string,
  { cursor, generation }: EvaluationStep,
): Promise<RunProgress | null> {
  const [row] = await tx.query<RunProgress>(finish, [runId, cursor, generation]);
  return row ?? null;
}

/** Evaluations that lost their message. */
export const lostEvaluations: Recoverable<"evaluate"> = {
  name: "evaluate",
  requeueExpired: async () => 0,
  ...lostRows({ table: "run", key: "id", waiting: "state = 'running' AND kind = 'rules'", atOnce: 2 }),
  body: ([runId]) => {
    if (runId === undefined) throw new Error("a message of no run");
    return { runId };
  },
};
