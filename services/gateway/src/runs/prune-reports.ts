import { limits } from "@web-tester/contracts/limits";
import type { Database } from "@web-tester/platform/database/database";
import { removeLists } from "@web-tester/records/pages/close-pages";
import { summarise } from "./crawl-report.js";
import { beginRemoval, endRemoval, lockKept, outdatedRuns } from "@web-tester/records/runs/report-lists";
import { selectRun } from "../snapshots/run-row.js";

/** A transaction of this many rows is short, and holds up nobody. */
const rowsPerBatch = 5_000;

/**
 * Removes the lists of crawls that are not among the newest of their object; their counts are kept with the run, in the same
 * transaction that begins the removal. Killed anywhere, it goes on with the rows that are left; two at once share the work.
 * @returns runs whose lists were removed
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
