import type { ClaimedPage } from "@web-tester/platform/db/moves/page-claim";
import { canonicalUrl } from "./canonical-url.js";
import { createExcluder } from "./exclude.js";
import { createScope } from "./scope.js";

/** What a crawl may visit, made once per run. */
export interface CrawlRules {
  canonical(href: string, base: URL): URL | null;
  isInScope(url: URL): boolean;
  isExcluded(url: URL): boolean;
}

export interface Frontier {
  rulesOf(page: ClaimedPage): CrawlRules;
  /** Whether the database is known to hold this address for the run; false says nothing. */
  isKnown(runId: string, url: string): boolean;
  /** To be called after the commit that put the addresses into the database. */
  remember(runId: string, urls: Iterable<string>): void;
  forget(runId: string): void;
}

const runsMax = 8;
/** Addresses remembered per run; past it the database alone answers. About 150 bytes each. */
const urlsMax = 200_000;

/**
 * What this process remembers of the crawls it works on, so that the hundred links that every page repeats cost no
 * statement. The truth stays in the database: forgetting costs time only.
 */
export function createFrontier(): Frontier {
  const known = new Map<string, Set<string>>();
  const rules = new Map<string, CrawlRules>();

  function bounded<Value>(map: Map<string, Value>, key: string, value: Value): Value {
    map.set(key, value);
    const oldest = map.keys().next();
    if (map.size > runsMax && oldest.done !== true) map.delete(oldest.value);
    return value;
  }

  return {
    rulesOf: (page) => rules.get(page.runId) ?? bounded(rules, page.runId, createRules(page)),
    isKnown: (runId, url) => known.get(runId)?.has(url) ?? false,
    remember(runId, urls) {
      const set = known.get(runId) ?? bounded(known, runId, new Set<string>());
      for (const url of urls) if (set.size < urlsMax) set.add(url);
    },
    forget(runId) {
      known.delete(runId);
      rules.delete(runId);
    },
  };
}

function createRules(page: ClaimedPage): CrawlRules {
  const isInScope = createScope(new URL(page.objectUrl));
  const excluder = createExcluder(page.excludeList);
  return {
    canonical: (href, base) => canonicalUrl(href, base),
    isInScope,
    isExcluded: (url) => excluder(url) !== null,
  };
}
