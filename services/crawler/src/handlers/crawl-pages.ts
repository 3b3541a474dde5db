import type { MessageBody } from "@web-tester/contracts/messages";
import type { Delivery, Outcome } from "@web-tester/platform/bus/bus";
import { claimPages, type ClaimedPage } from "@web-tester/records/pages/claim-pages";
import type { LoadMetrics } from "@web-tester/worker/load-metrics";
import { takeForMessage } from "@web-tester/records/hosts/host-semaphore";
import { type RowOutcome, runRows } from "@web-tester/worker/run-rows";
import { createWorkApart } from "@web-tester/worker/work-apart";
import type { CrawlPagesDeps } from "../steps/crawl-context.js";
import { createFrontier, type Frontier } from "../pure/frontier.js";
import { createVisitBatch, type VisitBatch } from "../steps/visit-batch.js";
import { type Visit, visitPage } from "../steps/visit-page.js";

/**
 * Handler of `crawl`: visits the addresses of one message one after the other, finds their links and records visits and
 * new addresses in groups.
 */
export function createCrawlPages(
  deps: CrawlPagesDeps,
): (body: MessageBody<"crawl">, delivery: Delivery) => Promise<Outcome> {
  const { db, signal } = deps;
  const frontier = createFrontier();
  const batch = createVisitBatch(deps, frontier);
  const apart = createWorkApart();
  let visiting = 0;

  return async ({ pageIds, host }, delivery) => {
    const release = await takeForMessage(deps.slots, host ?? `partition ${delivery.partition}`, "crawl", delivery);
    let isVisiting = true;
    visiting += 1;
    // the host's slot is released before the visits are recorded: recording asks nothing of the host
    const leaveHost = () => {
      if (!isVisiting) return;
      isVisiting = false;
      visiting -= 1;
      release();
      if (visiting === 0) batch.flush();
    };
    const claim = (leaseMs: number, alone: boolean) => claimPages(db, pageIds, leaseMs, alone);
    return runRows({
      ...{ db, table: "crawl_page", ids: pageIds, delivery, signal, apart },
      claim,
      work: (page) => visitOne(page, deps, frontier, batch),
      worked: leaveHost,
    }).finally(leaveHost);
  };
}

async function visitOne(
  page: ClaimedPage,
  deps: CrawlPagesDeps,
  frontier: Frontier,
  batch: VisitBatch,
): Promise<RowOutcome> {
  const visit = await deps.tracer.span("visit", { attributes: { "crawl_page.id": page.id } }, () =>
    visitPage(page, deps, frontier),
  );
  countVisit(visit, deps.loads);
  switch (visit.kind) {
    case "interrupted":
      return visit;
    case "later":
      // the host wants a pause, so the remaining pages of the message are handed back with this one
      return visit.isCounted ? visit : { kind: "pause", delayMs: visit.delayMs };
    case "visited":
      return { kind: "settled", record: () => batch.add(page, visit).then(() => "recorded") };
  }
}

function countVisit(visit: Visit, loads: LoadMetrics): void {
  switch (visit.kind) {
    case "visited":
      loads.ended(visit.visited.outcome === "failed" ? "failed" : "done", visit.visited.error_code);
      break;
    case "later":
      if (visit.isCounted) loads.ended("again", null);
      break;
    case "interrupted":
      loads.ended("interrupted", null);
  }
}
