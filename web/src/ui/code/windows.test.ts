import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { windowsOf } from "./windows.js";

test.each([
  ["a short line is drawn whole", 100, [[5, 6]], [], [[0, 100]]],
  ["a long one without marks from its beginning", 10_000, [], [], [[0, 3_000]]],
  ["a long one around its marks", 10_000, [[5_000, 5_010]], [], [[4_700, 5_310]]],
  [
    "marks near one another have one window",
    10_000,
    [
      [5_000, 5_010],
      [5_700, 5_710],
    ],
    [],
    [[4_700, 6_010]],
  ],
  [
    "no button for a few characters at the ends",
    10_000,
    [
      [500, 510],
      [9_500, 9_510],
    ],
    [],
    [
      [0, 810],
      [9_200, 10_000],
    ],
  ],
  ["what was opened", 10_000, [[5_000, 5_010]], [[5_310, 10_000]], [[4_700, 10_000]]],
  ["a mark that is too long is cut", 100_000, [[50_000, 90_000]], [], [[49_700, 52_700]]],
] as const)("%s", (_, length, marks, opened, windows) => {
  expect(windowsOf(length, 3_000, marks, opened)).toEqual(windows);
});

test("windows are ascending, apart, inside the line, and hold the first mark's beginning", () => {
  const range = fc.tuple(fc.nat(50_000), fc.nat(2_000)).map(([from, size]) => [from, from + size + 1] as const);
  fc.assert(
    fc.property(
      fc.array(range, { minLength: 1, maxLength: 30 }),
      fc.array(range, { maxLength: 5 }),
      (marks, opened) => {
        const sorted = marks.toSorted(([a], [b]) => a - b);
        const length = 60_000;
        const windows = windowsOf(length, 3_000, sorted, opened);
        let before = -1;
        for (const [from, to] of windows) {
          expect(from).toBeGreaterThan(before);
          expect(to).toBeGreaterThan(from);
          expect(to).toBeLessThanOrEqual(length);
          before = to;
        }
        const first = sorted[0]?.[0] ?? 0;
        expect(windows.some(([from, to]) => from <= first && first < to)).toBe(true);
      },
    ),
  );
});
