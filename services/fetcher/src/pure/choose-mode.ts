import type { PageResult } from "@web-tester/loader/page-result";

/** A load, and the mode that auto chose because of it; `autoMode` is null where auto learned nothing. */
export interface SnapshotLoad {
  page: PageResult;
  autoMode: "http" | "browser" | null;
  /** Whether the page was asked for over HTTP first, which shows whether it needs a browser. */
  isTested: boolean;
}

/** After this many loads in the browser, mode auto asks over HTTP again, to see whether the page still needs a browser. */
const retestAfterLoads = 20;

/** How a page may be loaded, and what mode auto knows of it. */
export interface ModeFacts {
  /** auto, http or browser. */
  fetchMode: string;
  autoMode: string | null;
  autoModeLoads: number;
}

/** Returns the mode that a load begins in; mode auto may go on from HTTP to the browser. */
export function firstMode({ fetchMode, autoMode, autoModeLoads }: ModeFacts): "http" | "browser" {
  if (fetchMode === "browser") return "browser";
  return fetchMode === "auto" && autoMode === "browser" && autoModeLoads < retestAfterLoads ? "browser" : "http";
}

/**
 * Whether "not modified" would mean that the earlier snapshot still holds: not where a browser drew that one, nor where
 * one would draw this one if it were available.
 */
export function mayAskConditionally({ fetchMode, autoMode }: ModeFacts): boolean {
  return fetchMode === "http" || (fetchMode === "auto" && autoMode === "http");
}
