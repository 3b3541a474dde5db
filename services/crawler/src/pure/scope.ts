import { getDomain } from "tldts";
import { canonicalUrl } from "@web-tester/urls/canonical-url";

/**
 * How far a crawl may go from the object's URL.
 * `path` (default): same origin, at or below the URL's path. `host`: the whole host and port, http and https alike on
 * their default ports. `domain`: every host of the registrable domain (public suffix list, private suffixes such as
 * github.io included; an IP address or a name without a public suffix counts as its own domain), any port. `prefixes`:
 * exactly the places in `prefixes`.
 */
export interface ScopeOptions {
  within?: "path" | "host" | "domain" | "prefixes";
  /** Absolute URLs, or paths on the object's own origin; each covers itself and what lies below it, as the path rule says. */
  prefixes?: readonly string[];
}

/**
 * Returns a test of whether a crawl that starts at `rootUrl` may visit an address. The root itself is always in scope.
 * Addresses must be canonical (`canonicalUrl`); paths are compared case-sensitively.
 *
 * The path rule: `/docs/` covers `/docs/…`; `/docs/index.html` (the last segment ends in a file extension) covers its
 * folder `/docs/…`; `/docs` covers exactly `/docs` and `/docs/…`, but not `/docs-old`. `/v1.2` is no file: an extension
 * starts with a letter.
 *
 * @throws {TypeError} never for a parsed root; invalid prefixes are ignored, as the caller's schema rejects them before
 */
export function createScope(rootUrl: URL, options: ScopeOptions = {}): (url: URL) => boolean {
  const root = canonicalUrl(rootUrl.href, rootUrl) ?? rootUrl;
  const isInside = insideTest(root, options);
  return (url) => url.href === root.href || isInside(url);
}

function insideTest(root: URL, { within = "path", prefixes = [] }: ScopeOptions): (url: URL) => boolean {
  switch (within) {
    case "path":
      return below(root);
    case "host":
      return (url) => url.host === root.host;
    case "domain": {
      const domain = domainOf(root);
      return (url) => domainOf(url) === domain;
    }
    case "prefixes": {
      const places = prefixes.flatMap((prefix) => canonicalUrl(prefix, root) ?? []).map(below);
      return (url) => places.some((covers) => covers(url));
    }
  }
}

const fileName = /\.[A-Za-z][A-Za-z0-9]{0,9}$/;

function below(place: URL): (url: URL) => boolean {
  const { origin, pathname } = place;
  const folder = pathname.slice(0, pathname.lastIndexOf("/") + 1);
  if (pathname === folder || fileName.test(pathname))
    return (url) => url.origin === origin && url.pathname.startsWith(folder);
  return (url) => url.origin === origin && (url.pathname === pathname || url.pathname.startsWith(`${pathname}/`));
}

function domainOf(url: URL): string {
  return getDomain(url.hostname, { allowPrivateDomains: true }) ?? url.hostname;
}
