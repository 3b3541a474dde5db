// @ts-check
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { sha256 } from "../lib/stored-bytes.mjs";

/** @typedef {import("./steps.mjs").Job} Job */

/** The product's limit of concurrent requests to one host (`HOST_CONCURRENCY`). */
const hostConcurrency = Number(process.env["HOST_CONCURRENCY"] ?? 8);

/** @param {import("./phase.mjs").Phase} phase @param {import("../lib/report.mjs").Report} report */
export function checkPhase(phase, report) {
  report.holds(
    "progress only grew and stayed within its total",
    phase.wrongProgress.length === 0,
    phase.wrongProgress[0] ?? "yes",
  );
  report.below("requests to the site at once", hostConcurrency + 1, phase.served.maxInFlight, "requests", {
    must: true,
  });
  report.below("time", 60, phase.seconds, "s", { digits: 1 });
  for (const part of phase.use) {
    if (/^(gateway|crawler|fetcher|differ)/.test(part.name))
      report.below(`peak memory of ${part.name}`, 300, part.peakBytes / 2 ** 20, "MB");
  }
}

/**
 * Returns the pages of all instances, or of those with a status, as lists show them.
 * @param {Job} job
 * @param {"changed" | "failed"} [status]
 * @returns {Promise<Set<string>>}
 */
export async function instancePages({ product, site, objectId }, status) {
  /** @type {Set<string>} */
  const pages = new Set();
  for (let offset = 0; ; offset += 1000) {
    const { items, hasMore } = await product.rest.call("listTestInstances", {
      params: { id: objectId },
      query: { limit: 1000, offset, status },
    });
    for (const { url } of items) pages.add(url.startsWith(site.url) ? url.slice(site.url.length) : url);
    if (!hasMore) return pages;
  }
}

/** @param {readonly import("./snapshot-rows.mjs").SnapshotRow[]} rows @param {string} root */
export async function wrongHashes(rows, root) {
  const wrong = await Promise.all(rows.map(async (row) => sha256(await readFile(join(root, row.page))) !== row.hash));
  return wrong.filter(Boolean).length;
}

/** @param {readonly import("./snapshot-rows.mjs").SnapshotRow[]} rows */
export function pagesOf(rows) {
  return new Set(rows.map((row) => row.page));
}

/** Whether a reason is written for a person: at least ten characters, several words, no stack. @param {string | null} reason */
export function isReadable(reason) {
  return reason !== null && reason.length >= 10 && reason.includes(" ") && !/\n\s+at /.test(reason);
}

/** @param {import("../corpus/serve.mjs").ServeStats} served @param {string} path */
export function askedTwice(served, path) {
  return [...served.byPath].filter(([asked, times]) => asked.startsWith(path) && times > 1).length;
}

/**
 * @template {{ linesAdded: number }} T
 * @param {readonly T[]} rows
 * @param {number} most
 * @returns {T[]}
 */
export function spread(rows, most) {
  const largest = rows.toSorted((a, b) => b.linesAdded - a.linesAdded).slice(0, 3);
  const step = Math.max(1, Math.ceil(rows.length / Math.max(1, most - largest.length)));
  return [...new Set([...largest, ...rows.filter((_, index) => index % step === 0)])];
}
