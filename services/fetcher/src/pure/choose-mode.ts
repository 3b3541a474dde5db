import type { PageResult } from "@web-tester/loader/page-result";

/** A load, and what mode auto learned from it; null where it learned nothing. */
export interface SnapshotLoad {
  page: PageResult;
  autoMode: "http" | "browser" | null;
  /** Whether the page was asked for over HTTP first, which shows whether it needs a browser. */
  isTested: boolean;
}

/** After so many loads in a browser mode auto asks over HTTP again, to see whether the page still needs one. */
const retestAfterLoads = 20;

/** How a page may be loaded, and what is known of it. */
export interface ModeFacts {
  /** auto, http or browser. */
  fetchMode: string;
  autoMode: string | null;
  autoModeLoads: number;
}

/** Which way a load begins; mode auto may go on from HTTP to the browser. */
export function firstMode({ fetchMode, autoMode, autoModeLoads }: ModeFacts): "http" | "browser" {
  if (fetchMode === "browser") return "browser";
  return fetchMode === "auto" && autoMode === "browser" && autoModeLoads < retestAfterLoads ? "browser" : "http";
}

/**
 * Whether "not modified" would mean that the earlier snapshot still stands: not where a browser drew that one, nor where a
 * browser would draw this one if there were one.
 */
export function mayAskConditionally({ fetchMode, autoMode }: ModeFacts): boolean {
  return fetchMode === "http" || (fetchMode === "auto" && autoMode === "http");
}
