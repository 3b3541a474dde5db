import type { Database, Queryable } from "@web-tester/platform/database/database";
import type { RunProgress } from "../runs/run-progress.js";
import { deleteObjectRow } from "../objects/end-object.js";
import { deletePages } from "../pages/close-pages.js";
import { countDeleted, finishDeletion, type LockedDeletion, lockDeletion } from "../runs/deletion-run.js";
import { settleAfterDeletion } from "../runs/settle-run.js";
import { deleteSnapshotsOf } from "../snapshots/end-snapshots.js";
import { resetInstances } from "./show-snapshots.js";

const instancesPerBatch = 500;
/** The most snapshots that one transaction deletes, as an instance may have any number of them. */
const rowsPerBatch = 5_000;

/** The position of a deletion. `after`: address of the last instance that is done, empty at the start. Starting over is harmless, only slower. */
export interface Cursor {
  after: string;
}
export const fromStart: Cursor = { after: "" };

/** `over`: nothing is left to do for this run; `run` is its final progress if this call finished it, null if it had been ended before. */
export type BatchOutcome = { over: false; run: RunProgress; cursor: Cursor } | { over: true; run: RunProgress | null };

/**
 * Deletes the next rows of a deletion and updates its counters, in one transaction. A crash between two batches loses nothing: the next
 * batch continues with the rows that are left.
 */
export function deleteBatch(db: Database, runId: string, cursor: Cursor): Promise<BatchOutcome> {
  return db.transaction(async (tx) => {
    const deletion = await lockDeletion(tx, runId);
    if (deletion === null) return { over: true, run: null };
    const instances = await nextInstances(tx, deletion.test_object_id, cursor.after, instancesPerBatch);
    const last = instances.at(-1);
    if (last === undefined) return endOf(tx, deletion, cursor);
    const ids = instances.map((row) => row.id);
    const snapshots = await deleteSnapshotsOf(tx, ids, rowsPerBatch);
    const emptied = snapshots < rowsPerBatch;
    let counted = snapshots;
    if (deletion.kind === "delete-snapshots") {
      if (emptied) await resetInstances(tx, ids);
    } else {
      counted = emptied ? await deleteInstances(tx, ids) : 0;
    }
    return { over: false, run: await countDeleted(tx, runId, counted), cursor: emptied ? { after: last.url } : cursor };
  });
}

async function endOf(tx: Queryable, deletion: LockedDeletion, cursor: Cursor): Promise<BatchOutcome> {
  if (
    deletion.kind === "delete-object" &&
    (await deletePages(tx, deletion.test_object_id, rowsPerBatch)) === rowsPerBatch
  ) {
    return { over: false, run: await countDeleted(tx, deletion.id, 0), cursor };
  }
  const run = await finishDeletion(tx, deletion.id);
  if (deletion.kind === "delete-object") await deleteObjectRow(tx, deletion.test_object_id);
  else await settleAfterDeletion(tx, deletion.test_object_id);
  return { over: true, run };
}

// by address, because the index on it gives the order and skips what an earlier batch has emptied
const next = `SELECT id, url FROM test_instance WHERE test_object_id = $1 AND url > $2 ORDER BY url LIMIT $3`;

/** Returns instances whose address comes after `afterUrl`, in the order of addresses. */
function nextInstances(
  tx: Queryable,
  objectId: string,
  afterUrl: string,
  limit: number,
): Promise<{ id: string; url: string }[]> {
  return tx.query<{ id: string; url: string }>(next, [objectId, afterUrl, limit]);
}

const deleteInstanceRows = `WITH gone AS (DELETE FROM test_instance WHERE id = ANY($1) RETURNING 1) SELECT count(*)::int AS gone FROM gone`;

async function deleteInstances(tx: Queryable, instanceIds: readonly string[]): Promise<number> {
  const [row] = await tx.query<{ gone: number }>(deleteInstanceRows, [instanceIds]);
  return row?.gone ?? 0;
}
