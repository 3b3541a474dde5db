import type { Queryable } from "@web-tester/platform/database/database";
import { lostRows, type Recoverable } from "../leases/lost-rows.js";
import { progressColumns } from "./run-counters.js";
import type { RunProgress } from "./run-progress.js";

/* Pages with a single snapshot have no change that could be evaluated. */
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

/** A run that evaluates the history of an object again. */
export interface EvaluationStart {
  id: string;
  test_object_id: string;
  generation: number;
}

/** Serialises changes of rules until the transaction ends. */
export async function lockRules(tx: Queryable): Promise<void> {
  await tx.query(`SELECT pg_advisory_xact_lock(hashtextextended('web-tester:rules', 0))`);
}

/**
 * Starts to evaluate all changes again with the current rules; an evaluation that is already running starts again.
 * @param objectId null: of every object, for a rule that applies to all
 */
export async function startEvaluation(tx: Queryable, objectId: string | null): Promise<EvaluationStart[]> {
  // each object has only one such run
  await lockRules(tx);
  const again = await tx.query<EvaluationStart>(restart, [objectId]);
  const fresh = await tx.query<EvaluationStart>(start, [objectId]);
  return [...again, ...fresh];
}

/** The next pages of an evaluation. */
export interface EvaluationStep {
  objectId: string;
  cursor: string | null;
  /** Raised when the run starts again: before any page is done, the cursor alone would not show that. */
  generation: number;
  instanceIds: string[];
}

const next = `
  SELECT r.test_object_id AS "objectId", r.cursor, r.generation, ARRAY(
    SELECT i.id FROM test_instance i
    WHERE i.test_object_id = r.test_object_id AND i.snapshots_total > 1 AND (r.cursor IS NULL OR i.id > r.cursor) ORDER BY i.id LIMIT $2
  ) AS "instanceIds"
  FROM run r WHERE r.id = $1 AND r.state = 'running' AND r.kind = 'rules'`;

/** @returns null when the run is over */
export async function nextEvaluation(db: Queryable, runId: string, limit: number): Promise<EvaluationStep | null> {
  const [row] = await db.query<EvaluationStep>(next, [runId, limit]);
  return row ?? null;
}

const advance = `
  UPDATE run SET cursor = $4, completed = completed + $5, total = greatest(total, completed + $5), queued_at = now()
  WHERE id = $1 AND state = 'running' AND cursor IS NOT DISTINCT FROM $2 AND generation = $3 RETURNING ${progressColumns}`;

/** Counts pages as done. @returns null when another worker did them, or the run started again */
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

/** @returns null when the run started again, or is over */
export async function finishEvaluation(
  tx: Queryable,
  runId: string,
  { cursor, generation }: EvaluationStep,
): Promise<RunProgress | null> {
  const [row] = await tx.query<RunProgress>(finish, [runId, cursor, generation]);
  return row ?? null;
}

/** Recovers evaluations that lost their message. */
export const lostEvaluations: Recoverable<"evaluate"> = {
  name: "evaluate",
  requeueExpired: async () => 0,
  ...lostRows({ table: "run", key: "id", waiting: "state = 'running' AND kind = 'rules'", atOnce: 2 }),
  body: ([runId]) => {
    if (runId === undefined) throw new Error("a message of no run");
    return { runId };
  },
};
