import { jobWords } from "@web-tester/contracts/job-lines";
import { keepWorking } from "@web-tester/worker/keep-working";
import type { MessageBody } from "@web-tester/contracts/messages";
import { type Bus, type Delivery, done, type Outcome } from "@web-tester/platform/bus/bus";
import type { Database } from "@web-tester/platform/database/database";
import { deletionEvent } from "./deletion-event.js";
import { deleteBatch, fromStart } from "@web-tester/records/instances/delete-all";

export interface DeleteRowsDeps {
  db: Database;
  bus: Bus;
  /** Aborts when the process is to end; the deletion is continued by another gateway or after the next start. */
  signal: AbortSignal;
}

const retryInMs = 1_000;

/**
 * Handles `delete`: deletes the rows of one deletion in batches until none are left. Idempotent: delivered twice, or again after a
 * crash, it continues with the rows that are left.
 */
export function createDeleteRows({ db, bus, signal }: DeleteRowsDeps) {
  return async (
    { runId }: MessageBody<"delete">,
    delivery: Pick<Delivery, "working" | "ackWaitMs">,
  ): Promise<Outcome> => {
    for (let cursor = fromStart; ;) {
      if (signal.aborted) return { done: false, retryInMs };
      // a batch may wait for its locks longer than the bus waits for an acknowledgement
      const from = cursor;
      const outcome = await keepWorking(delivery, () => deleteBatch(db, runId, from));
      if (outcome.over) {
        if (outcome.run !== null) {
          bus.publishEvent(deletionEvent(outcome.run));
          bus.logLine(
            runId,
            "info",
            jobWords("deleted", { completed: outcome.run.completed, total: outcome.run.total }),
          );
        }
        return done;
      }
      bus.publishEvent(deletionEvent(outcome.run));
      cursor = outcome.cursor;
    }
  };
}
