import { jobWords, type JobWords } from "@web-tester/contracts/job-lines";
import type { Bus, OutgoingWork } from "@web-tester/platform/bus/bus";
import type { Database } from "@web-tester/platform/database/database";
import { crawlProgress } from "@web-tester/records/runs/run-progress";
import type { ClaimedPage } from "@web-tester/records/pages/claim-pages";
import { finishPages, type FinishedPages } from "@web-tester/records/pages/finish-pages";
import type { LoadMetrics } from "@web-tester/worker/load-metrics";
import { recordApart } from "@web-tester/worker/record-apart";
import { RecordQueue } from "@web-tester/worker/record-queue";
import { chunkByHost } from "@web-tester/records/runs/chunk-rows";
import { whileUnavailable } from "@web-tester/worker/while-unavailable";
import type { Frontier } from "../pure/frontier.js";
import type { Visit } from "./visit-page.js";

/**
 * The most visits that are recorded in one transaction, as one for each would cost more than the visits. Smaller batches
 * are recorded after `waitMaxMs` at the latest.
 */
const rowsMax = 64;
const waitMaxMs = 250;
/** The most addresses that are recorded at once. */
const foundMax = 10_000;
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

type Waiting = Visited & { page: ClaimedPage };
type RunQueue = RecordQueue<Waiting, void>;

export interface VisitBatch {
  /** Resolves when the visit is recorded, whichever message it belongs to. Rejects when it could not be recorded. */
  add(page: ClaimedPage, visit: Visited): Promise<void>;
  /** Records all waiting visits at once. */
  flush(): void;
}

/**
 * Records the visits of all messages of this process together: one transaction per run at a time; visits that come
 * meanwhile go into the next one.
 */
export function createVisitBatch(deps: VisitBatchDeps, frontier: Frontier): VisitBatch {
  return new RunQueues(deps, frontier);
}

class RunQueues implements VisitBatch {
  readonly #runs = new Map<string, RunQueue>();

  constructor(
    private readonly deps: VisitBatchDeps,
    private readonly frontier: Frontier,
  ) {}

  add(page: ClaimedPage, visit: Visited): Promise<void> {
    return this.#queueOf(page.runId).add({ ...visit, page });
  }

  flush(): void {
    for (const queue of this.#runs.values()) queue.flush();
  }

  #queueOf(runId: string): RunQueue {
    const open = this.#runs.get(runId);
    if (open !== undefined) return open;
    const queue: RunQueue = new RecordQueue({
      write: async (visits) => {
        await recordApart(visits, (group) => this.#record(runId, group), unrecordable);
      },
      onEmpty: () => this.#runs.delete(runId),
      rowsMax,
      waitMaxMs,
      weightMax: foundMax,
      weightOf: (visit) => visit.found.length,
    });
    this.#runs.set(runId, queue);
    return queue;
  }

  async #record(runId: string, visits: readonly Waiting[]): Promise<void> {
    const [any] = visits;
    if (any === undefined) return;
    const { bus, loads, hostConcurrency } = this.deps;
    const found = visits.flatMap((visit) => visit.found);
    const finished = await this.#recordInParts(any.page, visits, found);
    if (!finished.running) return this.frontier.forget(runId);
    if (finished.overBudget > 0) this.frontier.fill(runId);
    else
      this.frontier.remember(
        runId,
        found.map(({ url }) => url),
      );
    if (finished.overBudget > 0) loads.budgetHit("pages", finished.overBudget);
    if (finished.endedBy !== null) loads.budgetHit(`crawl-${finished.endedBy}`, 1);
    for (const { page, visited } of visits) if (visited.outcome !== "failed") this.frontier.settle(runId, page.url);
    this.#announce(runId, visits, finished);
    // messages that the bus does not accept now are published later by the reconciler
    await bus.publish(messagesFor(finished.queued, hostConcurrency)).catch(() => undefined);
  }

  /**
   * Records the addresses of a page with very many links before the page itself, in parts small enough not to block other work.
   */
  async #recordInParts(page: ClaimedPage, visits: readonly Waiting[], found: Visited["found"]): Promise<FinishedPages> {
    const { db, signal } = this.deps;
    const skipped = visits.flatMap((visit) => visit.skipped);
    const records = visits.map((visit) => visit.visited);
    const record = (pages: typeof records, some: typeof found, left: typeof skipped) =>
      whileUnavailable(() => finishPages(db, page.runId, pages, some, left, page), outageMaxMs, signal);
    const early: FinishedPages["queued"] = [];
    let over = 0;
    let at = 0;
    for (; found.length - at > foundMax; at += foundMax) {
      const part = await record([], found.slice(at, at + foundMax), []);
      early.push(...part.queued);
      over += part.overBudget;
      if (part.running && over === 0) continue;
      at = found.length - foundMax;
      break;
    }
    const last = await record(records, found.slice(at), skipped);
    return { ...last, queued: [...early, ...last.queued], overBudget: over + last.overBudget };
  }

  #announce(runId: string, visits: readonly Waiting[], finished: FinishedPages): void {
    const { bus, onRunEnded } = this.deps;
    for (const visit of visits) bus.logLine(runId, ...lineOf(visit));
    if (finished.overBudget > 0) bus.logLine(runId, "warn", jobWords("crawl-at-budget", { n: finished.overBudget }));
    if (finished.endedBy !== null)
      bus.logLine(
        runId,
        "warn",
        jobWords(finished.endedBy === "time" ? "crawl-out-of-time" : "crawl-out-of-bytes", {}),
      );
    if (finished.run === null) return;
    bus.publishEvent(crawlProgress(finished.run, visits.at(-1)?.page.url ?? null));
    if (finished.run.state !== "finished") return;
    const { found, completed, failed } = finished.run;
    bus.logLine(runId, "info", jobWords("crawl-finished", { found, completed, failed }));
    this.frontier.forget(runId);
    onRunEnded();
  }
}

function lineOf({ page, visited }: Waiting): [level: "info" | "warn", said: JobWords] {
  const { url } = page;
  const { outcome, error, error_code: code } = visited;
  if (outcome === "failed")
    return [
      "warn",
      jobWords("visit-failed", { url, reason: error ?? "no reason given", reasonCode: code ?? undefined }),
    ];
  return ["info", jobWords(outcome === "instance" ? "visited" : `visited-${outcome}`, { url })];
}

function messagesFor(queued: FinishedPages["queued"], hostConcurrency: number): OutgoingWork<"crawl">[] {
  return chunkByHost(queued, hostConcurrency).flatMap(({ host, partition, rows }) => {
    const [first] = rows;
    if (first === undefined) return [];
    const body = { pageIds: rows.map((row) => row.id), host };
    return [{ name: "crawl", partition, body, dedupeId: `${first.id}:0` }];
  });
}

/** Turns a visit whose results the database refuses into a failed one, so that the crawl goes on without them. */
function unrecordable({ page, visited }: Waiting, reason: string): Waiting {
  return {
    kind: "visited",
    page,
    visited: {
      ...visited,
      outcome: "failed",
      error_code: "internal",
      error: `The page was read, but what it holds could not be recorded (${reason}). Report it with this address.`,
      instance: null,
      redirectedTo: null,
      target: null,
      name: null,
      carried: [],
    },
    found: [],
    skipped: [],
  };
}
