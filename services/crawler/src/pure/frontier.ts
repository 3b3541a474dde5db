import { LRUCache } from "lru-cache";
import { type CrawlScope, crawlScope, type SkipReason } from "@web-tester/contracts/entities/vocabulary";
import { budgets } from "@web-tester/contracts/limits";
import { linkKey } from "@web-tester/urls/link-keys";
import { tooLongUrl } from "@web-tester/urls/canonical-url";
import { pageUrl } from "@web-tester/urls/page-url";
import type { ClaimedPage } from "@web-tester/records/pages/claim-pages";
import { createExcluder } from "@web-tester/urls/exclude";
import { createScope } from "./scope.js";
import { createDrawnLinks, type DrawnLinks } from "./drawn-links.js";
import { createTrapDetector } from "./traps.js";

/** The rules for what a crawl may visit, made once per run. */
export interface CrawlRules {
  canonical(href: string, base: URL): URL | null;
  /**
   * The entry in the report for a link that is not followed because of its length alone; null for every other link without
   * a canonical address.
   */
  tooLong(href: string, base: URL): { url: string; reason: SkipReason } | null;
  isInScope(url: URL): boolean;
  isExcluded(url: URL): boolean;
  /** Why an address is left out, robots.txt aside; null where it may be visited. */
  skipReason(url: URL): SkipReason | null;
}

export interface Frontier {
  rulesOf(page: ClaimedPage): CrawlRules;
  /**
   * Returns the key (`linkKey`) of an address that is known to be in the database for the run; `settledKey` where it is
   * known not to be broken; undefined where nothing is known.
   */
  keyOf(runId: string, url: string): number | undefined;
  /** To be called after the commit that put the addresses into the database. */
  remember(runId: string, urls: Iterable<string>): void;
  /** To be called when an address was visited and did not fail: the pages that link to it need not be remembered. */
  settle(runId: string, url: string): void;
  /**
   * To be called when the run had no room for an address: from then on new ones are left out here, without asking the database.
   */
  fill(runId: string): void;
  isFull(runId: string): boolean;
  /** Whether this address is left out for the first time in this process; false also when too many are listed already. */
  isNewSkip(runId: string, url: string): boolean;
  /**
   * Whether a page of the run that seems to need cookies is worth a look in the browser: false when the last few looks did
   * not help.
   */
  isBrowserOfUse(runId: string): boolean;
  noteBrowser(runId: string, helped: boolean): void;
  /** What the run has learned of the links that scripts add. */
  drawnLinksOf(runId: string): DrawnLinks;
  forget(runId: string): void;
}

/** Stands in for the key of an address that is known not to be broken. */
export const settledKey = 0;

const runsMax = 8;
/** Addresses remembered per run, half of them the ones met last; only the database knows the others. About 200 bytes each. */
const urlsMax = 40_000;

/** After this many redirect loops in a row that the browser did not get through either, it is not tried again in this run. */
const vainMax = 5;

interface Memory {
  known: Recent;
  skipped: Set<string>;
  isFull: boolean;
  /** Pages in a row that the browser could not show either. */
  vain: number;
  drawnLinks: DrawnLinks;
}

/**
 * Creates this process's memory of its crawls, so that the hundred links that every page repeats cost no statement. The
 * database is authoritative: what is forgotten here only costs time.
 */
export function createFrontier(): Frontier {
  const memories = new LRUCache<string, Memory, unknown>({
    max: runsMax,
    memoMethod: () => ({
      known: new Recent(urlsMax / 2),
      skipped: new Set(),
      isFull: false,
      vain: 0,
      drawnLinks: createDrawnLinks(),
    }),
  });
  const rules = new LRUCache<string, { patterns: number; rules: CrawlRules }>({ max: runsMax });
  const memoryOf = (runId: string) => memories.memo(runId, { context: undefined });

  return {
    rulesOf(page) {
      // a person may add exclude patterns while the crawl runs: the list only grows, and applies to addresses taken before too
      const patterns = page.excludeList.length;
      const kept = rules.get(page.runId);
      if (kept !== undefined && kept.patterns >= patterns) return kept.rules;
      const made = createRules(page);
      rules.set(page.runId, { patterns, rules: made });
      return made;
    },
    keyOf: (runId, url) => memories.get(runId)?.known.get(url),
    remember(runId, urls) {
      const { known } = memoryOf(runId);
      for (const url of urls) if (known.get(url) === undefined) known.set(url, linkKey(url));
    },
    settle(runId, url) {
      memoryOf(runId).known.set(url, settledKey);
    },
    fill(runId) {
      memoryOf(runId).isFull = true;
    },
    isFull: (runId) => memories.get(runId)?.isFull ?? false,
    isNewSkip(runId, url) {
      const { skipped } = memoryOf(runId);
      if (skipped.size >= budgets.skipsMax || skipped.has(url)) return false;
      skipped.add(url);
      return true;
    },
    isBrowserOfUse: (runId) => (memories.get(runId)?.vain ?? 0) < vainMax,
    noteBrowser(runId, helped) {
      const memory = memoryOf(runId);
      memory.vain = helped ? 0 : memory.vain + 1;
    },
    drawnLinksOf: (runId) => memoryOf(runId).drawnLinks,
    forget(runId) {
      memories.delete(runId);
      rules.delete(runId);
    },
  };
}

/**
 * A map that evicts what was not used lately: it keeps the links of a site's menu, and those of the pages that are being visited.
 */
class Recent {
  #young = new Map<string, number>();
  #old = new Map<string, number>();

  /** @param sizeMax of each of the two generations */
  constructor(private readonly sizeMax: number) {}

  get(url: string): number | undefined {
    const young = this.#young.get(url);
    if (young !== undefined) return young;
    const old = this.#old.get(url);
    if (old !== undefined) this.set(url, old);
    return old;
  }

  set(url: string, key: number): void {
    if (this.#young.size >= this.sizeMax && !this.#young.has(url)) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(url, key);
  }
}

/** Creates the rules of an object: scope, tracking parameters, exclude patterns and traps. */
export function createRules(
  page: Pick<ClaimedPage, "objectUrl" | "excludeList" | "scope" | "scopePrefixes" | "dropParams">,
): CrawlRules {
  const within: CrawlScope = crawlScope.catch("path").parse(page.scope);
  const isInScope = createScope(new URL(page.objectUrl), { within, prefixes: page.scopePrefixes });
  const excluder = createExcluder(page.excludeList);
  const traps = createTrapDetector();
  const isExcluded = (url: URL) => excluder(url) !== null;
  const outside = (url: URL) => (!isInScope(url) ? "out-of-scope" : isExcluded(url) ? "excluded" : null);
  return {
    canonical: (href, base) => pageUrl(href, base, { dropParams: page.dropParams }),
    tooLong(href, base) {
      const url = tooLongUrl(href, base, { dropParams: page.dropParams });
      const cut = url === null ? null : URL.parse(url);
      return url === null ? null : { url, reason: (cut === null ? null : outside(cut)) ?? "too-long" };
    },
    isInScope,
    isExcluded,
    skipReason: (url) => outside(url) ?? (traps.trapOf(url) === null ? null : "trap"),
  };
}
