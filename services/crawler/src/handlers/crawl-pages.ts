import type { MessageBody } from "@web-tester/contracts/messages";
import { type Delivery, done, type Outcome } from "@web-tester/platform/bus/bus";
import { releaseRows, renewRows } from "@web-tester/records/leases/leased-rows";
import { claimPages, type ClaimedPage } from "@web-tester/records/pages/claim-pages";
import type { LoadMetrics } from "@web-tester/worker/load-metrics";
import { takeForMessage } from "@web-tester/records/hosts/host-semaphore";
import { keepLease, leaseMsOf } from "@web-tester/worker/lease";
import { createApart } from "@web-tester/worker/work-apart";
import type { CrawlPagesDeps } from "../steps/crawl-deps.js";
import { createFrontier } from "../pure/frontier.js";
import { createVisitBatch } from "../steps/visit-batch.js";
import { type Visit, visitPage } from "../steps/visit-page.js";

/**
 * Handler of `crawl`: visits the addresses of one message one after the other, finds their links and records visits and
 * new addresses in groups. Rows past queued are left out.
 */
export function createCrawlPages(
  deps: CrawlPagesDeps,
): (body: MessageBody<"crawl">, delivery: Delivery) => Promise<Outcome> {
  const { db } = deps;
  const frontier = createFrontier();
  const batch = createVisitBatch(deps, frontier);
  const apart = createApart();
  let visiting = 0;

  return async ({ pageIds, host }, delivery) => {
    const release = await takeForMessage(deps.slots, host ?? `partition ${delivery.partition}`, "crawl", delivery);
    let isVisiting = true;
    visiting += 1;
    // the place at the host is given back before the visits are recorded: the host is asked for nothing meanwhile
    const leaveHost = () => {
      if (!isVisiting) return;
      isVisiting = false;
      visiting -= 1;
      release();
      if (visiting === 0) batch.flush();
    };
    try {
      const leaseMs = leaseMsOf(delivery.ackWaitMs);
      return await apart<ClaimedPage>({
        db,
        table: "crawl_page",
        ids: pageIds,
        claim: (alone) => claimPages(db, pageIds, leaseMs, alone),
        work: (claimed) => crawlPages(claimed, delivery, leaveHost),
      });
    } finally {
      leaveHost();
    }
  };

  async function crawlPages(claimed: ClaimedPage[], delivery: Delivery, leaveHost: () => void): Promise<Outcome> {
    const { ackWaitMs } = delivery;
    const leaseMs = leaseMsOf(ackWaitMs);
    const lease = keepLease(claimed, ackWaitMs, (held) => renewRows(db, "crawl_page", held, leaseMs), delivery.working);
    const later: ClaimedPage[] = [];
    const untouched = new Map(claimed.map((page) => [page.id, page]));
    const recording: Promise<void>[] = [];
    let retryInMs = 0;
    try {
      for (const page of claimed) {
        if (deps.signal.aborted) break;
        if (!lease.holds(page.id)) {
          untouched.delete(page.id);
          continue;
        }
        const visit = await deps.tracer.span("visit", { attributes: { "crawl_page.id": page.id } }, () =>
          visitPage(page, deps, frontier),
        );
        // its deadline may have passed while nobody could hear the answer
        if (lease.slept()) break;
        countVisit(visit, deps.loads);
        if (visit.kind === "interrupted") break;
        if (visit.kind === "later") {
          retryInMs = Math.max(retryInMs, visit.delayMs);
          // the host wants a pause: the pages behind this one wait with it
          if (!visit.isCounted) break;
          untouched.delete(page.id);
          later.push(page);
          continue;
        }
        untouched.delete(page.id);
        const recorded = batch.add(page, visit).then(() => lease.letGo([page.id]));
        recorded.catch(() => undefined); // waited for below, unless something else ends this message first
        recording.push(recorded);
      }
      leaveHost();
      await Promise.all(recording);
      if (later.length > 0) await releaseRows(db, "crawl_page", later, false);
      if (untouched.size > 0) await releaseRows(db, "crawl_page", [...untouched.values()], true);
    } catch (error) {
      leaveHost();
      await Promise.allSettled(recording);
      // database or bus failed, or our code: that is no attempt of the pages. Rows that were recorded are not claimed any more.
      await releaseRows(db, "crawl_page", claimed, true).catch(() => undefined);
      throw error;
    } finally {
      lease.end();
    }
    return untouched.size > 0 || later.length > 0 ? { done: false, retryInMs: Math.max(200, retryInMs) } : done;
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
