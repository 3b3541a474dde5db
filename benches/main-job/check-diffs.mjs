// @ts-check
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { applyHunks } from "../lib/apply-hunks.mjs";

/**
 * Requests the hunks of changed pages and rebuilds the new page from the old one with them.
 * @param {import("../lib/rest-client.mjs").RestClient} rest
 * @param {readonly import("./snapshot-rows.mjs").SnapshotRow[]} rows snapshots with a change
 * @param {{ before: string, after: string }} folders of the two versions, whose files must equal the sides of the diffs
 * @returns {Promise<{ pages: number, faults: string[], linesAdded: number, linesRemoved: number, slowestMs: number }>}
 */
export async function checkDiffs(rest, rows, folders) {
  const result = {
    pages: rows.length,
    faults: /** @type {string[]} */ ([]),
    linesAdded: 0,
    linesRemoved: 0,
    slowestMs: 0,
  };
  for (const row of rows) {
    const startedAt = performance.now();
    const diff = await rest.call("getDiffHunks", { query: { a: row.previousId ?? "", b: row.id, diffType: "lines" } });
    result.slowestMs = Math.max(result.slowestMs, performance.now() - startedAt);
    result.linesAdded += diff.added;
    result.linesRemoved += diff.removed;
    const fault = await faultOf(rest, row, diff, folders);
    if (fault !== undefined) result.faults.push(`${row.page}: ${fault}`);
  }
  return result;
}

/**
 * @param {import("../lib/rest-client.mjs").RestClient} rest
 * @param {import("./snapshot-rows.mjs").SnapshotRow} row
 * @param {import("@web-tester/contracts/entities/compare").DiffHunks} diff
 * @param {{ before: string, after: string }} folders
 * @returns {Promise<string | undefined>} what is wrong
 */
async function faultOf(rest, row, diff, folders) {
  const [a, b] = await Promise.all([htmlOf(rest, row.previousId ?? ""), htmlOf(rest, row.id)]);
  if (a !== (await readFile(join(folders.before, row.page), "utf8")))
    return "the old snapshot is not the page that was served";
  if (b !== (await readFile(join(folders.after, row.page), "utf8")))
    return "the new snapshot is not the page that was served";
  if (diff.identical) return "called identical";
  if (diff.added !== row.linesAdded || diff.removed !== row.linesRemoved)
    return `+${diff.added} −${diff.removed}, but the recorded change says +${row.linesAdded} −${row.linesRemoved}`;
  const lines = diff.hunks.flatMap((hunk) => hunk.lines);
  const [added, removed] = [
    lines.filter((line) => line.kind === "added").length,
    lines.filter((line) => line.kind === "removed").length,
  ];
  if (added !== diff.added || removed !== diff.removed)
    return `its hunks add ${added} and remove ${removed} lines, it says +${diff.added} −${diff.removed}`;
  try {
    const rebuilt = applyHunks(toLines(a), diff.hunks).join("\n");
    return rebuilt === toLines(b).join("\n")
      ? undefined
      : "applying the hunks to the old page does not give the new one";
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** @param {import("../lib/rest-client.mjs").RestClient} rest @param {string} id */
async function htmlOf(rest, id) {
  const snapshot = await rest.call("getTestSnapshot", { params: { id } });
  if (Array.isArray(snapshot)) throw new Error(`Snapshot ${id} was answered with a list`);
  return snapshot.html;
}

/** Splits a text into lines without their "\n"; a final "\n" does not begin another line. @param {string} text */
function toLines(text) {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}
