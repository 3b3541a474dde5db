import { limits } from "@web-tester/contracts/limits";
import type { Database } from "@web-tester/platform/database/database";
import { removeLists } from "@web-tester/records/pages/close-pages";
import { summarise } from "./crawl-report.js";
import { beginRemoval, endRemoval, lockKept, outdatedRuns } from "@web-tester/records/runs/report-lists";
import { selectRun } from "../snapshots/run-row.js";

/** A transaction with this many rows is short and blocks nobody. */
const rowsPerBatch = 5_000;

/**
 * Removes the lists of crawls that are not among the newest of their object; their counts are stored with the run in the transaction
 * that begins the removal. After a crash the next call continues with the rows that are left; two gateways at once share the work.
 * @returns how many runs' lists were removed
 */
export async function pruneReports(db: Database, signal: AbortSignal): Promise<number> {
  const runIds = await outdatedRuns(db, limits.reportsKept);
  for (const runId of runIds) {
    await db.transaction(async (tx) => {
      if (!(await lockKept(tx, runId))) return;
      const run = await selectRun(tx, runId);
      if (run !== null) await beginRemoval(tx, runId, await summarise(tx, run));
    });
    while (!signal.aborted && (await removeLists(db, runId, rowsPerBatch)));
    if (signal.aborted) return 0;
    await endRemoval(db, runId);
  }
  return runIds.length;
}
