import type { PageOutcome } from "@web-tester/records/pages/visited-page";
import { parseRefresh } from "@web-tester/html/links/parse-refresh";
import type { LoadedPage, PageResult } from "@web-tester/loader/page-result";

/** A page as it was loaded; `charset` as for `decodeAs`. */
export interface LoadedHtml {
  bytes: Uint8Array;
  charset: string | null;
  finalUrl: URL;
  /** The absolute address that its `Refresh` header leads to, which browsers follow as they do a `meta`'s; null where there is none. */
  refreshUrl: string | null;
}

/** What a load means for the crawl. */
export type Reading =
  | ({ kind: "page" } & LoadedHtml)
  | { kind: "ended"; outcome: PageOutcome; code: string | null; message: string | null }
  | { kind: "later"; delayMs: number };

const attemptsMax = 3;
const firstRetryMs = 1_000;
const retryAfterMaxMs = 120_000;

/** @param attempts those that the page or its server failed, this one included */
export function interpretLoad(result: PageResult, attempts: number): Reading {
  switch (result.kind) {
    case "page":
      return {
        kind: "page",
        bytes: result.body,
        charset: result.charset,
        finalUrl: new URL(result.finalUrl),
        refreshUrl: refreshUrlOf(result),
      };
    case "not-html":
      return { kind: "ended", outcome: "not-html", code: null, message: null };
    case "not-modified":
      return {
        kind: "ended",
        outcome: "failed",
        code: "protocol_error",
        message: "The server answered 304 Not Modified although nothing was asked conditionally.",
      };
    case "failed":
      if (result.code === "out_of_scope")
        return { kind: "ended", outcome: "out-of-scope", code: result.code, message: result.message };
      if (result.code === "not_html")
        return { kind: "ended", outcome: "not-html", code: result.code, message: result.message };
      if (!result.retryable || attempts >= attemptsMax)
        return { kind: "ended", outcome: "failed", code: result.code, message: result.message };
      return {
        kind: "later",
        delayMs: Math.min(retryAfterMaxMs, Math.max(firstRetryMs * 4 ** (attempts - 1), result.retryAfterMs ?? 0)),
      };
  }
}

function refreshUrlOf({ headers, finalUrl }: LoadedPage): string | null {
  const header = [headers["refresh"] ?? []].flat().at(-1) ?? "";
  const address = parseRefresh(header)?.address ?? "";
  return address === "" ? null : (URL.parse(address, finalUrl)?.href ?? null);
}
