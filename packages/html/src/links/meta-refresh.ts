import type { Refresh } from "./parse-refresh.js";
import { scanLinks } from "./scan-links.js";

/** The characters that are searched: a refresh is in the head. */
const lookedAtChars = 256 * 1024;

/**
 * Returns the first `meta http-equiv=refresh` that a browser with scripts would obey: one inside `noscript`, `template` or
 * a comment does not count. No tree is built: a tree of a page of 30 KB may have millions of elements, as each paragraph
 * reopens those that the one before left open.
 * @param html the page as text
 */
export function findRefresh(html: string): Refresh | null {
  const start = html.slice(0, lookedAtChars);
  return /http-equiv/i.test(start) ? scanLinks(start, { scripting: true }).refresh : null;
}
