import { budgets } from "@web-tester/contracts/limits";
import type { FailedLoad, PageRequest } from "@web-tester/loader/page-result";
import { partitionOf } from "@web-tester/platform/bus/partition";
import type { ClaimedPage } from "@web-tester/records/pages/claim-pages";
import type { SkippedPage } from "@web-tester/records/pages/visited-page";
import { sitemapsProgress } from "@web-tester/records/runs/run-progress";
import {
  type SitemapEntry,
  type SitemapResult,
  storeEntries,
  storeSitemaps,
} from "@web-tester/records/pages/finish-sitemap";
import { during } from "@web-tester/records/hosts/crawl-delay";
import { canonicalUrl } from "@web-tester/urls/canonical-url";
import { withoutSession } from "@web-tester/urls/page-url";
import type { CrawlPagesDeps } from "./crawl-context.js";
import { type CrawlRules, createRules } from "../pure/frontier.js";
import { instanceName } from "@web-tester/urls/instance-name";
import { interpretLoad } from "../pure/interpret-load.js";
import { type OriginRobots, type RobotsAccess, robotsAccess } from "./robots-store.js";
import type { SitemapBatch, SitemapReport } from "../pure/sitemap-report.js";
import { readSitemap } from "../pure/sitemap.js";
import { ReadingEnded, Slices } from "../pure/slices.js";
import { delayOf } from "./visit-page.js";

export type SitemapReading =
  | { kind: "read"; result: SitemapResult }
  | { kind: "later"; delayMs: number; isCounted: boolean }
  | { kind: "interrupted" };

/**
 * Reads one sitemap and records the addresses that it names while it is read. An address that ends in `/robots.txt` stands
 * for the sitemaps that this file names, or for `/sitemap.xml` where it names none.
 */
export async function readOneSitemap(page: ClaimedPage, deps: CrawlPagesDeps): Promise<SitemapReading> {
  const { loader, secrets, crawlDelay, signal } = deps;
  const url = new URL(page.url);
  const access = robotsAccess(page, secrets);
  const robots = await deps.robots.rulesOf(access.ownOrigin, access);
  if (signal.aborted) return { kind: "interrupted" };
  if (page.depth === 0 && url.pathname === "/robots.txt") return fromRobots(page, url, robots, deps);
  const entry = await crawlDelay.enter(url.host, delayOf(page, access.isFree ? null : robots), signal);
  if (entry.kind === "later") return { kind: "later", delayMs: entry.waitMs, isCounted: false };
  const reader = new SitemapReader(page, robots, access, deps);
  const result = await during(entry, () => loader.loadPage(askFor(page, access, reader.take), signal));
  if (signal.aborted && result.kind === "failed") return { kind: "interrupted" };
  const stopped = reader.stopped();
  if (stopped?.why === "not-wanted") return { kind: "interrupted" };
  if (stopped !== null) return givenUp(stopped.message, result.status, result.bytesOnWire);
  if (result.kind === "page") return reader.ended(result.status, result.bytesOnWire);
  if (result.status === 429 || result.status === 503)
    await crawlDelay.push(url.host, result.kind === "failed" ? (result.retryAfterMs ?? 1_000) : 1_000);
  const reading = interpretLoad(result, page.failures + 1);
  if (reading.kind === "later") return { kind: "later", delayMs: reading.delayMs, isCounted: true };
  return failed(result.kind === "failed" ? result : null, page, result.status, result.bytesOnWire);
}

function askFor(page: ClaimedPage, access: RobotsAccess, take: NonNullable<PageRequest["take"]>): PageRequest {
  return {
    url: page.url,
    consent: access.consent,
    authorization: access.authorization,
    accept: "any",
    maxBytes: budgets.sitemapMaxBytes,
    deadlineMs: budgets.sitemapDeadlineMs,
    take,
  };
}

function givenUp(error: string, status: number | null, bytes: number): SitemapReading {
  return {
    kind: "read",
    result: { failed: true, http_status: status, error_code: "timed_out", error, detail: null, bytes },
  };
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
  };
}

async function fromRobots(
  page: ClaimedPage,
  url: URL,
  robots: OriginRobots,
  deps: CrawlPagesDeps,
): Promise<SitemapReading> {
  const named = robots.sitemaps.flatMap((written) => canonicalUrl(written, url) ?? []);
  const sitemaps = named.length > 0 ? named : [new URL("/sitemap.xml", url)];
  await queueSitemaps(
    page,
    sitemaps.slice(0, 1_000).map(({ href }) => href),
    deps,
  );
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
  };
}

async function queueSitemaps(page: ClaimedPage, urls: readonly string[], { db, bus }: CrawlPagesDeps): Promise<void> {
  const children = urls.map((url) => ({ url, depth: page.depth + 1, partition: partitionOf(new URL(url).host) }));
  const queued = (await storeSitemaps(db, page, children)) ?? [];
  // messages that the bus does not accept now are published later by the reconciler
  await bus
    .publish(
      queued.map(({ id, partition, host }) => ({
        ...{ name: "sitemap" as const, partition },
        ...{ body: { pageIds: [id], host }, dedupeId: `${id}:0` },
      })),
    )
    .catch(() => undefined);
}

/** Reads a sitemap while it arrives, and records the addresses in it a thousand at a time. */
class SitemapReader {
  readonly #rules: CrawlRules;
  readonly #robotsOf: ReturnType<typeof createRobotsOf>;
  readonly #slices: Slices;
  #report: SitemapReport | null = null;
  #excluded = 0;
  /** The number of addresses out of scope that were recorded. */
  #listed = 0;
  #isFull = false;
  #isTooDeep = false;
  #ownFault: unknown;

