// @ts-check
import { readFile } from "node:fs/promises";
import { join } from "node:path";

/**
 * The pages of one version that are changed, the same or gone in another, compared by their bytes.
 * @typedef {{ changed: Set<string>, same: Set<string>, gone: Set<string> }} ComparedPages
 */

/**
 * @param {string} before folder of the version that the pages are of
 * @param {string} after folder of the other version
 * @param {Iterable<string>} pages paths relative to the folders
 * @returns {Promise<ComparedPages>}
 */
export async function comparePages(before, after, pages) {
  /** @type {ComparedPages} */
  const compared = { changed: new Set(), same: new Set(), gone: new Set() };
  for (const page of pages) {
    const [old, now] = await Promise.all([
      readFile(join(before, page)),
      readFile(join(after, page)).catch(() => undefined),
    ]);
    if (now === undefined) compared.gone.add(page);
    else (old.equals(now) ? compared.same : compared.changed).add(page);
  }
  return compared;
}
