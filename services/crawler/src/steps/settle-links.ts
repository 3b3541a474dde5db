import type { Database } from "@web-tester/platform/database/database";
import { findReferrers, settleLate } from "@web-tester/records/pages/find-referrers";
import { crawlsToMatch } from "@web-tester/records/runs/crawl-counters";

export interface SettlerOptions {
  db: Database;
  everyMs: number;
  onError(message: string, error: unknown): void;
}

/** Works on crawls that have ended, on any number of replicas. */
interface Settler {
  /** Looks now, not only when the time has come. */
  nudge(): void;
  stop(): Promise<void>;
}

/** Finds the pages that carry broken links, for every crawl that has ended: at once where it ended here, else every `everyMs`. */
export function startSettler({ db, everyMs, onError }: SettlerOptions): Settler {
  const stopping = new AbortController();
  let current: Promise<void> = Promise.resolve();
  const settle = async () => {
    for (const runId of await crawlsToMatch(db)) {
      if (stopping.signal.aborted) return;
      await settleLate(db, runId);
      await findReferrers(db, runId, stopping.signal);
    }
  };
  const nudge = () => {
    if (stopping.signal.aborted) return;
    current = current
      .then(settle)
      .catch((error: unknown) => onError("finding who links to broken pages failed", error));
  };
  const timer = setInterval(nudge, everyMs);
  return {
    nudge,
    async stop() {
      stopping.abort();
      clearInterval(timer);
      await current;
    },
  };
}
