import { STATUS_CODES } from "node:http";
import { type HeaderRecord, lastHeader } from "./response-headers.js";
import type { ErrorCode } from "@web-tester/contracts/errors";

const retryAfterMaxMs = 24 * 60 * 60 * 1000;

/** Whether an answer contains a whole page; an unrequested partial answer does where its part is everything (RFC 9110 §14.4). */
export function isOfPage(status: number, headers: HeaderRecord): boolean {
  if (status !== 206) return status >= 200 && status <= 299;
  const [, last, length] = /^bytes 0-(\d{1,15})\/(\d{1,15})$/i.exec(lastHeader(headers, "content-range") ?? "") ?? [];
  return last !== undefined && Number(last) + 1 === Number(length);
}

/** The types that browsers show, whatever the status is. */
const shownTypes: Readonly<Record<string, RegExp>> = {
  image: /^image\//i,
  document: /^(?:image\/|text\/(?:html|plain)|application\/xhtml\+xml)/i,
};

/**
 * Whether browsers show what came with the status of an error: a picture, or the document of a frame.
 * @param wantedAs what the file is wanted for
 */
export function isShownThough(status: number, wantedAs: string | undefined, contentType: string | null): boolean {
  return status >= 400 && shownTypes[wantedAs ?? ""]?.test(contentType ?? "") === true;
}

/** Describes an answer that is neither a page nor a redirect, as an error code and a sentence. `where` names the page. */
export function describeStatus(
  status: number,
  where: string,
  sentCredentials: boolean,
): { code: ErrorCode; message: string } {
  const named = `${status} ${STATUS_CODES[status] ?? "(a status nobody has defined)"}`;
  const isRetryable = status >= 500 || status === 429 || status === 408 || status === 425;
  const code = isRetryable ? "http_status_retryable" : "http_status";
  return { code, message: `The server answered ${named} for ${where}. ${advice(status, sentCredentials)}` };
}

function advice(status: number, sentCredentials: boolean): string {
  if (status === 401 && sentCredentials) return "It did not accept the credentials set under Options. Check them.";
  if (status === 401) return "It asks for credentials: set them under Options.";
  if (status === 403 && sentCredentials)
    return "The credentials set under Options give no access to this page, or the server blocks this product.";
  if (status === 403)
    return "It denies access. Set credentials under Options if the page needs them, or allow this product on the server.";
  if (status === 404) return "The page does not exist, or no longer exists.";
  if (status === 410) return "The page was removed for good.";
  if (status === 429) return "It asks for fewer requests. Set a longer pause between requests under Options.";
  if (status === 451) return "It withholds the page for legal reasons.";
  if (status >= 500) return "The server has an error or is overloaded. Try again later, or check its log.";
  if (status === 408 || status === 425) return "Try again later.";
  if (status === 206) return "It sent only a part of the page, although the whole page was requested.";
  if (status === 304) return "It says that the page is unchanged, although the request did not ask for that.";
  return "This answer contains no page.";
}

/**
 * Reads Retry-After, seconds or a date (RFC 9110 §10.2.3), into milliseconds from now, at most a day; null where it says nothing.
 * @param now the time by our clock; a date counts from the answer's own Date, as the server's clock may differ
 */
export function readRetryAfter(headers: HeaderRecord, now: number): number | null {
  const serverNow = Date.parse(lastHeader(headers, "date") ?? "");
  return parseRetryAfter(lastHeader(headers, "retry-after"), Number.isNaN(serverNow) ? now : serverNow);
}

function parseRetryAfter(header: string | null, now: number): number | null {
  const text = (header ?? "").trim();
  if (/^\d+$/.test(text)) return Math.min(Number(text) * 1000, retryAfterMaxMs);
  if (!/^[A-Za-z]{3,9},? /.test(text)) return null;
  const at = Date.parse(text);
  return Number.isNaN(at) ? null : Math.min(Math.max(at - now, 0), retryAfterMaxMs);
}
