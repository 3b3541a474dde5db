import type { Queryable } from "@web-tester/platform/database/database";
import { countLeftOut } from "../runs/comparison-run.js";

const changed = `
  SELECT p.one_id AS "oneId", p.other_id AS "otherId" FROM compared_page p
  WHERE p.run_id = $1 AND p.test_instance_id = $2 AND p.state = 'done' AND p.kind = 'changed'`;

/**
 * Returns the snapshots of a page that a comparison found changed, each null when retention has removed it; undefined when the comparison
 * found anything else.
 */
export async function selectChangedPair(
  db: Queryable,
  runId: string,
  instanceId: string,
): Promise<{ oneId: string | null; otherId: string | null } | undefined> {
  const [row] = await db.query<{ oneId: string | null; otherId: string | null }>(changed, [runId, instanceId]);
  return row;
}

const leaveOut = `
  WITH moved AS (
    UPDATE compared_page p SET kind = 'ignored', changes = 0, ignored = p.ignored + p.changes
    WHERE p.run_id = $1 AND p.test_instance_id = $2 AND p.state = 'done' AND p.kind = 'changed' RETURNING p.id
  ), forgotten AS (
    DELETE FROM compared_hunk h USING moved m WHERE h.page_id = m.id
  )
  ${countLeftOut("$1", "moved")}`;

/** Counts a changed page of a comparison as ignored, because none of its differences counts. The caller must have locked the run. */
export async function leaveOutPage(tx: Queryable, runId: string, instanceId: string): Promise<void> {
  await tx.query(leaveOut, [runId, instanceId]);
}
