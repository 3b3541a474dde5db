import { type CanonicalOptions, canonicalUrl } from "./canonical-url.js";

/** Returns the canonical address of a page without session ids, from any source (a crawl, a sitemap, a person). Null as for `canonicalUrl`. */
export function pageUrl(href: string, base: URL, options: CanonicalOptions = {}): URL | null {
  const url = canonicalUrl(href, base, options);
  return url === null ? null : withoutSession(url);
}

/** Returns the address where a crawl of an object begins, which is also that of the instance for the object itself. */
export function startUrl(objectUrl: string, dropParams: readonly string[]): string {
  const url = new URL(objectUrl);
  // percent-encoding may make it longer than a crawl can follow; then it stays as registered
  return pageUrl(url.href, url, { dropParams })?.href ?? url.href;
}

const sessionName =
  /^(?:phpsessid|jsessionid|aspsessionid\w*|asp\.net_sessionid|cfid|cftoken|sessionid|session_id|sid|s|zenid|oscsid)$/i;
const sessionValue = /^[A-Za-z0-9_-]{16,}$/;

/** Returns the address without session ids (`?PHPSESSID=…`, `;jsessionid=…`), which make a site endless; the same URL object if it has none. */
export function withoutSession(url: URL): URL {
  const hasPathId = url.pathname.includes(";");
  if (!hasPathId && url.search === "") return url;
  const path = hasPathId ? url.pathname.replace(/;(?:jsessionid|phpsessid|sid)=[A-Za-z0-9_.!-]+/gi, "") : url.pathname;
  const parts = url.search === "" ? [] : url.search.slice(1).split("&");
  const kept = parts.filter((part) => !isSession(part));
  if (path === url.pathname && kept.length === parts.length) return url;
  const clean = new URL(url.href);
  clean.pathname = path;
  clean.search = kept.length === 0 ? "" : `?${kept.join("&")}`;
  return clean;
}

function isSession(part: string): boolean {
  const at = part.indexOf("=");
  return at > 0 && sessionName.test(part.slice(0, at)) && sessionValue.test(part.slice(at + 1));
}
