import { expect, test } from "@jest/globals";
import { limits } from "@web-tester/contracts/limits";
import fc from "fast-check";
import type { ConsoleLine } from "./console-line.js";
import { appendLines, mergeHistory } from "./line-buffer.js";

const line = (n: number, via = 1): ConsoleLine => ({
  id: String(n),
  level: "info",
  message: `line ${n}`,
  ts: n,
  jobId: "run",
  via,
});
const lines = (...numbers: number[]) => numbers.map((n) => line(n));
const numbersOf = (list: readonly ConsoleLine[]) => list.map(({ id }) => Number(id));

test("new lines go to the end, known ones stay where they are", () => {
  const before = lines(1, 2);
  const { lines: after, added } = appendLines(before, lines(2, 3, 3, 4));
  expect(numbersOf(after)).toEqual([1, 2, 3, 4]);
  expect(added).toBe(2);
  expect(appendLines(before, lines(1)).lines).toBe(before);
});

test("the newest 200 are kept", () => {
  const many = Array.from({ length: 150 }, (_, n) => line(n));
  const more = Array.from({ length: 150 }, (_, n) => line(150 + n));
  const { lines: kept } = appendLines(appendLines([], many).lines, more);
  expect(numbersOf(kept)).toEqual(Array.from({ length: 200 }, (_, n) => 100 + n));
});

test("a history fills the gap of a break, and says which server each held line came through", () => {
  const { lines: after, added } = mergeHistory([line(1, 7), line(2, 7)], [line(2, 8), line(3, 8), line(4, 8)]);
  expect(numbersOf(after)).toEqual([1, 2, 3, 4]);
  expect(after.map(({ via }) => via)).toEqual([7, 7, 8, 8]);
  expect(added).toBe(2);
});

test("whatever comes: never more than kept, no line twice, a history stays in its order", () => {
  const numbers = fc.array(fc.integer({ min: 0, max: 400 }), { maxLength: 300 });
  fc.assert(
    fc.property(numbers, numbers, (held, told) => {
      const { lines: after } = mergeHistory(appendLines([], lines(...held)).lines, lines(...told));
      const shown = numbersOf(after);
      expect(shown.length).toBeLessThanOrEqual(limits.consoleLinesKept);
      expect(new Set(shown).size).toBe(shown.length);
      const order = [...new Set(told)].slice(-limits.consoleLinesKept);
      expect(shown.slice(shown.length - order.length)).toEqual(order);
    }),
  );
});
