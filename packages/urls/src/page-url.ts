import { type CanonicalOptions, canonicalUrl } from "./canonical-url.js";

/**
 * The canonical address of a page, whoever names it (a crawl, a sitemap, a person), without session ids. Null as for
 * `canonicalUrl`.
 */
export function pageUrl(href: string, base: URL, options: CanonicalOptions = {}): URL | null {
  const url = canonicalUrl(href, base, options);
  return url === null ? null : withoutSession(url);
}

/** The address where a crawl of an object begins, and of the instance that stands for the object itself. */
export function startUrl(objectUrl: string, dropParams: readonly string[]): string {
  const url = new URL(objectUrl);
  // percent-encoding may make it longer than a crawl follows; then it stays as it was registered
  return pageUrl(url.href, url, { dropParams })?.href ?? url.href;
}

const sessionName =
  /^(?:phpsessid|jsessionid|aspsessionid\w*|asp\.net_sessionid|cfid|cftoken|sessionid|session_id|sid|s|zenid|oscsid)$/i;
const sessionValue = /^[A-Za-z0-9_-]{16,}$/;

/** The address without session ids (`?PHPSESSID=…`, `;jsessionid=…`), which make a site endless; the same object where it holds none. */
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
