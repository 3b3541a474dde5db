import { crc32 } from "node:zlib";
import type { ClaimedSnapshot, PreviousSnapshot } from "@web-tester/records/snapshots/claim-snapshots";

type Headers = PreviousSnapshot["headers"];

/** An entity tag by RFC 9110 §8.8.3; a value of any other form could not be sent back as a header. */
const entityTag = /^(?:W\/)?"[\x21\x23-\x7e]*"$/;
/** A date by RFC 9110 §5.6.7, in the form that must be sent. */
const httpDate = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;
const validatorMaxChars = 1_000;

/**
 * Returns the validators of the page's newest snapshot, which let the server answer "not modified" (RFC 9110 §13.1).
 * @returns null where a 304 could not stand for that snapshot: it was asked for under other settings, came by a redirect
 * or from another address, or has no validator; nor where the whole page is due
 */
export function conditionOf({
  url,
  askedAs,
  previous,
}: Pick<ClaimedSnapshot, "url" | "askedAs" | "previous">): { etag: string | null; lastModified: string | null } | null {
  if (previous === null || previous.askedAs !== askedAs || previous.redirected || previous.finalUrl !== url)
    return null;
  if (previous.wholeIsDue) return null;
  const etag = validator(previous.headers, "etag", entityTag);
  const lastModified = validator(previous.headers, "last-modified", httpDate);
  return etag === null && lastModified === null ? null : { etag, lastModified };
}

/**
 * Of so many rounds that are the first of a day, a file is asked for as a whole in one, whatever its validators say: some servers keep them
 * when the file changes.
 */
const wholeFileEvery = 20;

/** Whether a file is to be asked for as a whole in a round that is the first of a day; the address spreads the files of a site over the rounds. */
export function isWholeFileDue(round: string, url: string): boolean {
  return crc32(`${round} ${url}`) % wholeFileEvery === 0;
}

/**
 * Returns the headers of a page after a 304: those of the full answer, updated by those of the 304 (RFC 9111 §3.2).
 * Headers that describe the body stay as they were.
 */
export function freshenHeaders(stored: Headers, received: Headers): Headers {
  const aboutTheBody = new Set([
    "content-length",
    "content-encoding",
    "content-type",
    "content-range",
    "transfer-encoding",
  ]);
  const fresh = Object.entries(received).filter(([name]) => !aboutTheBody.has(name));
  return { ...stored, ...Object.fromEntries(fresh) };
}

function validator(headers: Headers, name: string, form: RegExp): string | null {
  const value = Object.hasOwn(headers, name) ? headers[name] : undefined;
  return typeof value === "string" && value.length <= validatorMaxChars && form.test(value) ? value : null;
}
