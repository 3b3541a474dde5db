import { expect, test } from "@jest/globals";
import { findInLines } from "./find-in-lines.js";

test.each<[string[], string, Record<number, [number, number][]>, number[]]>([
  [
    ["Retry-After", "", "a retry-after RETRY-AFTER"],
    "retry-after",
    {
      1: [[0, 11]],
      3: [
        [2, 13],
        [14, 25],
      ],
    },
    [1, 3],
  ],
  [["one\rtwo", "x"], "one\ntwo", { 1: [[0, 7]] }, [1]],
  [["a+b (c)", "a+B"], "a+b", { 1: [[0, 3]], 2: [[0, 3]] }, [1, 2]],
  [["one", "two", "three"], "ne\ntwo\nth", { 1: [[1, 3]], 2: [[0, 3]], 3: [[0, 2]] }, [1]],
  [
    ["aaaa"],
    "aa",
    {
      1: [
        [0, 2],
        [2, 4],
      ],
    },
    [1],
  ],
  [
    ["ıI i", "İ"],
    "i",
    {
      1: [
        [1, 2],
        [3, 4],
      ],
    },
    [1],
  ],
  [["x"], "", {}, []],
  [[], "x", {}, []],
])("%j has %j", (lines, phrase, marks, begins) => {
  const found = findInLines(lines, phrase);
  expect(Object.fromEntries(found.marks)).toEqual(marks);
  expect(found.lines).toEqual(begins);
});
