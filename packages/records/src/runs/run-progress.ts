import type { ProductEvent } from "@web-tester/contracts/socket";

/** A run's counters, as returned by statements that change them. */
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

/** Makes the event with the progress of a fetch run for browsers. */
export function fetchProgress(run: RunProgress): ProductEvent {
  return { type: "fetch:progress", ...counters(run), changed: run.changed };
}

/** Makes the event with the progress of a crawl for browsers. `url`: a page that was just visited. */
export function crawlProgress(run: RunProgress, url: string | null): ProductEvent {
  return { type: "crawl:progress", ...counters(run), found: run.found, ...(url === null ? {} : { url }) };
}

/** Makes the event with the progress of a sitemap crawl for browsers; the last one of a run has another type. */
export function sitemapsProgress(run: RunProgress): ProductEvent {
  return {
    type: run.state === "running" ? "sitemaps:progress" : "sitemaps:completed",
    ...counters(run),
    found: run.found,
  };
}

/** Makes the event with the progress of an evaluation of changed rules, or of a search for noise, for browsers. */
export function rulesProgress(run: RunProgress): ProductEvent {
  return { type: "rules:progress", ...counters(run), kind: run.kind === "noise" ? "noise" : "rules" };
}

/** Makes the event with the progress of a comparison for browsers. */
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
