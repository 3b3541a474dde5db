import { type Delivery, done, type Outcome } from "@web-tester/platform/bus/bus";
import { releaseRows, renewRows } from "@web-tester/records/leases/leased-rows";
import { claimPages, type ClaimedPage } from "@web-tester/records/pages/claim-pages";
import { sitemapsProgress } from "@web-tester/records/runs/run-progress";
import { finishSitemap } from "@web-tester/records/pages/finish-sitemap";
import { type Lease, keepLease, leaseMsOf } from "@web-tester/worker/lease";
import { createApart } from "@web-tester/worker/work-apart";
import { whileUnavailable } from "@web-tester/worker/while-unavailable";
import type { CrawlPagesDeps } from "../steps/crawl-deps.js";
import { readOneSitemap, type SitemapReading } from "../steps/read-one-sitemap.js";
import { crashOf } from "../steps/visit-page.js";

const outageMaxMs = 120_000;

/** Handler of `sitemap`: reads the sitemaps of one message one after the other; what they name is recorded while it is read. */
export function createReadSitemaps(
  deps: CrawlPagesDeps,
): (body: { pageIds: string[] }, delivery: Delivery) => Promise<Outcome> {
  const { db } = deps;

  const apart = createApart();
  return ({ pageIds }, delivery) =>
    apart<ClaimedPage>({
      db,
      table: "crawl_page",
      ids: pageIds,
      claim: (alone) => claimPages(db, pageIds, leaseMsOf(delivery.ackWaitMs), alone),
      work: (claimed) => readAll(claimed, delivery),
    });

  async function readAll(claimed: ClaimedPage[], delivery: Delivery): Promise<Outcome> {
    const leaseMs = leaseMsOf(delivery.ackWaitMs);
    const lease = keepLease(
      claimed,
      delivery.ackWaitMs,
      (held) => renewRows(db, "crawl_page", held, leaseMs),
      delivery.working,
    );
    const untouched = new Map(claimed.map((page) => [page.id, page]));
    const later: ClaimedPage[] = [];
    let retryInMs = 200;
    try {
      for (const page of claimed) {
        if (deps.signal.aborted) break;
        if (lease.holds(page.id)) {
          const delay = await readClaimed(page, deps, lease, delivery);
          if (delay === "stopped") break;
          if (delay !== null) {
            retryInMs = Math.max(retryInMs, delay.delayMs);
            if (!delay.isCounted) continue;
            later.push(page);
          }
        }
        untouched.delete(page.id);
      }
      if (later.length > 0) await releaseRows(db, "crawl_page", later, false);
      if (untouched.size > 0) await releaseRows(db, "crawl_page", [...untouched.values()], true);
    } catch (error) {
      // not the end of the process, so no attempt of theirs; what was recorded holds no claim any more
      await releaseRows(db, "crawl_page", claimed, true).catch(() => undefined);
      throw error;
    } finally {
      lease.end();
    }
    return untouched.size > 0 || later.length > 0 ? { done: false, retryInMs } : done;
  }
}

/** @returns null when the sitemap is done with */
async function readClaimed(
  page: ClaimedPage,
  deps: CrawlPagesDeps,
  lease: Lease,
  delivery: Delivery,
): Promise<{ delayMs: number; isCounted: boolean } | "stopped" | null> {
  const { db, bus, signal } = deps;
  const crash = crashOf(page);
  const reading = crash === null ? await readInTurn(page, deps, delivery) : givenUp(crash);
  if (reading.kind === "interrupted") return "stopped";
  if (reading.kind === "later") return reading;
  const { result } = reading;
  const run = await whileUnavailable(() => finishSitemap(db, page, result, page), outageMaxMs, signal);
  lease.letGo([page.id]);
  if (run === null) return null;
  bus.logLine(
    page.runId,
    result.error === null ? "info" : "warn",
    `${result.failed ? "Could not read" : "Read"} ${page.url}${result.error === null ? "" : `: ${result.error}`}`,
  );
  bus.publishEvent(sitemapsProgress(run));
  if (run.state === "finished")
    bus.logLine(page.runId, "info", `Sitemaps read: ${run.found} addresses found, ${run.failed} files failed`);
  return null;
}

async function readInTurn(page: ClaimedPage, deps: CrawlPagesDeps, delivery: Delivery): Promise<SitemapReading> {
  const release = await deps.slots.take(new URL(page.url).host, "crawl", delivery.working);
  try {
    return await readOneSitemap(page, deps);
  } finally {
    release();
  }
}

function givenUp(error: string): SitemapReading {
  const result = { failed: true, http_status: null, error_code: "worker_crashed", error, detail: null, bytes: 0 };
  return { kind: "read", result };
}
