// @ts-check
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { parse } from "parse5";

/**
 * The pages of a site that can be reached by links, found without any code of the product: parse5 parses, the platform's
 * `URL` resolves, and files are read from the folder instead of being requested.
 * @typedef {object} ReachablePages
 * @property {Set<string>} pages paths relative to the site, the index page's among them, such as `sql-select.html`
 * @property {Map<string, string>} dead relative paths that are linked but have no file, each with the page of its link
 * @property {Set<string>} otherFiles relative paths of linked files other than HTML
 * @property {number} outside links that leave the site
 */

/** The address at which the site seems to be served; it is never requested. */
const base = "http://site.invalid/docs/";

/**
 * Returns what a crawl of `folder` should find when it begins at `index`. In scope are addresses with the site's origin,
 * below its path. Addresses that differ only in their fragment are one page; those with another query are not.
 * @param {string} folder
 * @param {string} [index]
 * @param {number} [most] pages after which it stops
 * @returns {Promise<ReachablePages>}
 */
export async function reachablePages(folder, index = "index.html", most = Infinity) {
  const start = new URL(index, base).href;
  /** @type {ReachablePages} */
  const found = { pages: new Set(), dead: new Map(), otherFiles: new Set(), outside: 0 };
  const seen = new Set([start]);
  /** @type {{ url: string, from: string }[]} */
  const queue = [{ url: start, from: "" }];
  for (let next = queue.pop(); next !== undefined && found.pages.size < most; next = queue.pop()) {
    const relative = next.url.slice(base.length);
    const file = await fileOf(folder, relative);
    if (file === undefined) {
      found.dead.set(relative, next.from);
      continue;
    }
    if (!/\.html?$/i.test(file)) {
      found.otherFiles.add(relative);
      continue;
    }
    found.pages.add(relative);
    for (const url of pageLinks(await readFile(file, "utf8"), next.url)) {
      if (!url.startsWith(base)) found.outside += 1;
      else if (!seen.has(url)) {
        seen.add(url);
        queue.push({ url, from: relative });
      }
    }
  }
  return found;
}

/**
 * Returns the addresses that a document links to: `a` and `area` with `href`, resolved against `base href`, without
 * fragments, http and https only; in document order, including duplicates.
 * @param {string} html
 * @param {string} documentUrl
 * @returns {string[]}
 */
export function pageLinks(html, documentUrl) {
  const hrefs = [];
  let baseUrl = documentUrl;
  let hasBase = false;
  /** @type {import("parse5").DefaultTreeAdapterTypes.Node[]} */
  const stack = [parse(html)];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if ("attrs" in node) {
      const href = node.attrs.find((attribute) => attribute.name === "href")?.value;
      if (href !== undefined && (node.tagName === "a" || node.tagName === "area")) hrefs.push(href);
      if (href !== undefined && node.tagName === "base" && !hasBase) {
        hasBase = true;
        baseUrl = URL.canParse(href, documentUrl) ? new URL(href, documentUrl).href : documentUrl;
      }
    }
    if ("childNodes" in node) for (const child of node.childNodes.toReversed()) stack.push(child);
  }
  return hrefs.flatMap((href) => {
    if (!URL.canParse(href, baseUrl)) return [];
    const url = new URL(href, baseUrl);
    url.hash = "";
    return url.protocol === "http:" || url.protocol === "https:" ? [url.href] : [];
  });
}

/** @param {string} folder @param {string} relative @returns {Promise<string | undefined>} */
async function fileOf(folder, relative) {
  const path = relative.split("?", 1)[0] ?? "";
  if (/%(?![0-9a-f]{2})/i.test(path)) return undefined;
  const file = join(folder, decodeURIComponent(path), path === "" || path.endsWith("/") ? "index.html" : "");
  const found = await stat(file).catch(() => undefined);
  return found?.isFile() === true ? file : undefined;
}
