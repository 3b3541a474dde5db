// @ts-check
import { layOutCorpus } from "../corpus/lay-out.mjs";
import { comparePages } from "../lib/changed-pages.mjs";
import { reachablePages } from "../lib/reachable-pages.mjs";

/**
 * The results that the job must find, derived from the files alone.
 * @typedef {object} Expectation
 * @property {string} site
 * @property {import("../corpus/lay-out.mjs").LaidOutVersion} before
 * @property {import("../corpus/lay-out.mjs").LaidOutVersion} after
 * @property {Set<string>} pages reachable by links in the first version
 * @property {number} dead number of linked addresses of the first version without a file
 * @property {import("../lib/changed-pages.mjs").ComparedPages} compared the comparison of those pages with the second version
 */

/**
 * @param {{ before?: string, after?: string, log?: (line: string) => void }} options
 * @returns {Promise<Expectation>}
 */
export async function prepare({ before = "15", after = "17", log = () => {} }) {
  const site = "postgresql-manual";
  const versions = await layOutCorpus(site, { log });
  const [first, second] = [versions.get(before), versions.get(after)];
  if (first === undefined || second === undefined)
    throw new Error(`There are versions ${[...versions.keys()].join(", ")} of ${site}, not ${before} and ${after}`);
  const reachable = await reachablePages(first.root, first.index);
  return {
    site,
    before: first,
    after: second,
    pages: reachable.pages,
    dead: reachable.dead.size,
    compared: await comparePages(first.root, second.root, reachable.pages),
  };
}
