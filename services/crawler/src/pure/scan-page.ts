import { createHash } from "node:crypto";
import { decodeAs } from "@web-tester/html/charset/decode-as";
import { encodeQuery } from "@web-tester/html/charset/encode-query";
import { isJsShell } from "@web-tester/html/text/js-shell";
import { scriptSignature } from "@web-tester/html/text/script-signature";
import { scanLinks } from "@web-tester/html/links/scan-links";

/** The bytes of a page to read. `scriptsOf` is the address of the page where its scripts matter too, else null. */
export interface ScanTask {
  bytes: Uint8Array;
  charset: string | null;
  scriptsOf: string | null;
}

/** The scripts of a page, and its empty places that they may fill. */
export interface PageScripts {
  /** Equal for pages with the same scripts. */
  kind: string;
  holders: readonly string[];
}

/** The facts of a page that a crawl uses. */
export interface PageScan {
  /**
   * The addresses as written, in the order of the page, with repetitions; characters in queries are encoded in the charset
   * of the page. One string joined by NULs, as nothing else travels between threads so cheaply.
   */
  hrefs: string;
  baseHref: string | null;
  title: string | null;
  canonical: string | null;
  /** False also where `scriptsOf` was null. */
  isShell: boolean;
  /** Null where no scripts run, or `scriptsOf` was null. */
  scripts: PageScripts | null;
}

/** A page with more links than this is not drawn by its scripts, so that test is skipped. */
const shellLinksMax = 3;

/** Reads a page, in time linear in its bytes. */
export function scanPage({ bytes, charset, scriptsOf }: ScanTask): PageScan {
  const html = decodeAs(bytes, charset);
  const { links, baseHref, title, canonical } = scanLinks(html);
  const hasFewLinks = () => links.filter(({ kind }) => kind === "a" || kind === "area").length <= shellLinksMax;
  return {
    hrefs: links.map(({ href }) => encodeQuery(href, charset)).join("\0"),
    baseHref,
    title,
    canonical: canonical === null ? null : encodeQuery(canonical, charset),
    isShell: scriptsOf !== null && hasFewLinks() && isJsShell(html),
    scripts: scriptsOf === null ? null : scriptsIn(html, scriptsOf),
  };
}

/** Elements that scripts fill with a word, not with a list of links. */
const holdsWords = /^(?:span|p|h[1-6]|strong|b|output) /;

function scriptsIn(html: string, pageUrl: string): PageScripts | null {
  const found = scriptSignature(html, pageUrl);
  if (found === null) return null;
  // frames are pages of their own to a crawl
  const scripts = found.scripts.split("\n").filter((script) => !/^frame (?:of a text|\S+)$/.test(script));
  if (scripts.length === 0) return null;
  const kind = createHash("sha256").update(scripts.join("\n")).digest("base64");
  return { kind, holders: found.holders.split("\n").filter((holder) => holder !== "" && !holdsWords.test(holder)) };
}

/**
 * Returns the address that relative links are resolved against: a `base` that leads to a script or to data does not count
 * (HTML §4.2.3).
 */
export function baseOf({ baseHref }: PageScan, shownAt: URL): URL {
  const base = baseHref === null ? null : URL.parse(baseHref, shownAt.href);
  return base === null || /^(?:data|javascript):$/.test(base.protocol) ? shownAt : base;
}
