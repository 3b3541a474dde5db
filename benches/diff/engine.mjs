// @ts-check
/**
 * Compares every page of one tree with the page of the same name in another, by one engine, in its own process:
 * `engine.mjs <engine> <folder a> <folder b>` prints `{ cpu, changed }`, CPU seconds from the first read to the last
 * result. (Reading a clock around each pair would cost more than comparing it.)
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { compare } from "@web-tester/diff/compare";
import { countChangedLines } from "@web-tester/diff/lines/count-changes";
import { utf8As } from "@web-tester/html/charset/decode-as";
import { diffLines } from "diff";
import { diff as fastMyers } from "fast-myers-diff";

const [engine = "", rootA = "", rootB = ""] = process.argv.slice(2);
const names = readdirSync(rootA, { recursive: true, encoding: "utf8" }).filter((name) => /\.html?$/i.test(name));

/** @param {(a: string, b: string) => number} compareTexts @returns {(a: Buffer, b: Buffer) => number} */
const decoded = (compareTexts) => (a, b) => compareTexts(a.toString("utf8"), b.toString("utf8"));

/** @type {Record<string, (a: Buffer, b: Buffer) => number>} lines added and removed */
const engines = {
  "reading alone": () => 0,
  "ours count": (a, b) => {
    const { added, removed } = countChangedLines(utf8As(a, "utf-8"), utf8As(b, "utf-8"));
    return added + removed;
  },
  "ours lines+words": decoded((a, b) => {
    const { added, removed } = compare(a, b, { by: "lines" });
    return added + removed;
  }),
  "ours lines": decoded((a, b) => {
    const { added, removed } = compare(a, b, { by: "lines", marks: "none" });
    return added + removed;
  }),
  "npm diff": decoded((a, b) =>
    diffLines(a, b).reduce((sum, part) => sum + (part.added || part.removed ? part.count : 0), 0),
  ),
  "fast-myers-diff": decoded((a, b) => {
    const [linesA, linesB] = [a.split("\n"), b.split("\n")];
    let changed = 0;
    for (const [fromA, toA, fromB, toB] of fastMyers(linesA, linesB)) changed += toA - fromA + toB - fromB;
    return changed;
  }),
};
const run = engines[engine];
if (run === undefined) throw new Error(`There is no engine "${engine}"`);

const before = process.cpuUsage();
let changed = 0;
for (const name of names) {
  const [a, b] = [readFileSync(join(rootA, name)), readFileSync(join(rootB, name))];
  if (!a.equals(b)) changed += run(a, b);
}
const { user, system } = process.cpuUsage(before);
console.log(JSON.stringify({ cpu: (user + system) / 1e6, changed }));
