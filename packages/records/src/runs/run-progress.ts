import type { ProductEvent } from "@web-tester/contracts/socket";

/** A run's counters as a statement that moved them gives them back. */
export interface RunProgress {
  id: string;
  test_object_id: string;
  kind: string;
  state: string;
  total: number;
  completed: number;
  failed: number;
  changed: number;
  found: number;
}

/** The event that tells browsers how far a fetch run is. */
export function fetchProgress(run: RunProgress): ProductEvent {
  return { type: "fetch:progress", ...counters(run), changed: run.changed };
}

/** The event that tells browsers how far a crawl is. `url`: a page just visited. */
export function crawlProgress(run: RunProgress, url: string | null): ProductEvent {
  return { type: "crawl:progress", ...counters(run), found: run.found, ...(url === null ? {} : { url }) };
}

/** The event that tells browsers how far the reading of sitemaps is; the last one of a run is another type. */
export function sitemapsProgress(run: RunProgress): ProductEvent {
  return {
    type: run.state === "running" ? "sitemaps:progress" : "sitemaps:completed",
    ...counters(run),
    found: run.found,
  };
}

/** The event that tells browsers how far the evaluation of changed rules is. */
export function rulesProgress(run: RunProgress): ProductEvent {
  return { type: "rules:progress", ...counters(run) };
}

/** The event that tells browsers how far the comparison of a site at two times is. */
export function comparisonProgress(run: RunProgress): ProductEvent {
  return { type: "compare:progress", ...counters(run), changed: run.changed };
}

function counters(run: RunProgress) {
  return {
    testobjectId: run.test_object_id,
    runId: run.id,
    total: run.total,
    completed: run.completed,
    failed: run.failed,
    running: run.state === "running",
  };
}
