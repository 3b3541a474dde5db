import { limits } from "@web-tester/contracts/limits";
import type { ScannedPage } from "@web-tester/html/page-facts";
import { scanLinks } from "@web-tester/html/scan-links";
import { authorizationOf } from "@web-tester/loader/authorization";
import type { PageResult } from "@web-tester/loader/page-result";
import { partitionOf } from "@web-tester/platform/bus/partition";
import type { ClaimedPage } from "@web-tester/platform/db/moves/page-claim";
import type { FoundPage, SkippedPage, VisitedPage } from "@web-tester/platform/db/moves/page-finish";
import { consentFor } from "@web-tester/platform/egress/address-policy";
import { during } from "@web-tester/platform/politeness/host-gate";
import type { VisitDeps } from "./crawl-deps.js";
import type { CrawlRules, Frontier } from "./frontier.js";
import { instanceName } from "./instance-name.js";
import { interpretLoad } from "./interpret-load.js";
import { isToBeRendered, renderPage } from "./render-page.js";
import type { OriginRobots, RobotsStore } from "./robots-store.js";

export type Visit =
  | { kind: "visited"; visited: VisitedPage; found: FoundPage[]; skipped: SkippedPage[] }
  /** The address may do better later; `isCounted`: a request was made. */
  | { kind: "later"; delayMs: number; isCounted: boolean }
  /** The service is told to stop. */
  | { kind: "interrupted" };

/** Attempts after which an address is believed to bring the crawler down. */
const crashesMax = 6;
/** How long everybody waits after 429 or 503 without a usable Retry-After. */
const slowDownMs = 1_000;

/** Visits one address: robots, the host's turn, the load, its links. Writes nothing. */
export async function visitPage(page: ClaimedPage, deps: VisitDeps, frontier: Frontier): Promise<Visit> {
  const { gate, signal } = deps;
  const blank: VisitedPage = {
    id: page.id,
    fence: page.fence,
    outcome: "failed",
    http_status: null,
    error_code: null,
    error: null,
    instance: null,
    redirectedTo: null,
    target: null,
    bytes: 0,
  };
  const ended = (part: Partial<VisitedPage>): Visit => ({
    kind: "visited",
    visited: { ...blank, ...part },
    found: [],
    skipped: [],
  });
  if (page.attempts > crashesMax) {
    return ended({
      error_code: "worker_crashed",
      error: `The crawler stopped ${page.attempts - 1} times while it worked on this page, so it was given up.`,
    });
  }
  const url = new URL(page.url);
  const robots = page.ignoreRobots ? null : await robotsFor(url.origin, page, deps);
  if (signal.aborted) return { kind: "interrupted" };
  if (robots !== null && !robots.isAllowed(url)) return ended({ outcome: "denied", error: deniedReason(robots) });

  const entry = await gate.enter(url.host, delayOf(page, robots), signal);
  if (entry.kind === "later") return { kind: "later", delayMs: entry.waitMs, isCounted: false };
  // the browser, where one is needed, asks in the same turn
  return during(entry, () => visitInTurn(page, blank, ended, deps, frontier));
}

async function visitInTurn(
  page: ClaimedPage,
  blank: VisitedPage,
  ended: (part: Partial<VisitedPage>) => Visit,
  deps: VisitDeps,
  frontier: Frontier,
): Promise<Visit> {
  const { gate, signal } = deps;
  const { host } = new URL(page.url);
  const { result, deniedRedirect } = await loadFor(page, deps, frontier.rulesOf(page));
  if (signal.aborted && result.kind === "failed") return { kind: "interrupted" };
  if (result.status === 429 || result.status === 503)
    await gate.push(host, result.kind === "failed" ? (result.retryAfterMs ?? slowDownMs) : slowDownMs);
  const bytes = result.bytesOnWire;
  if (deniedRedirect !== null)
    return ended({
      outcome: "denied",
      http_status: result.status,
      error: "It redirects to an address that robots.txt denies.",
      target: deniedRedirect,
      bytes,
    });
  const reading = interpretLoad(result, page.attempts);
  if (reading.kind === "later") return { kind: "later", delayMs: reading.delayMs, isCounted: true };
  if (reading.kind === "ended")
    return ended({
      outcome: reading.outcome,
      http_status: result.status,
      error_code: reading.code,
      error: reading.message,
      bytes,
    });
  return readPage(page, { ...blank, http_status: result.status, bytes }, reading, deps, frontier);
}

function robotsFor(origin: string, page: ClaimedPage, { robots, secrets }: VisitDeps): Promise<OriginRobots> {
  return robots.rulesOf(origin, {
    consent: consentFor(new URL(page.objectUrl)),
    authorization: authorizationOf(page, secrets),
  });
}

function deniedReason(robots: OriginRobots): string | null {
  return robots.problem ?? "robots.txt denies it.";
}

/** The longer of what the person set and what robots.txt asks for, at most a minute. */
export function delayOf(
  page: Pick<ClaimedPage, "requestDelayMs">,
  robots: Pick<OriginRobots, "crawlDelayMs"> | null,
): number {
  return Math.min(limits.requestDelayMaxMs, Math.max(page.requestDelayMs, robots?.crawlDelayMs ?? 0));
}

interface Loaded {
  result: PageResult;
  deniedRedirect: string | null;
}

