import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { changeNear, rulerMarks } from "./ruler.js";

const model = (rowCount: number, ...changes: [number, number, boolean, boolean][]) => ({
  rows: Array.from({ length: rowCount }, () => ({
    type: "line" as const,
    a: undefined,
    b: undefined,
    change: undefined,
  })),
  changes: changes.map(([first, last, removed, added]) => ({ first, last, removed, added })),
});

test("changes stand where they are, neighbours of one kind become one mark", () => {
  expect(
    rulerMarks(model(100, [0, 9, true, false], [10, 19, true, false], [50, 50, true, true], [99, 99, false, true]), 10),
  ).toEqual([
    { from: 0, to: 2, removed: true, added: false, share: 4 },
    { from: 5, to: 6, removed: true, added: true, share: 4 },
    { from: 9, to: 10, removed: false, added: true, share: 4 },
  ]);
});

test("every change is on the ruler, however many there are, inside its bounds", () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat(999), { maxLength: 200 }), fc.integer({ min: 1, max: 300 }), (rows, slots) => {
      const marks = rulerMarks(
        model(
          1000,
          ...rows.toSorted((a, b) => a - b).map((row): [number, number, boolean, boolean] => [row, row, true, false]),
        ),
        slots,
      );
      expect(marks.length).toBeLessThanOrEqual(slots);
      for (const row of rows)
        expect(marks.some((mark) => mark.from <= (row / 1000) * slots && (row / 1000) * slots < mark.to)).toBe(true);
      for (const mark of marks) expect(mark.from >= 0 && mark.to <= slots && mark.from < mark.to).toBe(true);
    }),
  );
});

test("where changes crowd, the ruler tells how many rows of each stretch changed", () => {
  const sparse = Array.from({ length: 100 }, (_, index): [number, number, boolean, boolean] => [
    index * 5,
    index * 5,
    true,
    true,
  ]);
  const dense = Array.from({ length: 100 }, (_, index): [number, number, boolean, boolean] => [
    500 + index * 5,
    503 + index * 5,
    true,
    true,
  ]);
  expect(rulerMarks(model(1000, ...sparse, ...dense), 10).map((mark) => [mark.from, mark.to, mark.share])).toEqual([
    [0, 5, 1],
    [5, 10, 4],
  ]);
});

test("the nearest change lies at or after the row, else it is the last", () => {
  const { changes } = model(100, [10, 12, true, true], [50, 50, true, true]);
  expect([0, 11, 13, 99].map((row) => changeNear(changes, row))).toEqual([0, 0, 1, 1]);
  expect(changeNear([], 5)).toBeUndefined();
});
