import { decodeAs } from "@web-tester/html/charset/decode-as";
import { encodeQuery } from "@web-tester/html/charset/encode-query";
import { isJsShell } from "@web-tester/html/text/js-shell";
import { scanLinks } from "@web-tester/html/links/scan-links";

/** Bytes to be read, and how. `isShellWanted`: whether to find out if scripts draw the page. */
export interface ScanTask {
  bytes: Uint8Array;
  charset: string | null;
  isShellWanted: boolean;
}

/** The facts of a page that a crawl uses. */
export interface PageScan {
  /** Addresses as written, letters in queries in the bytes of the page, in the order of the page, repetitions included; one text with NULs between, as nothing else travels between threads so cheaply. */
  hrefs: string;
  baseHref: string | null;
  title: string | null;
  canonical: string | null;
  /** False also where nobody asked. */
  isShell: boolean;
}

/** A page with more links than this is not drawn by its scripts, so it is not looked at for that. */
const shellLinksMax = 3;

/** Reads a page, in time linear in its bytes. */
export function scanPage({ bytes, charset, isShellWanted }: ScanTask): PageScan {
  const html = decodeAs(bytes, charset);
  const { links, baseHref, title, canonical } = scanLinks(html);
  const hasFewLinks = () => links.filter(({ kind }) => kind === "a" || kind === "area").length <= shellLinksMax;
  return {
    hrefs: links.map(({ href }) => encodeQuery(href, charset)).join("\0"),
    baseHref,
    title,
    canonical: canonical === null ? null : encodeQuery(canonical, charset),
    isShell: isShellWanted && hasFewLinks() && isJsShell(html),
  };
}
