import type { Queryable } from "@web-tester/platform/database/database";
import type { RunProgress } from "../runs/run-progress.js";

/* The object first: nobody gives its pages snapshots, or takes some away, between the statements of a batch. */
const lockObject = `
  SELECT id FROM test_object WHERE id = (SELECT test_object_id FROM run WHERE id = $1) FOR NO KEY UPDATE`;

/** Two workers with the same message follow one another here; a run that is over gives nothing. */
const lock = `SELECT id, test_object_id, kind FROM run WHERE id = $1 AND state = 'running' AND kind LIKE 'delete-%' FOR UPDATE`;

export interface LockedDeletion {
  id: string;
  test_object_id: string;
  kind: string;
}

export async function lockDeletion(tx: Queryable, runId: string): Promise<LockedDeletion | null> {
  await tx.query(lockObject, [runId]);
  const [row] = await tx.query<LockedDeletion>(lock, [runId]);
  return row ?? null;
}

// by address, because the index on it gives the order and passes over what an earlier batch has emptied
const next = `SELECT id, url FROM test_instance WHERE test_object_id = $1 AND url > $2 ORDER BY url LIMIT $3`;

/** Instances whose address comes after `afterUrl`, in the order of addresses. */
export function nextInstances(
  tx: Queryable,
  objectId: string,
  afterUrl: string,
  limit: number,
): Promise<{ id: string; url: string }[]> {
  return tx.query<{ id: string; url: string }>(next, [objectId, afterUrl, limit]);
}

const deleteSnapshotRows = `
  WITH gone AS (
    DELETE FROM test_snapshot WHERE id IN (
      SELECT id FROM test_snapshot WHERE test_instance_id = ANY($1) ORDER BY test_instance_id, id LIMIT $2 FOR UPDATE
    ) RETURNING 1
  )
  SELECT count(*)::int AS gone FROM gone`;

/** @returns how many went; fewer than `limit` means that none are left */
export async function deleteSnapshotsOf(tx: Queryable, instanceIds: readonly string[], limit: number): Promise<number> {
  const [row] = await tx.query<{ gone: number }>(deleteSnapshotRows, [instanceIds, limit]);
  return row?.gone ?? 0;
}

/** Status 7 is none. `last_number` stays, so that a number is never given twice. */
const reset = `
  UPDATE test_instance
  SET status = 7, snapshots_total = 0, last_snapshot_id = NULL, last_snapshot_at = NULL, http_status = NULL, error = NULL, lines_added = 0, lines_removed = 0
  WHERE id = ANY($1)`;

/** Makes instances look as if nothing had been fetched yet. */
export async function resetInstances(tx: Queryable, instanceIds: readonly string[]): Promise<void> {
  await tx.query(reset, [instanceIds]);
}

const deleteInstanceRows = `WITH gone AS (DELETE FROM test_instance WHERE id = ANY($1) RETURNING 1) SELECT count(*)::int AS gone FROM gone`;

export async function deleteInstances(tx: Queryable, instanceIds: readonly string[]): Promise<number> {
  const [row] = await tx.query<{ gone: number }>(deleteInstanceRows, [instanceIds]);
  return row?.gone ?? 0;
}

const deletePageRows = `
  WITH gone AS (
    DELETE FROM crawl_page WHERE id IN (
      SELECT p.id FROM run r JOIN crawl_page p ON p.run_id = r.id WHERE r.test_object_id = $1 LIMIT $2
    ) RETURNING 1
  )
  SELECT count(*)::int AS gone FROM gone`;

/** The frontiers of an object's crawls. @returns how many went; fewer than `limit` means that none are left */
export async function deletePages(tx: Queryable, objectId: string, limit: number): Promise<number> {
  const [row] = await tx.query<{ gone: number }>(deletePageRows, [objectId, limit]);
  return row?.gone ?? 0;
}

const columns = `id, test_object_id, kind, state, total, completed, failed, changed, found`;

/** @param gone rows that count in the run; a row that came up meanwhile raises the total */
export async function countDeleted(tx: Queryable, runId: string, gone: number): Promise<RunProgress> {
  return only(
    await tx.query<RunProgress>(
      `UPDATE run SET completed = completed + $2, total = greatest(total, completed + $2) WHERE id = $1 RETURNING ${columns}`,
      [runId, gone],
    ),
  );
}

/** Ends a deletion: what went is all there was, also where somebody else deleted a part of it. */
export async function finishDeletion(tx: Queryable, runId: string): Promise<RunProgress> {
  return only(
    await tx.query<RunProgress>(
      `UPDATE run SET state = 'finished', total = completed, finished_at = now() WHERE id = $1 RETURNING ${columns}`,
      [runId],
    ),
  );
}

/** The object with all its runs. */
export async function deleteObjectRow(tx: Queryable, objectId: string): Promise<void> {
  await tx.query(`DELETE FROM test_object WHERE id = $1`, [objectId]);
}

function only(rows: readonly RunProgress[]): RunProgress {
  const [row] = rows;
  if (row === undefined) throw new Error("UPDATE … RETURNING of a locked run gave no row");
  return row;
}
