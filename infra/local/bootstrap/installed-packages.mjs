// @ts-check
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * @typedef {{ link?: boolean, os?: string[], cpu?: string[], libc?: string[] }} LockedPackage
 */

/**
 * Folders of the packages that an install puts on this machine, as the lock file names them; those for other platforms are left out.
 * @param {string} root the checkout
 * @param {{ platform: string, arch: string, isMusl: boolean }} machine
 * @returns {string[]} relative to the checkout
 */
export function wantedPackages(root, { platform, arch, isMusl }) {
  /** @type {{ packages: Record<string, LockedPackage> }} */
  const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
  return Object.entries(packages)
    .filter(
      ([folder, { link, os, cpu, libc }]) =>
        folder.includes("node_modules/") &&
        link !== true &&
        allows(os, platform) &&
        allows(cpu, arch) &&
        (platform !== "linux" || allows(libc, isMusl ? "musl" : "glibc")),
    )
    .map(([folder]) => folder);
}

/** The `os` and `cpu` lists of a package name what it supports, or with `!` what it does not. */
/** @param {string[] | undefined} list @param {string} value */
function allows(list, value) {
  if (list === undefined || list.length === 0) return true;
  if (list.includes(`!${value}`)) return false;
  return list.includes(value) || list.includes("any") || list.every((entry) => entry.startsWith("!"));
}

/**
 * Returns a function that tells how far an install is.
 * @param {string} root the checkout
 * @returns {() => string | null}
 */
export function installProgress(root) {
  const isMusl = process.platform === "linux" && !hasGlibc();
  /** @type {Set<string>} */
  const missing = new Set();
  let all = 0;
  try {
    for (const folder of wantedPackages(root, { platform: process.platform, arch: process.arch, isMusl })) {
      missing.add(folder);
      all++;
    }
  } catch {
    // the install itself reports what is wrong with the lock file
    return () => null;
  }
  return () => {
    for (const folder of missing) if (existsSync(join(root, folder, "package.json"))) missing.delete(folder);
    return missing.size === 0
      ? `all ${all} packages there, setting them up`
      : `${all - missing.size} of ${all} packages`;
  };
}

function hasGlibc() {
  const report = /** @type {{ header?: { glibcVersionRuntime?: string } }} */ (process.report?.getReport?.() ?? {});
  return report.header?.glibcVersionRuntime !== undefined;
}
