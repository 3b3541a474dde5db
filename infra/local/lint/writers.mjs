// @ts-check
import { globSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";

/**
 * A table is written only by the folder of packages/records that holds it. A transition over several tables is in the folder of its main
 * noun, and is composed of what the other folders export.
 */

const home = "packages/records/src/";

/** Files that write tables of other folders, each with the reason. */
/** @type {Record<string, string>} */
export const writesOthers = {
  "packages/records/src/leases/leased-rows.ts":
    "the lease of a row, which five tables have alike; the folders name theirs",
  "packages/records/src/leases/lost-rows.ts": "rows whose lease ran out, alike for the same tables",
  "services/backup/src/copy-rows.ts": "puts the rows of a backup back as they were, whatever the table",
};

/**
 * @param {string} root a checkout
 * @returns {Map<string, string>} table → the folder that holds it, below the checkout and with a slash at its end
 */
export function foldersOfTables(root) {
  const folders = new Map();
  for (const path of globSync(`${home}*/*.table.ts`, { cwd: root })) {
    const file = path.split(sep).join("/");
    const name = /EntitySchema(?:<[^>]*>)?\(\{\s*name: "(\w+)"/.exec(readFileSync(join(root, path), "utf8"))?.[1];
    if (name === undefined) throw new Error(`${file} names no table: write new EntitySchema({ name: "…", … }).`);
    folders.set(name, file.slice(0, file.lastIndexOf("/") + 1));
  }
  return folders;
}

/**
 * Finds what a file of a service or a package writes that it must not write.
 * @param {string} file its path below the checkout
 * @param {string} text
 * @param {Map<string, string>} folders of `foldersOfTables`
 * @returns {string[]} one sentence for each fault
 */
export function writerFaults(file, text, folders) {
  if (file in writesOthers || file.startsWith(`${home}schema/migrations/`)) return [];
  const faults = new Set();
  const writing =
    /\b(?:INSERT\s+INTO|UPDATE|DELETE\s+FROM|MERGE\s+INTO|TRUNCATE(?:\s+TABLE)?|COPY)\s+(?:ONLY\s+)?("?\w+|\$\{)/g;
  for (const [, named = ""] of text.matchAll(writing)) {
    if (named === "${") {
      faults.add(`${file}: a statement that writes names its table in words, so that a search finds who writes it.`);
      continue;
    }
    const table = named.replace('"', "");
    const folder = folders.get(table);
    if (folder !== undefined && !file.startsWith(folder))
      faults.add(`${file}: only ${folder} writes the table ${table}.`);
  }
  return [...faults];
}
