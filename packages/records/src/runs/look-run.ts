import type { Queryable } from "@web-tester/platform/database/database";

/** Schedules another look at pages of a run, after some seconds and before the run is reported. */
export async function wantLook(tx: Queryable, runId: string, stage: number, afterSeconds: number): Promise<void> {
  await tx.query(
    `UPDATE run SET look = 'wanted', look_stage = $2, look_at = now() + make_interval(secs => $3) WHERE id = $1`,
    [runId, stage, afterSeconds],
  );
}

/** A run with pages that have to be looked at again now. */
export interface WantedLook {
  id: string;
  kind: string;
  stage: number;
  objectId: string;
  objectUrl: string;
}

const take = `
  SELECT r.id, r.kind, r.look_stage AS stage, o.id AS "objectId", o.url AS "objectUrl" FROM run r JOIN test_object o ON o.id = r.test_object_id
  WHERE r.look = 'wanted' AND r.look_at <= now() ORDER BY r.look_at LIMIT 1 FOR NO KEY UPDATE OF r SKIP LOCKED`;

/** Takes one such run; it is locked until the transaction ends. */
export async function takeWantedLook(tx: Queryable): Promise<WantedLook | null> {
  const [row] = await tx.query<WantedLook>(take, []);
  return row ?? null;
}

/** Postpones a look. */
export async function postponeLook(tx: Queryable, runId: string, seconds: number): Promise<void> {
  await tx.query(`UPDATE run SET look_at = now() + make_interval(secs => $2) WHERE id = $1`, [runId, seconds]);
}

/** Records which run carries out the look. */
export async function beginLook(tx: Queryable, runId: string, lookId: string): Promise<void> {
  await tx.query(`UPDATE run SET look_of = $2 WHERE id = $1`, [lookId, runId]);
  await tx.query(`UPDATE run SET look = 'looking' WHERE id = $1`, [runId]);
}

/** Ends a look without a run, because there is nothing to look at after all. */
export async function endLook(tx: Queryable, runId: string): Promise<void> {
  await tx.query(`UPDATE run SET look = 'looking' WHERE id = $1`, [runId]);
}

/**
 * SQL: whether a snapshot was taken only to look at a page again. Nobody is told of what it shows, so the next fetch compares with the
 * snapshot before it. Two are as if told: a page that leads elsewhere now (people were told that it moved), and one that is back to what it
 * was before a fetch that found a change (nobody was told of that change).
 * @param snapshot alias of the snapshot @param page alias of its instance
 */
export const isUntoldLook = (
  snapshot: string,
  page: string,
) => `(${page}.lifecycle IS DISTINCT FROM 'moved' AND coalesce((
    SELECT c.kind <> 'snapshot-all' OR NOT EXISTS (
      SELECT FROM page_lifecycle f JOIN test_snapshot k ON k.run_id = c.id AND k.test_instance_id = f.test_instance_id AND k.state = 'done'
      WHERE f.run_id = c.id AND f.test_instance_id = ${snapshot}.test_instance_id AND f.kind = 'flapping')
    FROM run l JOIN run c ON c.id = l.look_of WHERE l.id = ${snapshot}.run_id), false))`;

/** SQL: whether a run still waits for a second look at its pages. @param run alias of the run */
export const isLooking = (run: string) => `(${run}.look = 'wanted' OR (${run}.look = 'looking' AND EXISTS (
    SELECT 1 FROM run l WHERE l.look_of = ${run}.id AND (l.state = 'running' OR EXISTS (
      SELECT 1 FROM change c WHERE c.run_id = l.id AND c.state = 'queued')))))`;
