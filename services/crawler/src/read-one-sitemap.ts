import { budgets } from "@web-tester/contracts/limits";
import { authorizationOf } from "@web-tester/loader/authorization";
import type { FailedLoad } from "@web-tester/loader/page-result";
import { partitionOf } from "@web-tester/platform/bus/partition";
import type { ClaimedPage } from "@web-tester/platform/db/moves/page-claim";
import type { SkippedPage } from "@web-tester/platform/db/moves/page-finish";
import { sitemapsProgress } from "@web-tester/platform/db/moves/run-progress";
import { type SitemapEntry, type SitemapResult, storeEntries } from "@web-tester/platform/db/moves/sitemap-finish";
import { consentFor } from "@web-tester/platform/egress/address-policy";
import { during } from "@web-tester/platform/politeness/host-gate";
import { canonicalUrl } from "@web-tester/platform/addresses/canonical-url";
import { withoutSession } from "@web-tester/platform/addresses/page-url";
import type { CrawlPagesDeps } from "./crawl-deps.js";
import { type CrawlRules, createRules } from "./frontier.js";
import { instanceName } from "./instance-name.js";
import { interpretLoad } from "./interpret-load.js";
import type { OriginRobots } from "./robots-store.js";
import { readSitemap } from "./sitemap.js";
import { delayOf } from "./visit-page.js";

interface Child {
  url: string;
  depth: number;
  partition: number;
}

export type SitemapReading =
  | { kind: "read"; result: SitemapResult; children: Child[] }
  | { kind: "later"; delayMs: number; isCounted: boolean }
  | { kind: "interrupted" };

/**
 * Reads one sitemap and records what it names as it goes. An address that ends in `/robots.txt` stands for "the sitemaps
 * that this file names", or `/sitemap.xml` where it names none.
 */
export async function readOneSitemap(page: ClaimedPage, deps: CrawlPagesDeps): Promise<SitemapReading> {
  const { loader, secrets, gate, signal } = deps;
  const url = new URL(page.url);
  const access = { consent: consentFor(new URL(page.objectUrl)), authorization: authorizationOf(page, secrets) };
  const robots = await deps.robots.rulesOf(new URL(page.objectUrl).origin, access);
  if (signal.aborted) return { kind: "interrupted" };
  if (page.depth === 0 && url.pathname === "/robots.txt") return fromRobots(url, robots);
  const entry = await gate.enter(url.host, delayOf(page, page.ignoreRobots ? null : robots), signal);
  if (entry.kind === "later") return { kind: "later", delayMs: entry.waitMs, isCounted: false };
  const result = await during(entry, () =>
    loader.loadPage({ url: page.url, ...access, accept: "any", maxBytes: budgets.sitemapMaxBytes }, signal),
  );
  if (signal.aborted && result.kind === "failed") return { kind: "interrupted" };
  if (result.kind === "page")
    return parse(page, result.body, new URL(result.finalUrl), result.status, result.bytesOnWire, robots, deps);
  if (result.status === 429 || result.status === 503)
    await gate.push(url.host, result.kind === "failed" ? (result.retryAfterMs ?? 1_000) : 1_000);
  const reading = interpretLoad(result, page.attempts);
  if (reading.kind === "later") return { kind: "later", delayMs: reading.delayMs, isCounted: true };
  return failed(result.kind === "failed" ? result : null, page, result.status, result.bytesOnWire);
}

function failed(load: FailedLoad | null, page: ClaimedPage, status: number | null, bytes: number): SitemapReading {
  const message = load?.message ?? "The server did not send the file.";
  const isGuess = page.depth === 1 && new URL(page.url).pathname === "/sitemap.xml";
  const error = isGuess
    ? `robots.txt names no sitemap, and there is none at the usual place either. Add the address of one. ${message}`
    : message;
  return {
    kind: "read",
    result: {
      failed: true,
      http_status: status,
      error_code: load?.code ?? "protocol_error",
      error,
      detail: null,
      bytes,
    },
    children: [],
  };
}

function fromRobots(url: URL, robots: OriginRobots): SitemapReading {
  const named = robots.sitemaps.flatMap((written) => canonicalUrl(written, url) ?? []);
  const sitemaps = named.length > 0 ? named : [new URL("/sitemap.xml", url)];
  const children = sitemaps
    .slice(0, 1_000)
    .map((sitemap) => ({ url: sitemap.href, depth: 1, partition: partitionOf(sitemap.host) }));
  return {
    kind: "read",
    result: {
      failed: false,
      http_status: null,
      error_code: null,
      error: null,
      detail: { kind: "robots", sitemaps: named.length },
      bytes: 0,
    },
    children,
  };
}

async function parse(
  page: ClaimedPage,
  body: Buffer,
  address: URL,
  status: number,
  bytes: number,
  robots: OriginRobots,
  { db, bus }: CrawlPagesDeps,
): Promise<SitemapReading> {
  const rules = createRules(page);
  const children = new Map<string, Child>();
  let excluded = 0;
  let isFull = false;
  const report = await readSitemap(
    [body],
    {
      address,
      isInScope: rules.isInScope,
      dropParams: page.dropParams,
      maxUrls: budgets.sitemapUrlsMax,
      maxBytes: budgets.sitemapMaxBytes,
    },
    async (batch) => {
      for (const sitemap of batch.sitemaps) {
        const { href, host } = new URL(sitemap);
        children.set(href, { url: href, depth: page.depth + 1, partition: partitionOf(host) });
      }
      const sorted = sort(batch.pages, page, rules, robots);
      excluded += sorted.skipped.length;
      if (sorted.entries.length + sorted.skipped.length === 0 || isFull) return;
      const stored = await storeEntries(db, page, sorted.entries, sorted.skipped, page.pagesMax);
      isFull = stored === null || stored.full;
      if (stored !== null) bus.publishEvent(sitemapsProgress(stored.run));
    },
  );
  const isTooDeep = children.size > 0 && page.depth >= budgets.sitemapDepthMax;
  const tooDeep = `The index lies ${budgets.sitemapDepthMax} indexes deep; those that it names are not read. Name them in a higher one.`;
  const isUseless = report.problem !== null && report.pages + report.sitemaps + report.outOfScope === 0;
  const result: SitemapResult = {
    failed: isUseless,
    http_status: status,
    error_code: isUseless ? "protocol_error" : null,
    error: isTooDeep ? tooDeep : report.problem,
    detail: { ...report, excluded },
    bytes,
  };
  return { kind: "read", result, children: isTooDeep ? [] : [...children.values()] };
}

/** Entries that the object takes, and those that its patterns or robots.txt leave out; session ids are dropped. */
function sort(
  pages: readonly string[],
  page: ClaimedPage,
  rules: CrawlRules,
  robots: OriginRobots,
): { entries: SitemapEntry[]; skipped: SkippedPage[] } {
  const entries = new Map<string, SitemapEntry>();
  const skipped: SkippedPage[] = [];
  const origin = new URL(page.objectUrl).origin;
  for (const text of pages) {
    const url = withoutSession(new URL(text));
    const isDenied = !page.ignoreRobots && url.origin === origin && !robots.isAllowed(url);
    const reason = rules.isExcluded(url) ? "excluded" : isDenied ? "denied" : null;
    if (reason === null) entries.set(url.href, { url: url.href, name: instanceName(null, url) });
    else skipped.push({ url: url.href, reason, foundOnId: page.id });
  }
  return { entries: [...entries.values()], skipped };
}
