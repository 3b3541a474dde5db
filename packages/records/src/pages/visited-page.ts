import type { SkipReason } from "@web-tester/contracts/entities/vocabulary";

/** The outcome of visiting an address; `instance` alone makes or confirms an instance, `canonical` leaves that to the address the page names. */
export type PageOutcome =
  | "instance"
  | "redirected"
  | "canonical"
  | "not-html"
  | "out-of-scope"
  | "excluded"
  | "denied"
  | "failed";

/** An address to add to the frontier. */
export interface FoundPage {
  url: string;
  depth: number;
  partition: number;
  foundOnId: string;
}

/** The address where a redirect ended; it counts as visited by following the redirect. */
export interface Arrival extends FoundPage {
  /** The canonical address that the page there names, and the page's name; null when it keeps its own address. */
  canonical: { target: string; name: string } | null;
}

/** An address that was met but is not visited. */
export interface SkippedPage {
  url: string;
  reason: SkipReason;
  foundOnId: string;
}

/** The budgets of a crawl. */
export interface CrawlBudget {
  pagesMax: number;
  minutesMax: number;
  mibMax: number;
}

export interface VisitedPage {
  id: string;
  fence: number;
  outcome: PageOutcome;
  http_status: number | null;
  error_code: string | null;
  error: string | null;
  /** The instance's address and name, for outcome `instance` or a redirect that ended on a page not visited before. */
  instance: { url: string; name: string } | null;
  redirectedTo: Arrival | null;
  /** Where a redirect or a canonical link leads. */
  target: string | null;
  /** For outcome `canonical`: the page's name, needed if its canonical address turns out to be no page. */
  name: string | null;
  /** Keys (`linkKey`) of the page's links that may turn out to be broken. */
  carried: readonly number[];
  /** Bytes that the visit received. */
  bytes: number;
}
