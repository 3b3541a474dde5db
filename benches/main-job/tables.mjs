// @ts-check
import { markdownTable, median, verdict } from "../lib/report.mjs";

/**
 * Returns a table with each check once: its figures in all jobs side by side, with the worst verdict in front.
 * @param {readonly import("../lib/report.mjs").Check[]} checks
 */
export function checkTable(checks) {
  /** @type {Map<string, import("../lib/report.mjs").Check[]>} */
  const same = new Map();
  for (const check of checks) {
    const key = `${check.step}\n${check.what}`;
    same.set(key, [...(same.get(key) ?? []), check]);
  }
  const rows = [...same.values()].map((list) => {
    const worst = list.find((check) => !check.ok) ?? list[0];
    return [
      worst === undefined ? "" : verdict(worst),
      worst?.step ?? "",
      worst?.what ?? "",
      [...new Set(list.map((check) => check.seen))].join(" / "),
      worst?.expected ?? "",
    ];
  });
  return markdownTable(["", "step", "what", "seen", "expected"], rows);
}

/**
 * Returns a table of time, CPU and memory of each phase: medians over the jobs.
 * @param {readonly import("./run-job.mjs").JobResult[]} results at least one
 */
export function phaseTable(results) {
  const phases = results[0]?.phases ?? [];
  const names = [...new Set(phases.flatMap((phase) => phase.use.map((part) => part.name)))];
  const over = (/** @type {number} */ index, /** @type {(phase: import("./phase.mjs").Phase) => number} */ value) =>
    median(results.flatMap((result) => result.phases.slice(index, index + 1).map(value)));
  const rows = phases.map((phase, index) => [
    phase.name,
    over(index, (one) => one.seconds).toFixed(1),
    over(index, (one) => one.settleSeconds).toFixed(1),
    over(index, (one) => one.served.requests).toFixed(0),
    over(index, (one) => one.served.maxInFlight).toFixed(0),
    ...names.map((name) => {
      const part = (/** @type {import("./phase.mjs").Phase} */ one) => one.use.find((use) => use.name === name);
      return `${over(index, (one) => part(one)?.cpuSeconds ?? 0).toFixed(1)} s, ${over(index, (one) => (part(one)?.peakBytes ?? 0) / 2 ** 20).toFixed(0)} MB`;
    }),
  ]);
  return markdownTable(
    ["phase", "seconds", "then differ", "requests", "at once", ...names.map((name) => `${name}: CPU, peak`)],
    rows,
  );
}

/**
 * Returns a table of what the fetch of the unchanged site added: medians over the jobs.
 * @param {readonly import("./run-job.mjs").JobResult[]} results at least one
 * @param {number} pages
 */
export function growthTable(results, pages) {
  const kinds = /** @type {const} */ (["database", "tables", "blobBytes", "contentRows", "blobs"]);
  const words = {
    database: "database (pg_database_size)",
    tables: "tables with indexes",
    blobBytes: "blobs",
    contentRows: "content rows",
    blobs: "blob files",
  };
  const mid = (/** @type {(growth: import("./run-job.mjs").JobResult["growth"]) => number} */ value) =>
    median(results.map((result) => value(result.growth)));
  return markdownTable(
    ["third, unchanged fetch", "before", "after", "growth", "growth per page"],
    kinds.map((kind) => {
      const grown = mid(({ before, after }) => after[kind] - before[kind]);
      return [
        words[kind],
        whole(mid(({ before }) => before[kind])),
        whole(mid(({ after }) => after[kind])),
        whole(grown),
        `${(grown / pages).toFixed(0)}${kind === "contentRows" || kind === "blobs" ? "" : " bytes"}`,
      ];
    }),
  );
}

/** @param {number} value */
function whole(value) {
  return Math.round(value).toLocaleString("en-US");
}
