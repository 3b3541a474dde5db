import { domainToUnicode } from "node:url";
import { limits } from "@web-tester/contracts/limits";

/**
 * Options of a canonical address. `dropParams` names query parameters to leave out (tracking parameters): names compare
 * decoded and case-sensitively, a trailing `*` matches any rest (`utm_*`).
 */
export interface CanonicalOptions {
  dropParams?: readonly string[];
}

/**
 * Returns the canonical address of a page from a link; null when it is no address that a crawl can follow.
 *
 * Parsing is the WHATWG URL standard's (relative references, default ports, dot segments, IDNA, backslashes). On top of it, as RFC 3986
 * §6.2.2 names equivalent: percent-encoded unreserved characters are decoded, hex digits are upper-case, a `%` that starts no escape
 * becomes `%25`. The fragment, credentials and an empty query (`/a?`) are dropped; any other query is kept byte for byte, order included.
 * Null for anything but http and https, and for more than 2,000 characters. Idempotent: the canonical form of a canonical form is itself.
 *
 * @param href the link as written, character references already decoded
 * @param base the address the link is relative to: the page's final URL, or its `base href` resolved against that
 */
export function canonicalUrl(href: string, base: URL, options: CanonicalOptions = {}): URL | null {
  const url = URL.parse(href, base.href);
  return url === null ? null : canonicalise(url, options);
}

/**
 * Returns an address that is too long to be followed, as text without its middle; null for one that is not too long, or no address of a
 * page. Addresses with the same beginning and end give the same text.
 */
export function tooLongUrl(href: string, base: URL, options: CanonicalOptions = {}): string | null {
  const url = URL.parse(href, base.href);
  const long = url === null ? null : (simplify(url, options)?.href ?? null);
  if (long === null || long.length <= limits.urlMaxChars) return null;
  return `${long.slice(0, limits.urlMaxChars - 1 - keptEnd)}…${long.slice(-keptEnd)}`;
}

/** Characters kept at the end of an address that is too long; the difference between two such addresses is often there. */
const keptEnd = 200;

/** Returns the canonical form, as text, of an address that is already parsed: `crawl_page` and `test_instance` are unique by it; null as for `canonicalUrl`. */
export function canonicalText(url: URL, options: CanonicalOptions = {}): string | null {
  return canonicalise(new URL(url.href), options)?.href ?? null;
}

/**
 * Normalises percent-encoding in a path or query that has passed the URL parser. Shared with the exclude patterns, which must be spelled
 * like the paths that they match.
 */
export function normalisePercent(text: string): string {
  return text.includes("%") ? text.replace(percent, normaliseEscape) : text;
}

const percent = /%(?:[0-9A-Fa-f]{2})?/g;
const unreserved = /[A-Za-z0-9._~-]/;

function normaliseEscape(escape: string): string {
  if (escape.length === 1) return "%25";
  const character = String.fromCharCode(Number.parseInt(escape.slice(1), 16));
  return unreserved.test(character) ? character : escape.toUpperCase();
}

function canonicalise(url: URL, options: CanonicalOptions): URL | null {
  const simple = simplify(url, options);
  return simple === null || simple.href.length > limits.urlMaxChars ? null : simple;
}

/** Simplifies the given URL in place; it may be of any length. */
function simplify(url: URL, { dropParams }: CanonicalOptions): URL | null {
  if ((url.protocol !== "http:" && url.protocol !== "https:") || hasBrokenPunycode(url.hostname)) return null;
  if (url.username !== "" || url.password !== "") {
    url.username = "";
    url.password = "";
  }
  if (url.href.includes("#")) url.hash = "";
  if (url.pathname.includes("%")) url.pathname = normalisePercent(url.pathname);
  const query = canonicalQuery(url.search, dropParams ?? []);
  // also drops a lone "?", which `search` reports as empty but `href` keeps
  if (query !== url.search || (query === "" && url.href.endsWith("?"))) url.search = query;
  return url;
}

/** Whether a host name has invalid Punycode labels, which the URL standard refuses but Node 24's parser accepts; decoding leaves such labels unchanged. */
function hasBrokenPunycode(hostname: string): boolean {
  return (
    hostname.includes("xn--") &&
    domainToUnicode(hostname)
      .split(".")
      .some((label) => label.startsWith("xn--"))
  );
}

function canonicalQuery(search: string, dropParams: readonly string[]): string {
  const kept = dropParams.length === 0 || search === "" ? search : withoutParams(search, dropParams);
  return normalisePercent(kept);
}

function withoutParams(search: string, dropParams: readonly string[]): string {
  const parts = search.slice(1).split("&");
  const drops = dropsOf(dropParams);
  const kept = parts.filter((part) => !drops(nameOf(part)));
  if (kept.length === parts.length) return search;
  return kept.length === 0 ? "" : `?${kept.join("&")}`;
}

const compiled = new WeakMap<readonly string[], (name: string) => boolean>();

/** Returns a test for parameters to drop; compiled once per list, as a page may contain a hundred thousand parameters. */
function dropsOf(dropParams: readonly string[]): (name: string) => boolean {
  const known = compiled.get(dropParams);
  if (known !== undefined) return known;
  const names = new Set(dropParams.filter((name) => !name.endsWith("*")));
  const prefixes = dropParams.filter((name) => name.endsWith("*")).map((name) => name.slice(0, -1));
  const drops = (name: string) => names.has(name) || prefixes.some((prefix) => name.startsWith(prefix));
  compiled.set(dropParams, drops);
  return drops;
}

/** Returns the decoded name of a parameter. */
function nameOf(part: string): string {
  const end = part.indexOf("=");
  const raw = end === -1 ? part : part.slice(0, end);
  if (!/[%+]/.test(raw)) return raw;
  const [decoded = ""] = new URLSearchParams(raw).keys();
  return decoded;
}
