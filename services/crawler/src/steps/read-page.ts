import { linkKey } from "@web-tester/urls/link-keys";
import { partitionOf } from "@web-tester/platform/bus/partition";
import type { ClaimedPage } from "@web-tester/records/pages/claim-pages";
import type { Arrival, FoundPage, SkippedPage, VisitedPage } from "@web-tester/records/pages/visited-page";
import { type CrawlRules, type Frontier, settledKey } from "../pure/frontier.js";
import { instanceName } from "@web-tester/urls/instance-name";
import type { LoadedHtml } from "../pure/interpret-load.js";
import type { ShownPage } from "./render-page.js";
import type { OriginRobots } from "./robots-store.js";
import { baseOf, type PageScan } from "../pure/scan-page.js";
import { Slices } from "../pure/slices.js";

/** The result of a visit: how it ended, and the addresses that it found. */
export interface Visited {
  kind: "visited";
  visited: VisitedPage;
  found: FoundPage[];
  skipped: SkippedPage[];
}

interface ReadDeps {
  /** The robots.txt of an origin where it is in memory and binds the object; others are read when their addresses are visited. */
  known(origin: string): OriginRobots | null;
  frontier: Frontier;
  /** Scans the page as a person would see it. */
  show(reading: LoadedHtml): Promise<ShownPage>;
  /** Whether this crawler still holds the page. */
  isWanted(): Promise<boolean>;
}

/** The links of one page that are remembered for the report of broken ones; no page for people has more. */
const carriedMax = 10_000;
/** The CPU time for the links of one page: a hundred times what the largest page for people takes. */
const linksBudgetMs = 5_000;
const tooLong = `Its links took more than ${linksBudgetMs / 1_000} seconds to be matched with robots.txt and with the rules of this crawl, so the page was given up. Exclude it, or have its robots.txt shortened.`;

/**
 * Decides whether a loaded page is an instance or leads to one, and finds its links.
 * @throws ReadingEnded where reading it takes too long, or its result is no longer wanted
 */
export async function readPage(
  page: ClaimedPage,
  blank: VisitedPage,
  reading: LoadedHtml,
  deps: ReadDeps,
): Promise<Visited> {
  const rules = deps.frontier.rulesOf(page);
  const finalUrl = rules.canonical(reading.finalUrl.href, reading.finalUrl) ?? reading.finalUrl;
  const isRedirected = finalUrl.href !== page.url;
  const target = isRedirected ? finalUrl.href : null;
  if (isRedirected && rules.isExcluded(finalUrl))
    return { kind: "visited", visited: { ...blank, outcome: "excluded", target }, found: [], skipped: [] };
  const { scan, shownAt, problem } = await deps.show(reading);
  const base = baseOf(scan, shownAt);
  const hrefs = [scan.hrefs, reading.refreshUrl ?? ""].filter((text) => text !== "").join("\0");
  const { carried, ...links } = await readLinks(page, hrefs, base, rules, deps);
  const canonical = canonicalOf(page, scan, base, finalUrl, rules, deps);
  const name = instanceName(scan.title, finalUrl);
  const visited =
    canonical !== null && !isRedirected
      ? { ...blank, outcome: "canonical" as const, target: canonical, name, carried }
      : {
          ...blank,
          outcome: isRedirected ? ("redirected" as const) : ("instance" as const),
          error: problem,
          target,
          instance: canonical === null ? { url: finalUrl.href, name } : null,
          redirectedTo: isRedirected ? arrivalOf(page, finalUrl, canonical, name) : null,
          carried,
        };
  return { kind: "visited", visited, ...links };
}

function arrivalOf(page: ClaimedPage, url: URL, canonical: string | null, name: string): Arrival {
  return {
    url: url.href,
    depth: page.depth,
    partition: partitionOf(url.host),
    foundOnId: page.id,
    canonical: canonical === null ? null : { target: canonical, name },
  };
}

