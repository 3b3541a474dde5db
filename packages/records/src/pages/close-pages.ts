import type { Queryable } from "@web-tester/platform/database/database";

/* Closing a row raises its fence, so that a crawler that still works on the address cannot write any more. */

const cancel = `
  WITH stopped AS (
    UPDATE crawl_page SET state = 'cancelled', fence = fence + 1, lease_until = NULL, outcome = 'cancelled', error_code = 'cancelled', error = $2
    WHERE run_id = $1 AND state IN ('queued', 'running') RETURNING 1
  )
  SELECT count(*)::int AS stopped FROM stopped`;

/** Cancels the addresses that a run has not visited; the run must be locked. @param reason stored with the addresses @returns how many addresses */
export async function cancelPages(tx: Queryable, runId: string, reason: string): Promise<number> {
  const [row] = await tx.query<{ stopped: number }>(cancel, [runId, reason]);
  return row?.stopped ?? 0;
}

const closeRest = `
  WITH closed AS (
    UPDATE crawl_page SET state = 'cancelled', fence = fence + 1, lease_until = NULL, outcome = 'budget', error_code = 'cancelled',
           error = 'The crawl was at its budget before this address was visited.'
    WHERE run_id = $1 AND state IN ('queued', 'running') RETURNING 1
  )
  SELECT count(*)::int AS n FROM closed`;

/** Closes queued and running addresses of a run whose budget is spent; the run must be locked. @returns how many addresses */
export async function closeQueued(tx: Queryable, runId: string): Promise<number> {
  const [closed] = await tx.query<{ n: number }>(closeRest, [runId]);
  return closed?.n ?? 0;
}

const deleteSome = `
  WITH gone AS (
    DELETE FROM crawl_page WHERE id IN (
      SELECT p.id FROM run r JOIN crawl_page p ON p.run_id = r.id WHERE r.test_object_id = $1 LIMIT $2
    ) RETURNING 1
  )
  SELECT count(*)::int AS gone FROM gone`;

/**
 * Deletes the frontiers of an object's crawls.
 * @returns how many rows; fewer than `limit` means that none are left
 */
export async function deletePages(tx: Queryable, objectId: string, limit: number): Promise<number> {
  const [row] = await tx.query<{ gone: number }>(deleteSome, [objectId, limit]);
  return row?.gone ?? 0;
}

const oldest = (table: string) =>
  `ctid = ANY(ARRAY(SELECT ctid FROM ${table} WHERE run_id = $1 LIMIT $2 FOR UPDATE SKIP LOCKED)) RETURNING 1 AS gone`;
const removals = [
  `DELETE FROM crawl_page WHERE ${oldest("crawl_page")}`,
  `DELETE FROM crawl_skip WHERE ${oldest("crawl_skip")}`,
  `DELETE FROM crawl_carrier WHERE ${oldest("crawl_carrier")}`,
  `DELETE FROM crawl_link WHERE ${oldest("crawl_link")}`,
];

/** Removes some rows of the lists behind a run's report. @returns whether there were any */
export async function removeLists(db: Queryable, runId: string, limit: number): Promise<boolean> {
  for (const statement of removals) if ((await db.query(statement, [runId, limit])).length > 0) return true;
  return false;
}
