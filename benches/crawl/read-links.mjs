// @ts-check
import { Parser } from "htmlparser2";

/**
 * Returns the `href`s of `a` and `area`, the way a person would write it with htmlparser2 in five minutes.
 * @param {string} html
 * @returns {string[]}
 */
export function readLinks(html) {
  /** @type {string[]} */
  const hrefs = [];
  const parser = new Parser({
    onopentag(name, { href }) {
      if (href !== undefined && (name === "a" || name === "area")) hrefs.push(href);
    },
  });
  parser.end(html);
  return hrefs;
}

/**
 * Returns links as addresses without fragments, only those below the site's own address.
 * @param {readonly string[]} hrefs
 * @param {string} base
 * @param {string} site
 * @returns {string[]}
 */
export function inScope(hrefs, base, site) {
  return hrefs.flatMap((href) => {
    const url = URL.parse(href, base);
    if (url === null) return [];
    url.hash = "";
    return url.href.startsWith(site) ? [url.href] : [];
  });
}
