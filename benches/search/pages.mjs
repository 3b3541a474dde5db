// @ts-check
import { createHash } from "node:crypto";
import { link, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { layOutCorpus } from "../corpus/lay-out.mjs";

/**
 * A distinct page as it was in one release. `path`: the same in all releases.
 * @typedef {{ path: string, hash: Buffer, file: string, size: number }} Page
 */

const sites = ["postgresql-manual", "gtk-manual"];

/**
 * Returns distinct pages of manuals in three releases each, oldest release first for each path.
 * @param {number} wanted
 * @param {(line: string) => void} log
 * @returns {Promise<Page[]>}
 */
export async function distinctPages(wanted, log) {
  /** @type {Map<string, Page>} */
  const pages = new Map();
  for (const site of sites)
    for (const { root, version } of (await layOutCorpus(site, { log })).values()) {
      const names = (await readdir(root, { recursive: true })).filter((name) => /\.html?$/i.test(name)).toSorted();
      for (const name of names) {
        const bytes = await readFile(join(root, name));
        const hash = createHash("sha256").update(bytes).digest();
        const key = hash.toString("hex");
        // PostgreSQL, with which the bench compares, cannot store texts with NUL
        if (!pages.has(key) && bytes.length > 0 && !bytes.includes(0))
          pages.set(key, { path: `/${site}/${name}`, hash, file: join(root, name), size: bytes.length });
      }
      log(`  ${site} ${version}: ${pages.size} distinct pages so far`);
    }
  if (pages.size < wanted) throw new Error(`The corpora hold ${pages.size} distinct pages, ${wanted} are wanted`);
  return [...pages.values()].slice(0, wanted);
}

/**
 * Fills one folder with every page once, named by its hash, for ripgrep.
 * @param {readonly Page[]} pages
 * @param {string} folder
 */
export async function pageFolder(pages, folder) {
  await mkdir(folder, { recursive: true });
  for (const page of pages) {
    const target = join(folder, page.hash.toString("hex"));
    // the cache may be on another file system
    await link(page.file, target).catch(async () => writeFile(target, await readFile(page.file)));
  }
}
