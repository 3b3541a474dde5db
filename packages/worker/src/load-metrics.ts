import type { FetchModeUsed } from "@web-tester/contracts/entities/vocabulary";
import type { Metrics } from "@web-tester/platform/metrics/metrics";

/** How one try ended: stored, unchanged according to its server, recorded as failed, to be tried again, or interrupted because the worker stops. */
type PageEnd = "done" | "unchanged" | "failed" | "again" | "interrupted";

/** For each error code of an exceeded limit, the name of the budget that is counted. */
const budgetOf: Readonly<Record<string, string>> = {
  too_large: "bytes",
  timed_out: "time",
  too_many_redirects: "redirects",
  encoding_unsupported: "codings",
};

/** Counts what a crawler or fetcher does with pages. */
export interface LoadMetrics {
  /** @param code why it failed or is to be tried again, null if neither */
  ended(end: PageEnd, code: string | null): void;
  loaded(mode: FetchModeUsed, seconds: number): void;
  /** @param budget one of a small closed set */
  budgetHit(budget: string, times: number): void;
}

export function countLoads(metrics: Metrics): LoadMetrics {
  const pages = metrics.counter("pages_total", "Pages tried, by what became of them", ["end"]);
  const loads = metrics.histogram("load_seconds", "Time to load one page, by what it was loaded with", ["mode"]);
  const retries = metrics.counter("retries_total", "Pages that are tried again after a fault that may pass");
  const hits = metrics.counter("budget_hits_total", "Loads and runs that were ended by a budget", ["budget"]);
  return {
    ended(end, code) {
      pages.inc({ end });
      if (end === "again") retries.inc();
      const budget = code === null ? undefined : budgetOf[code];
      if (budget !== undefined) hits.inc({ budget });
    },
    loaded: (mode, seconds) => loads.observe({ mode }, seconds),
    budgetHit: (budget, times) => hits.inc({ budget }, times),
  };
}
