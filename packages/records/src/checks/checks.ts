import type { CheckDecision, ReleaseCheck, StartedCheck } from "@web-tester/contracts/entities/check";
import type { Queryable } from "@web-tester/platform/database/database";
import type { Starter } from "../runs/start-run.js";
import { checkColumns, type CheckRow, toCheck } from "./select-check.js";

/** The most checks that are kept of an object. */
const keptOfObject = 500;

/** Inserts a check, and forgets the oldest ones beyond the limit. */
export async function insertCheck(
  tx: Queryable,
  objectId: string,
  { against, fail_on: failOn, commit, branch, pipeline_url: pipeline }: StartedCheck,
  { by, name }: Starter,
): Promise<string> {
  const [row] = await tx.query<{ id: string }>(
    `INSERT INTO release_check (test_object_id, against, fail_on, commit, branch, pipeline_url, started_by, started_name)
     VALUES ($1, $2, $3::jsonb, $4, $5, $6, $7, $8) RETURNING id`,
    [objectId, against, JSON.stringify(failOn), commit, branch, pipeline, by, name],
  );
  if (row === undefined) throw new Error("INSERT … RETURNING gave no row");
  await tx.query(
    `DELETE FROM release_check WHERE id IN (
       SELECT id FROM release_check WHERE test_object_id = $1 ORDER BY id DESC OFFSET ${keptOfObject})`,
    [objectId],
  );
  return row.id;
}

/** Records which comparison a check runs, or why it could not run. @returns false when there is no such check, or its object has no such comparison */
export async function updateCheck(
  tx: Queryable,
  id: string,
  { runId, error }: { runId: string | null; error: string | null },
): Promise<boolean> {
  const rows = await tx.query(
    `UPDATE release_check c SET run_id = coalesce($2, c.run_id), error = $3 WHERE c.id = $1 AND ($2::uuid IS NULL OR EXISTS (
       SELECT 1 FROM run r WHERE r.id = $2 AND r.test_object_id = c.test_object_id AND r.kind = 'compare')) RETURNING c.id`,
    [id, runId, error],
  );
  return rows.length > 0;
}

/** Records a person's decision on a check as a whole. @returns its comparison; undefined when there is no such check */
export async function decideCheck(
  tx: Queryable,
  id: string,
  { decision, note, author }: { decision: CheckDecision; note: string; author: string },
): Promise<{ runId: string | null } | undefined> {
  const [row] = await tx.query<{ runId: string | null }>(
    `UPDATE release_check SET decision = $2, note = $3, decided_by = $4, decided_at = now() WHERE id = $1 RETURNING run_id AS "runId"`,
    [id, decision, note, author],
  );
  return row;
}

/** Returns null when there is no such check. */
export async function selectCheck(db: Queryable, id: string): Promise<ReleaseCheck | null> {
  const [row] = await db.query<CheckRow>(`${checkColumns} WHERE c.id = $1`, [id]);
  return row === undefined ? null : toCheck(row);
}

export interface CheckFilter {
  objectId: string | null;
  branch: string | null;
  commit: string | null;
}

/** Lists checks, newest first. @param before id of the last check of the previous part */
export async function selectChecks(
  db: Queryable,
  { objectId, branch, commit }: CheckFilter,
  before: string | null,
  limit: number,
): Promise<ReleaseCheck[]> {
  const rows = await db.query<CheckRow>(
    `${checkColumns} WHERE ($1::uuid IS NULL OR c.test_object_id = $1) AND ($2::text IS NULL OR c.branch = $2)
       AND ($3::text IS NULL OR starts_with(c.commit, $3)) AND ($4::uuid IS NULL OR c.id < $4) ORDER BY c.id DESC LIMIT $5`,
    [objectId, branch, commit, before, limit],
  );
  return rows.map(toCheck);
}
