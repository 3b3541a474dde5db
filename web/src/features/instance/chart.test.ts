import { expect, test } from "@jest/globals";
import { chartOf } from "./chart.js";

const snapshot = (number: number, lines_added: number, lines_removed: number, state: "done" | "failed" = "done") => ({
  id: `s${number}`,
  number,
  created_at: "2026-11-21T11:00:00.000Z",
  lines_added,
  lines_removed,
  state,
});

test("newest first becomes oldest first, cut to the newest", () => {
  expect(
    chartOf([snapshot(4, 0, 0), snapshot(3, 0, 0), snapshot(2, 0, 0), snapshot(1, 0, 0)], 3, 40, 20).map(
      (column) => column.number,
    ),
  ).toEqual([2, 3, 4]);
});

test("the largest change fills its side, the smallest is seen, none draws nothing", () => {
  const [large, small, none, failed] = chartOf(
    [snapshot(4, 0, 0, "failed"), snapshot(3, 0, 0), snapshot(2, 1, 1), snapshot(1, 100_000, 0)],
    9,
    40,
    20,
  );
  expect(large).toMatchObject({ up: 40, down: 0 });
  expect(small).toMatchObject({ up: 2, down: 2 });
  expect(none).toMatchObject({ up: 0, down: 0, failed: false });
  expect(failed).toMatchObject({ up: 0, failed: true });
});

test("numbers that are wider than a column stand below every second one, the newest among them", () => {
  const numbered = (newest: number) =>
    chartOf(
      [0, 1, 2, 3].map((back) => snapshot(newest - back, 0, 0)),
      14,
      40,
      20,
    )
      .filter(({ isNumbered }) => isNumbered)
      .map(({ number }) => number);
  expect(numbered(99)).toEqual([96, 97, 98, 99]);
  expect(numbered(101)).toEqual([99, 101]);
});
