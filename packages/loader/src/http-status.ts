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
  if (status === 401 && sentCredentials)
    return "It did not accept the credentials that are set under Options: check them.";
  if (status === 401) return "It asks for credentials: set them under Options.";
  if (status === 403 && sentCredentials)
    return "The credentials set under Options do not open this page, or the server refuses this program.";
  if (status === 403)
    return "It denies access: set credentials under Options if the page needs them, or let this program in at the server.";
  if (status === 404) return "There is no such page, or no longer.";
  if (status === 410) return "The page was removed for good.";
  if (status === 429) return "It wants fewer requests: the page is tried again later.";
  if (status === 451) return "It withholds the page for legal reasons.";
  if (status >= 500) return "The server has a fault or is overloaded: try again later, or look into its log.";
  if (status === 408 || status === 425) return "Try again later.";
  if (status === 206) return "That is a part of the page only, though nobody asked for a part.";
  if (status === 304) return "That is no answer to a request that did not ask whether the page had changed.";
  return "The page cannot be had this way.";
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
