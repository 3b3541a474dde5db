// @ts-check
/**
 * Compares every page of one tree with the page of the same name in another, by one engine, in a process of its own:
 * `engine.mjs <engine> <folder a> <folder b>` prints `{ cpu, engineCpu, changed }`, CPU seconds from the first
 * read to the last result, and those of the comparing alone.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { compare } from "@web-tester/diff/compare";
import { countChangedLines } from "@web-tester/diff/count-changes";
import { diffLines } from "diff";
import { diff as fastMyers } from "fast-myers-diff";

const [engine = "", rootA = "", rootB = ""] = process.argv.slice(2);
const names = readdirSync(rootA, { recursive: true, encoding: "utf8" }).filter((name) => /\.html?$/i.test(name));

/** @type {Record<string, (a: string, b: string) => number>} lines added and removed */
const engines = {
  "ours count": (a, b) => {
    const { added, removed } = countChangedLines(a, b);
    return added + removed;
  },
  "ours lines+words": (a, b) => {
    const { added, removed } = compare(a, b, { by: "lines" });
    return added + removed;
  },
  "ours lines": (a, b) => {
    const { added, removed } = compare(a, b, { by: "lines", marks: false });
    return added + removed;
  },
  "npm diff": (a, b) => diffLines(a, b).reduce((sum, part) => sum + (part.added || part.removed ? part.count : 0), 0),
  "fast-myers-diff": (a, b) => {
    const [linesA, linesB] = [a.split("\n"), b.split("\n")];
    let changed = 0;
    for (const [fromA, toA, fromB, toB] of fastMyers(linesA, linesB)) changed += toA - fromA + toB - fromB;
    return changed;
  },
};
const run = engines[engine];
if (run === undefined) throw new Error(`There is no engine "${engine}"`);

const before = process.cpuUsage();
let engineCpu = 0;
let changed = 0;
for (const name of names) {
  const [a, b] = [readFileSync(join(rootA, name)), readFileSync(join(rootB, name))];
  if (a.equals(b)) continue;
  const [textA, textB] = [a.toString("utf8"), b.toString("utf8")];
  const began = process.cpuUsage();
  changed += run(textA, textB);
  engineCpu += secondsSince(began);
}
console.log(JSON.stringify({ cpu: secondsSince(before), engineCpu, changed }));

/** @param {NodeJS.CpuUsage} began */
function secondsSince(began) {
  const { user, system } = process.cpuUsage(began);
  return (user + system) / 1e6;
}
