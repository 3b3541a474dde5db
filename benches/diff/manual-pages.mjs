// @ts-check
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { layOutCorpus } from "../corpus/lay-out.mjs";

/**
 * Returns the pages of the PostgreSQL manual that 15 and 17 both have.
 * @returns {Promise<{ differing: import("./load-pairs.mjs").Pair[], identical: import("./load-pairs.mjs").Pair[] }>}
 */
export async function manualPages() {
  const versions = await layOutCorpus("postgresql-manual", { log: console.log });
  const [a, b] = [versions.get("15"), versions.get("17")];
  if (a === undefined || b === undefined) throw new Error("The manuals are not there");
  const there = new Set(await readdir(b.root, { recursive: true }));
  const pairs = [];
  for (const name of await readdir(a.root, { recursive: true })) {
    if (!/\.html?$/i.test(name) || !there.has(name)) continue;
    pairs.push({ a: await readFile(join(a.root, name)), b: await readFile(join(b.root, name)) });
  }
  const { differing = [], identical = [] } = Object.groupBy(pairs, (pair) =>
    pair.a.equals(pair.b) ? "identical" : "differing",
  );
  return { differing, identical };
}
