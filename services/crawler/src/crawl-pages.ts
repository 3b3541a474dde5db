import { budgets } from "@web-tester/contracts/limits";
import { scanLinks } from "@web-tester/html/scan-links";
import { authorizationOf } from "@web-tester/loader/authorization";
import { type Delivery, done, type Outcome } from "@web-tester/platform/bus/bus";
import { partitionOf } from "@web-tester/platform/bus/partition";
import { claimPages, type ClaimedPage, releasePages, renewPages } from "@web-tester/platform/db/moves/page-claim";
import type { FoundPage, VisitedPage } from "@web-tester/platform/db/moves/page-finish";
import { consentFor } from "@web-tester/platform/egress/address-policy";
import { keepLease, leaseMsOf } from "@web-tester/platform/work/lease";
import type { CrawlPagesDeps } from "./crawl-deps.js";
import { createFrontier, type Frontier } from "./frontier.js";
import { instanceName } from "./instance-name.js";
import { createVisitBatch } from "./visit-batch.js";
import { interpretLoad } from "./interpret-load.js";

/**
 * Handler of `crawl`: visits the addresses of one message one after the other, finds their links and records visits and
 * new addresses in groups. Rows past queued are left out.
 */
export function createCrawlPages(
  deps: CrawlPagesDeps,
): (body: { pageIds: string[] }, delivery: Delivery) => Promise<Outcome> {
  const { db } = deps;
  const frontier = createFrontier();

  return async ({ pageIds }, delivery) => {
    const { ackWaitMs } = delivery;
    const leaseMs = leaseMsOf(ackWaitMs);
    const claimed = await claimPages(db, pageIds, leaseMs);
    if (claimed.length === 0) return done;
    const lease = keepLease(claimed, ackWaitMs, (held) => renewPages(db, held, leaseMs), delivery.working);
    const batch = createVisitBatch(deps, frontier);
    const later: { page: ClaimedPage; delayMs: number }[] = [];
    const untouched = new Map(claimed.map((page) => [page.id, page]));
    try {
      for (const page of claimed) {
        if (deps.signal.aborted) break;
        if (!lease.holds(page.id)) {
          untouched.delete(page.id);
          continue;
        }
        const visit = await visitPage(page, deps, frontier);
        if (visit === null) break;
        untouched.delete(page.id);
        if ("delayMs" in visit) {
          later.push({ page, delayMs: visit.delayMs });
          continue;
        }
        batch.add(page, visit.visited, visit.found);
        if (batch.isDue()) lease.letGo(await batch.flush());
      }
      lease.letGo(await batch.flush());
      if (later.length > 0)
        await releasePages(
          db,
          later.map(({ page }) => page),
          false,
        );
      if (untouched.size > 0) await releasePages(db, [...untouched.values()], true);
    } finally {
      lease.end();
    }
    if (untouched.size > 0) return { done: false, retryInMs: 200 };
    return later.length > 0 ? { done: false, retryInMs: Math.max(...later.map(({ delayMs }) => delayMs)) } : done;
  };
}

/** Attempts after which an address is believed to bring the crawler down. */
const crashesMax = 6;

/** @returns null when the service is told to stop; a delay when the address may do better later */
async function visitPage(
  page: ClaimedPage,
  { loader, secrets, signal }: CrawlPagesDeps,
  frontier: Frontier,
): Promise<{ visited: VisitedPage; found: FoundPage[] } | { delayMs: number } | null> {
  const rules = frontier.rulesOf(page);
  const blank: VisitedPage = {
    id: page.id,
    fence: page.fence,
    outcome: "failed",
    http_status: null,
    error_code: null,
    error: null,
    instance: null,
    redirectedTo: null,
  };
  if (page.attempts > crashesMax) {
    return {
      visited: {
        ...blank,
        error_code: "worker_crashed",
        error: `The crawler stopped ${page.attempts - 1} times while it worked on this page, so it was given up.`,
      },
      found: [],
    };
  }
  const result = await loader.loadPage(
    {
      url: page.url,
      consent: consentFor(new URL(page.objectUrl)),
      authorization: authorizationOf(page, secrets),
      accept: "html",
      checkRedirect: (target) =>
        rules.isInScope(target)
          ? null
          : `The page redirects to ${target.href}, which is outside the site being crawled.`,
    },
    signal,
  );
  if (signal.aborted && result.kind === "failed") return null;
  const reading = interpretLoad(result, page.attempts);
  if (reading.kind === "later") return { delayMs: reading.delayMs };
  const visited: VisitedPage = { ...blank, http_status: result.status };
  if (reading.kind === "ended")
    return {
      visited: { ...visited, outcome: reading.outcome, error_code: reading.code, error: reading.message },
      found: [],
    };

  const finalUrl = rules.canonical(reading.finalUrl.href, reading.finalUrl) ?? reading.finalUrl;
  const isRedirected = finalUrl.href !== page.url;
  if (isRedirected && rules.isExcluded(finalUrl)) return { visited: { ...visited, outcome: "excluded" }, found: [] };
  const scanned = scanLinks(reading.html);
  const base =
    scanned.baseHref === null ? reading.finalUrl : (parse(scanned.baseHref, reading.finalUrl) ?? reading.finalUrl);
  const depth = page.depth + 1;
  const found: FoundPage[] = [];
  if (depth <= budgets.crawlDepthMax) {
    for (const link of scanned.links) {
      const url = rules.canonical(link.href, base);
      if (url === null || !rules.isInScope(url) || rules.isExcluded(url) || frontier.isKnown(page.runId, url.href))
        continue;
      found.push({ url: url.href, depth, partition: partitionOf(url.host), foundOnId: page.id });
    }
  }
  const instance = { url: finalUrl.href, name: instanceName(scanned.title, finalUrl) };
  return {
    visited: {
      ...visited,
      outcome: isRedirected ? "redirected" : "instance",
      instance,
      redirectedTo: isRedirected
        ? { url: finalUrl.href, depth: page.depth, partition: partitionOf(finalUrl.host), foundOnId: page.id }
        : null,
    },
    found,
  };
}

function parse(href: string, base: URL): URL | null {
  return URL.canParse(href, base.href) ? new URL(href, base.href) : null;
}