async function loadFor(
  page: ClaimedPage,
  { loader, secrets, robots, signal }: VisitDeps,
  rules: CrawlRules,
): Promise<Loaded> {
  let deniedRedirect: string | null = null;
  const checkRedirect = (target: URL): string | null => {
    if (!rules.isInScope(target))
      return `The page redirects to ${target.href}, which is outside the site being crawled.`;
    if (page.ignoreRobots || (robots.known(target.origin)?.isAllowed(target) ?? true)) return null;
    deniedRedirect = target.href;
    return "robots.txt denies it.";
  };
  const result = await loader.loadPage(
    {
      url: page.url,
      consent: consentFor(new URL(page.objectUrl)),
      authorization: authorizationOf(page, secrets),
      accept: "html",
      checkRedirect,
    },
    signal,
  );
  return { result, deniedRedirect };
}

/** What a loaded page means: an instance, or a way to one, and the addresses it carries. */
async function readPage(
  page: ClaimedPage,
  blank: VisitedPage,
  reading: { html: string; finalUrl: URL },
  deps: VisitDeps,
  frontier: Frontier,
): Promise<Visit> {
  const { robots } = deps;
  const rules = frontier.rulesOf(page);
  const finalUrl = rules.canonical(reading.finalUrl.href, reading.finalUrl) ?? reading.finalUrl;
  const isRedirected = finalUrl.href !== page.url;
  const target = isRedirected ? finalUrl.href : null;
  if (isRedirected && rules.isExcluded(finalUrl))
    return { kind: "visited", visited: { ...blank, outcome: "excluded", target }, found: [], skipped: [] };
  const { scanned, shownAt, problem } = await scanPage(page, reading, deps);
  const base = scanned.baseHref === null ? shownAt : (URL.parse(scanned.baseHref, shownAt.href) ?? shownAt);
  const links = readLinks(page, scanned, base, rules, robots, frontier);
  const canonical = canonicalOf(page, scanned, base, finalUrl, rules, robots, frontier);
  if (canonical !== null)
    return {
      kind: "visited",
      visited: { ...blank, outcome: isRedirected ? "redirected" : "canonical", target: canonical },
      ...links,
    };
  return {
    kind: "visited",
    visited: {
      ...blank,
      outcome: isRedirected ? "redirected" : "instance",
      error: problem,
      target,
      instance: { url: finalUrl.href, name: instanceName(scanned.title, finalUrl) },
      redirectedTo: isRedirected
        ? { url: finalUrl.href, depth: page.depth, partition: partitionOf(finalUrl.host), foundOnId: page.id }
        : null,
    },
    ...links,
  };
}

interface Scanned {
  scanned: ScannedPage;
  /** The address that relative links mean. */
  shownAt: URL;
  /** Why links that scripts make are missing, in words; null where none are. */
  problem: string | null;
}

/** What a page links to: as it came, or as a browser shows it where its scripts draw it. */
async function scanPage(
  page: ClaimedPage,
  { html, finalUrl }: { html: string; finalUrl: URL },
  deps: VisitDeps,
): Promise<Scanned> {
  const scanned = scanLinks(html);
  if (!isToBeRendered(page.fetchMode, html, scanned)) return { scanned, shownAt: finalUrl, problem: null };
  const rendering = await renderPage(page.objectId, finalUrl.href, deps);
  if ("problem" in rendering)
    return { scanned, shownAt: finalUrl, problem: `Links that its scripts make were not seen: ${rendering.problem}` };
  return { scanned: scanLinks(rendering.html), shownAt: rendering.finalUrl, problem: null };
}

/** The address that a page says it should be known by, where that is another one that this crawl visits. */
function canonicalOf(
  page: ClaimedPage,
  scanned: ScannedPage,
  base: URL,
  finalUrl: URL,
  rules: CrawlRules,
  robots: RobotsStore,
  frontier: Frontier,
): string | null {
  if (scanned.canonical === null || page.depth >= page.depthMax) return null;
  const url = rules.canonical(scanned.canonical, base);
  if (url === null || url.href === finalUrl.href || url.href === page.url || rules.skipReason(url) !== null)
    return null;
  if (!page.ignoreRobots && robots.known(url.origin)?.isAllowed(url) === false) return null;
  return frontier.noteCanonical(page.runId, finalUrl.href, url.href) ? url.href : null;
}

function readLinks(
  page: ClaimedPage,
  scanned: ScannedPage,
  base: URL,
  rules: CrawlRules,
  robots: RobotsStore,
  frontier: Frontier,
): { found: FoundPage[]; skipped: SkippedPage[] } {
  const depth = page.depth + 1;
  const found: FoundPage[] = [];
  const skipped: SkippedPage[] = [];
  const seen = new Set<string>();
  for (const link of scanned.links) {
    const url = rules.canonical(link.href, base);
    if (url === null || seen.has(url.href) || frontier.isKnown(page.runId, url.href)) continue;
    seen.add(url.href);
    const isDenied = () => !page.ignoreRobots && robots.known(url.origin)?.isAllowed(url) === false;
    const reason = rules.skipReason(url) ?? (isDenied() ? "denied" : depth > page.depthMax ? "depth" : null);
    if (reason === null) found.push({ url: url.href, depth, partition: partitionOf(url.host), foundOnId: page.id });
    else if (frontier.isNewSkip(page.runId, url.href)) skipped.push({ url: url.href, reason, foundOnId: page.id });
  }
  return { found, skipped };
}
