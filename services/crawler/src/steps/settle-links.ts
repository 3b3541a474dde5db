import type { Database } from "@web-tester/platform/database/database";
import { every, type Repeating } from "@web-tester/platform/lifecycle/every";
import { findReferrers, settleLate } from "@web-tester/records/pages/find-referrers";
import { crawlsToMatch } from "@web-tester/records/runs/crawl-counters";

export interface SettlerOptions {
  db: Database;
  everyMs: number;
  onError(message: string, error: unknown): void;
}

/**
 * Finds the pages that contain broken links, for every crawl that has ended: at once where it ended in this process
 * (`nudge`), else every `everyMs`, on any number of replicas.
 */
export function startSettler({ db, everyMs, onError }: SettlerOptions): Repeating {
  return every(
    everyMs,
    async (signal) => {
      for (const runId of await crawlsToMatch(db)) {
        if (signal.aborted) return;
        await settleLate(db, runId);
        await findReferrers(db, runId, signal);
      }
    },
    (error) => onError("finding who links to broken pages failed", error),
  );
}
