import { expect, test } from "@jest/globals";
import type { TestSnapshotSummary } from "@web-tester/contracts/entities/snapshot";
import { streaksOf } from "./streaks.js";

const snapshot = (number: number, state: "done" | "failed", status: number) =>
  ({ number, state, http_status: status, error: state === "failed" ? `HTTP ${status}` : null }) as TestSnapshotSummary;

test("failures of one kind that follow one another are one entry", () => {
  const all = [
    snapshot(7, "failed", 503),
    snapshot(6, "failed", 503),
    snapshot(5, "failed", 500),
    snapshot(4, "done", 200),
    snapshot(3, "done", 200),
    snapshot(2, "failed", 503),
  ];
  expect(streaksOf(all).map((streak) => streak.map((one) => one.snapshot.number))).toEqual([
    [7, 6],
    [5],
    [4],
    [3],
    [2],
  ]);
  expect(
    streaksOf(all)
      .flat()
      .map(({ index }) => index),
  ).toEqual([0, 1, 2, 3, 4, 5]);
  expect(streaksOf([])).toEqual([]);
});
