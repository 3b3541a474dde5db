// @ts-check
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder of the checkout. */
export const root = resolve(dirname(fileURLToPath(import.meta.url)), "../../..");
/** Folder for logs and stamps of the set-up; not part of the repository. */
export const cache = join(root, ".cache");

/** Creates the cache folder if it is missing. */
export function makeCache() {
  mkdirSync(cache, { recursive: true });
}

/**
 * Writes a file atomically, by a rename. Never overwrites the existing file in place: copies of a checkout may share it through hard links.
 * @param {string} path
 * @param {string} text
 */
export function writeWhole(path, text) {
  writeFileSync(`${path}.new`, text);
  renameSync(`${path}.new`, path);
}

/**
 * A hash of the names and contents of files; folders are hashed recursively.
 * @param {string[]} paths relative to the checkout; missing ones count as absent
 * @param {(path: string) => boolean} [wanted] which files count, by path relative to the checkout
 */
export function hashOf(paths, wanted = () => true) {
  const hash = createHash("sha256");
  for (const file of paths
    .flatMap((path) => filesBelow(join(root, path)))
    .map((path) => relative(root, path))
    .filter(wanted)) {
    hash
      .update(`${file}\0`)
      .update(readFileSync(join(root, file)))
      .update("\0");
  }
  return hash.digest("hex");
}

/** @param {string} path @returns {string[]} */
function filesBelow(path) {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return [];
  if (stat.isFile()) return [path];
  return readdirSync(path)
    .filter((name) => name !== "node_modules" && name !== "dist")
    .toSorted()
    .flatMap((name) => filesBelow(join(path, name)));
}

/** The folders of the workspaces, relative to the checkout. */
export function workspaces() {
  /** @type {string[]} */
  const patterns = JSON.parse(readFileSync(join(root, "package.json"), "utf8")).workspaces;
  return patterns.flatMap((pattern) => {
    if (!pattern.endsWith("/*")) return [pattern];
    const folder = pattern.slice(0, -2);
    return readdirSync(join(root, folder))
      .toSorted()
      .map((name) => `${folder}/${name}`);
  });
}
