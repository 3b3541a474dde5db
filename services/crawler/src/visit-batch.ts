import type { Bus } from "@web-tester/platform/bus/bus";
import type { Database } from "@web-tester/platform/db/database";
import { crawlProgress } from "@web-tester/platform/db/moves/run-progress";
import type { ClaimedPage } from "@web-tester/platform/db/moves/page-claim";
import { finishPages, type FinishedPages } from "@web-tester/platform/db/moves/page-finish";
import type { LoadMetrics } from "@web-tester/platform/metrics/load-metrics";
import { chunkByPartition } from "@web-tester/platform/work/chunk";
import { whileUnavailable } from "@web-tester/platform/work/while-unavailable";
import type { Frontier } from "./frontier.js";
import type { Visit } from "./visit-page.js";

const rowsMax = 16;
const waitMaxMs = 100;
const outageMaxMs = 120_000;

type Visited = Extract<Visit, { kind: "visited" }>;

interface VisitBatchDeps {
  db: Database;
  bus: Bus;
  loads: LoadMetrics;
  hostConcurrency: number;
  signal: AbortSignal;
  onRunEnded(): void;
}

export interface VisitBatch {
  add(page: ClaimedPage, visit: Visited): void;
  isDue(): boolean;
  /** @returns ids of the addresses that were recorded */
  flush(): Promise<string[]>;
}

/** Visits waiting to be recorded together; a message's pages may belong to several runs. */
export function createVisitBatch(
  { db, bus, loads, hostConcurrency, signal, onRunEnded }: VisitBatchDeps,
  frontier: Frontier,
): VisitBatch {
  let waiting: (Visited & { page: ClaimedPage })[] = [];
  let since = 0;

  async function flushRun(runId: string, visits: typeof waiting): Promise<void> {
    const [any] = visits;
    if (any === undefined) return;
    const found = visits.flatMap((visit) => visit.found);
    const skipped = visits.flatMap((visit) => visit.skipped);
    const finished = await whileUnavailable(
      () =>
        finishPages(
          db,
          runId,
          visits.map((visit) => visit.visited),
          found,
          skipped,
          any.page,
        ),
      outageMaxMs,
      signal,
    );
    if (!finished.running) {
      frontier.forget(runId);
      return;
    }
    if (finished.overBudget === 0)
      frontier.remember(
        runId,
        found.map(({ url }) => url),
      );
    if (finished.overBudget > 0) loads.budgetHit("pages", finished.overBudget);
    if (finished.endedBy !== null) loads.budgetHit(`crawl-${finished.endedBy}`, 1);
    for (const { page, visited } of visits) if (visited.outcome !== "failed") frontier.settle(runId, page.url);
    announce(runId, visits, finished);
    // what the bus does not take now, the reconciler publishes later
    await bus
      .publish(
        chunkByPartition(finished.queued, hostConcurrency).flatMap(({ partition, rows }) => {
          const first = rows[0];
          return first === undefined
            ? []
            : [
                {
                  name: "crawl" as const,
                  partition,
                  body: { pageIds: rows.map((row) => row.id) },
                  dedupeId: `${first.id}:0`,
                },
              ];
        }),
      )
      .catch(() => undefined);
  }

  function announce(runId: string, visits: typeof waiting, finished: FinishedPages): void {
    for (const { page, visited } of visits) {
      if (visited.outcome === "failed")
        bus.logLine(runId, "warn", `Could not visit ${page.url}: ${visited.error ?? "no reason given"}`);
      else
        bus.logLine(
          runId,
          "info",
          visited.outcome === "instance" ? `Visited ${page.url}` : `Visited ${page.url} (${visited.outcome})`,
        );
    }
    if (finished.overBudget > 0)
      bus.logLine(
        runId,
        "warn",
        `The crawl is at its page budget: ${finished.overBudget} more addresses were left out`,
      );
    if (finished.endedBy !== null)
      bus.logLine(
        runId,
        "warn",
        `The crawl was ended: its ${finished.endedBy === "time" ? "time" : "bytes"} budget is spent`,
      );
    if (finished.run === null) return;
    bus.publishEvent(crawlProgress(finished.run, visits.at(-1)?.page.url ?? null));
    if (finished.run.state !== "finished") return;
    bus.logLine(
      runId,
      "info",
      `Crawl finished: ${finished.run.found} pages found, ${finished.run.completed} addresses visited, ${finished.run.failed} failed`,
    );
    frontier.forget(runId);
    onRunEnded();
  }

  return {
    add(page, visit) {
      if (waiting.length === 0) since = performance.now();
      waiting.push({ ...visit, page });
    },
    isDue: () => waiting.length >= rowsMax || (waiting.length > 0 && performance.now() - since >= waitMaxMs),
    async flush() {
      const flushed = waiting;
      waiting = [];
      for (const [runId, visits] of Map.groupBy(flushed, (visit) => visit.page.runId)) await flushRun(runId, visits);
      return flushed.map((visit) => visit.page.id);
    },
  };
}