/** The result for a redirect to an address that is visited on its own: that one has its own robots.txt and its own turn. */
export function handedOver(page: ClaimedPage, blank: VisitedPage, target: URL): Visited {
  // one level deeper than its source, so that no chain of redirects is endless
  const next = { url: target.href, depth: page.depth + 1, partition: partitionOf(target.host), foundOnId: page.id };
  return {
    kind: "visited",
    visited: { ...blank, outcome: "redirected", target: target.href },
    found: page.depth > page.depthMax ? [] : [next],
    skipped: page.depth > page.depthMax ? [{ url: target.href, reason: "depth", foundOnId: page.id }] : [],
  };
}

/** The canonical address that a page declares, where it is another one that this crawl visits; else null. */
function canonicalOf(
  page: ClaimedPage,
  scan: PageScan,
  base: URL,
  finalUrl: URL,
  rules: CrawlRules,
  { known }: ReadDeps,
): string | null {
  if (scan.canonical === null || page.depth >= page.depthMax) return null;
  const url = rules.canonical(scan.canonical, base);
  if (url === null || url.href === finalUrl.href || url.href === page.url || rules.skipReason(url) !== null)
    return null;
  return isDenied(url, known) ? null : url.href;
}

const isDenied = (url: URL, known: ReadDeps["known"]) => known(url.origin)?.isAllowed(url) === false;

/** Links of one page that are read once as many were found as the crawl may visit. */
const linksBeyondMax = 1_000;
/** Links between two looks at the clock: one look costs a tenth of a link. */
const linksPerLook = 4;

function withoutFragment(href: string): string {
  const at = href.indexOf("#");
  return at === -1 ? href : href.slice(0, at);
}

/** `hrefs`: as in `PageScan`. `carried`: keys of links that may turn out to be broken. */
async function readLinks(
  page: ClaimedPage,
  hrefs: string,
  base: URL,
  rules: CrawlRules,
  { known, frontier, isWanted }: ReadDeps,
): Promise<{ found: FoundPage[]; skipped: SkippedPage[]; carried: number[] }> {
  const depth = page.depth + 1;
  const found: FoundPage[] = [];
  const skipped: SkippedPage[] = [];
  const carried: number[] = [];
  const written = new Set<string>();
  const seen = new Set<string>();
  const isFull = frontier.isFull(page.runId);
  const slices = new Slices({ budgetMs: linksBudgetMs, tooLong, isWanted });
  // one more than there can be room for, to show that some are left out
  const foundMax = page.pagesMax + 1;
  let links = 0;
  // links that are still read: those that were found may all be known to other crawlers
  let more = linksBeyondMax;
  for (let at = 0, end = 0; at < hrefs.length && more > 0; at = end + 1) {
    if (found.length >= foundMax) more -= 1;
    if ((links += 1) % linksPerLook === 0 && slices.isDue()) await slices.next();
    end = hrefs.indexOf("\0", at);
    if (end === -1) end = hrefs.length;
    const href = withoutFragment(hrefs.slice(at, end));
    // two thirds of the links of a documentation repeat one of the same page, and parsing an address is what costs most
    if (written.has(href)) continue;
    written.add(href);
    const url = rules.canonical(href, base);
    if (url === null) {
      const long = rules.tooLong(href, base);
      if (long !== null && frontier.isNewSkip(page.runId, long.url)) skipped.push({ ...long, foundOnId: page.id });
    }
    if (url === null || seen.has(url.href)) continue;
    const key = frontier.keyOf(page.runId, url.href);
    if (key === settledKey) continue;
    seen.add(url.href);
    if (key !== undefined) {
      carried.push(key);
      continue;
    }
    const reason = rules.skipReason(url) ?? (isDenied(url, known) ? "denied" : depth > page.depthMax ? "depth" : null);
    // another process may have found it before, so the link may still turn out to be broken
    if (reason === null) carried.push(linkKey(url.href));
    if (reason === null && !isFull && found.length < foundMax)
      found.push({ url: url.href, depth, partition: partitionOf(url.host), foundOnId: page.id });
    else if (frontier.isNewSkip(page.runId, url.href))
      skipped.push({ url: url.href, reason: reason ?? "pages", foundOnId: page.id });
  }
  return { found, skipped, carried: carried.length > carriedMax ? carried.slice(0, carriedMax) : carried };
}
