import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { compare } from "@web-tester/diff/compare";
import { mergeLines } from "./merge-lines.js";

const without = (text: string, ranges: readonly (readonly [number, number])[]) => {
  let [left, at] = ["", 0];
  for (const [from, to] of ranges) {
    left += text.slice(at, from);
    at = to;
  }
  return left + text.slice(at);
};

test("what went stands before what came in its place", () => {
  const merged = mergeLines({ text: "in three days", marks: [[3, 8]] }, { text: "in two long days", marks: [[3, 11]] });
  expect(merged).toEqual({ text: "in threetwo long days", removed: [[3, 8]], added: [[8, 16]] });
});

test.each([
  [
    "nothing but white space stays",
    {
      text: "a b",
      marks: [
        [0, 1],
        [2, 3],
      ],
    },
    {
      text: "c d",
      marks: [
        [0, 1],
        [2, 3],
      ],
    },
  ],
  ["different parts stay", { text: "ab", marks: [[0, 1]] }, { text: "ac", marks: [[0, 1]] }],
  ["nobody looked for what stays", { text: "ab", marks: undefined }, { text: "ab", marks: [] }],
] as const)("no one line where %s", (_, a, b) => {
  expect(mergeLines(a, b)).toBeNull();
});

test("without what came it is the old line, without what went the new one", () => {
  const word = fc.constantFrom("one", "two", "three", " ", "<b>", "x=1", "é", "");
  const line = fc.array(word, { maxLength: 20 }).map((words) => words.join(" "));
  let merges = 0;
  fc.assert(
    fc.property(line, line, fc.constantFrom("words" as const, "chars" as const), (one, other, by) => {
      const { hunks } = compare(one, other, { by });
      const lines = hunks.flatMap((hunk) => hunk.lines);
      const [a, b] = [lines.find(({ kind }) => kind === "removed"), lines.find(({ kind }) => kind === "added")];
      if (a === undefined || b === undefined) return;
      const merged = mergeLines({ text: a.text, marks: a.marks }, { text: b.text, marks: b.marks });
      if (merged === null) return;
      merges += 1;
      expect(without(merged.text, merged.added)).toBe(one);
      expect(without(merged.text, merged.removed)).toBe(other);
    }),
    { numRuns: 500 },
  );
  expect(merges).toBeGreaterThan(100);
});
