import type { FailedLoad, PageResult } from "@web-tester/loader/page-result";
import type { SnapshotLoad } from "./choose-mode.js";
import type { PreviousSnapshot } from "@web-tester/records/snapshots/claim-snapshots";
import { freshenHeaders } from "./conditional.js";

/**
 * The outcome of one attempt at a snapshot. `body` has the bytes that the server sent, without content codings;
 * `unchanged` shares those of an earlier snapshot, because the server said that they are still current.
 */
export type Verdict =
  | { kind: "done"; body: Buffer; charset: string | null; warning: string | null; page: PageFacts }
  | { kind: "unchanged"; previous: PreviousSnapshot; page: PageFacts }
  | { kind: "failed"; code: string; message: string; page: PageFacts }
  | { kind: "later"; delayMs: number; code: string; message: string };

interface PageFacts {
  status: number | null;
  finalUrl: string | null;
  headers: Record<string, string | string[]>;
  redirects: { url: string; status: number }[];
  durationMs: number;
  mode: "http" | "browser" | null;
  autoMode: "http" | "browser" | null;
  autoTested: boolean;
}

/** How often a page may fail in a way that may pass before it has failed for good. */
const failuresMax = 3;
/**
 * After this many attempts that ended with the fetcher's own end, not with a failure of the page, the page is taken to
 * crash the fetcher.
 */
const crashesMax = 6;
const firstRetryMs = 1_000;
const retryAfterMaxMs = 120_000;

/**
 * Decides what follows a load: keep it, fail it for good, or retry it with growing, jittered delays.
 * @param failures those of the page or its server before this attempt; failures on our side do not count
 * @param asked the snapshot whose validators the request carried, null where it carried none
 */
export function classify(
  { page: result, ...learned }: SnapshotLoad,
  failures: number,
  durationMs: number,
  asked: PreviousSnapshot | null,
): Verdict {
  const page = factsOf(result, learned, durationMs);
  switch (result.kind) {
    case "page":
      return { kind: "done", body: result.body, charset: result.charset, warning: result.warning, page };
    case "not-html": {
      return { kind: "failed", code: "not_html", message: describeOther(result.contentType), page };
    }
    case "not-modified":
      return asked === null ? unasked(page) : unchanged(asked, page);
    case "failed":
      return failed(result, failures + 1, page);
  }
}

function unchanged(previous: PreviousSnapshot, page: PageFacts): Verdict {
  return { kind: "unchanged", previous, page: { ...page, headers: freshenHeaders(previous.headers, page.headers) } };
}

function unasked(page: PageFacts): Verdict {
  const message =
    "The server answered 304 Not Modified although nothing was asked conditionally. Check the server's caching rules.";
  return { kind: "failed", code: "protocol_error", message, page };
}

/** @param tries including this one */
function failed({ code, message, retryable, retryAfterMs }: FailedLoad, tries: number, page: PageFacts): Verdict {
  if (retryable && tries < failuresMax)
    return { kind: "later", delayMs: retryDelayMs(tries, retryAfterMs), code, message };
  return { kind: "failed", code, message: tries > 1 ? `${message} Tried ${tries} times.` : message, page };
}

function describeOther(contentType: string): string {
  return /^\s*text\/html/i.test(contentType)
    ? "The server sent the page as a download (Content-Disposition). Only pages that browsers show can be snapshots."
    : `The server sent ${contentType} instead of an HTML page. Only HTML pages can be snapshots.`;
}

/**
 * @param attempts those that did not end with a failure of the page or its server, this one included
 * @returns `failed` for a page during which the fetcher itself ended too often, null while it may be tried
 */
export function crashed(attempts: number): Verdict | null {
  if (attempts <= crashesMax) return null;
  return {
    kind: "failed",
    code: "worker_crashed",
    message: `The fetcher stopped ${attempts - 1} times while it worked on this page, so it was given up. The fetcher's log says more.`,
    page: {
      status: null,
      finalUrl: null,
      headers: {},
      redirects: [],
      durationMs: 0,
      mode: null,
      autoMode: null,
      autoTested: false,
    },
  };
}

function retryDelayMs(tries: number, retryAfterMs: number | null): number {
  const grown = firstRetryMs * 4 ** (tries - 1) * (0.75 + Math.random() / 2);
  return Math.min(retryAfterMaxMs, Math.max(grown, retryAfterMs ?? 0));
}

function factsOf(result: PageResult, learned: Omit<SnapshotLoad, "page">, durationMs: number): PageFacts {
  return {
    mode: result.mode,
    autoMode: learned.autoMode,
    autoTested: learned.isTested,
    status: result.status,
    finalUrl: result.finalUrl,
    headers: result.headers,
    redirects: result.redirects,
    durationMs,
  };
}