  constructor(
    private readonly page: ClaimedPage,
    robots: OriginRobots,
    access: RobotsAccess,
    private readonly deps: CrawlPagesDeps,
  ) {
    this.#rules = createRules(page);
    this.#robotsOf = createRobotsOf(robots, access, deps);
    this.#slices = new Slices({ budgetMs: entriesBudgetMs, tooLong, isWanted: () => deps.isHeld(page) });
  }

  readonly take = async (pieces: AsyncIterable<Uint8Array>, address: URL): Promise<void> => {
    this.#report = await readSitemap(
      pieces,
      {
        address,
        isInScope: this.#rules.isInScope,
        dropParams: this.page.dropParams,
        maxUrls: budgets.sitemapUrlsMax,
        maxBytes: budgets.sitemapMaxBytes,
      },
      (batch) =>
        this.#record(batch).catch((error: unknown) => {
          this.#ownFault = error;
          throw error;
        }),
    );
  };

  /**
   * Why the reading was ended here, null where it was not. @throws an error that is our fault, not the site's: the message
   * is delivered again
   */
  stopped(): ReadingEnded | null {
    if (this.#ownFault === undefined || this.#ownFault instanceof ReadingEnded) return this.#ownFault ?? null;
    throw this.#ownFault;
  }

  ended(status: number, bytes: number): SitemapReading {
    const report = this.#report;
    if (report === null) throw new Error("A sitemap was loaded and not read");
    const isUseless = report.problem !== null && report.pages + report.sitemaps + report.outOfScope === 0;
    const result: SitemapResult = {
      failed: isUseless,
      http_status: status,
      error_code: isUseless ? "protocol_error" : null,
      error: this.#isTooDeep ? tooDeep : report.problem,
      detail: { ...report, excluded: this.#excluded },
      bytes,
    };
    return { kind: "read", result };
  }

  async #record(batch: SitemapBatch): Promise<void> {
    const { page, deps } = this;
    if (batch.sitemaps.length > 0 && page.depth >= budgets.sitemapDepthMax) this.#isTooDeep = true;
    else if (batch.sitemaps.length > 0) await queueSitemaps(page, batch.sitemaps, deps);
    const sorted = await sort(batch.pages, page, this.#rules, this.#robotsOf, this.#slices);
    this.#excluded += sorted.skipped.length;
    const skipped = [...sorted.skipped, ...this.#outside(batch.outOfScope)];
    if (sorted.entries.length + skipped.length === 0 || this.#isFull) return;
    const stored = await storeEntries(deps.db, page, sorted.entries, skipped, page.pagesMax);
    this.#isFull = stored === null || stored.full;
    if (stored !== null) deps.bus.publishEvent(sitemapsProgress(stored.run));
  }

  /**
   * The skips for addresses out of scope. A file may name any number of other sites' pages, so no more of them are listed
   * than of a crawl.
   */
  #outside(urls: readonly string[]): SkippedPage[] {
    const listed = urls.slice(0, budgets.skipsMax - this.#listed);
    this.#listed += listed.length;
    return listed.map((url) => ({ url, reason: "out-of-scope", foundOnId: this.page.id }));
  }
}

const tooDeep = `The index lies ${budgets.sitemapDepthMax} indexes deep; those that it names are not read. Name them in a higher one.`;

/** The CPU time for matching the addresses of one sitemap: 50,000 take one second. */
const entriesBudgetMs = 20_000;
const tooLong = `Its addresses took more than ${entriesBudgetMs / 1_000} seconds to be matched with robots.txt and with the exclude patterns, so the rest was given up. What came before was kept.`;

/** The most origins of one sitemap whose robots.txt is loaded: a wildcard domain could name any number of them. */
const originsMax = 50;

/**
 * Finds the robots.txt that applies to an address: of the object's own origin, or of another one in its scope; null where
 * none counts.
 */
function createRobotsOf(own: OriginRobots, access: RobotsAccess, { robots }: CrawlPagesDeps) {
  const byOrigin = new Map<string, OriginRobots>([[access.ownOrigin, own]]);
  return async ({ origin }: URL): Promise<OriginRobots | null> => {
    if (access.isFree) return null;
    const known = byOrigin.get(origin);
    if (known !== undefined || byOrigin.size >= originsMax) return known ?? null;
    const rules = await robots.rulesOf(origin, access);
    byOrigin.set(origin, rules);
    return rules;
  };
}

/**
 * Divides addresses into entries that the object takes, and those that its patterns or robots.txt leave out; session ids
 * are dropped.
 */
async function sort(
  pages: readonly string[],
  page: ClaimedPage,
  rules: CrawlRules,
  robotsOf: (url: URL) => Promise<OriginRobots | null>,
  slices: Slices,
): Promise<{ entries: SitemapEntry[]; skipped: SkippedPage[] }> {
  const entries = new Map<string, SitemapEntry>();
  const skipped: SkippedPage[] = [];
  for (const text of pages) {
    if (slices.isDue()) await slices.next();
    const url = withoutSession(new URL(text));
    const isDenied = (await robotsOf(url))?.isAllowed(url) === false;
    const reason = rules.isExcluded(url) ? "excluded" : isDenied ? "denied" : null;
    if (reason === null) entries.set(url.href, { url: url.href, name: instanceName(null, url) });
    else skipped.push({ url: url.href, reason, foundOnId: page.id });
  }
  return { entries: [...entries.values()], skipped };
}
