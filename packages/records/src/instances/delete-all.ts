import type { Database, Queryable } from "@web-tester/platform/database/database";
import type { RunProgress } from "../runs/run-progress.js";
import {
  countDeleted,
  deleteInstances,
  deleteObjectRow,
  deletePages,
  deleteSnapshotsOf,
  finishDeletion,
  type LockedDeletion,
  lockDeletion,
  nextInstances,
  resetInstances,
} from "./delete-batch.js";

const instancesPerBatch = 500;
/** An instance may have any number of snapshots; this bounds the transaction all the same. */
const rowsPerBatch = 5_000;

/** Where a deletion goes on; `after`: address of the last instance that is done with. Starting over is harmless, only slower. */
export interface Cursor {
  after: string;
}
export const fromStart: Cursor = { after: "" };

/** `over`: nothing is left to do for this run, whether we finished it now (`run`) or somebody ended it before (null). */
export type BatchOutcome = { over: false; run: RunProgress; cursor: Cursor } | { over: true; run: RunProgress | null };

/**
 * Deletes the next rows of a deletion with its counters, in one transaction. A crash between two batches loses nothing: the
 * rows that are left are the ones that are left.
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
  return { over: true, run };
}
