import { expect, test } from "@jest/globals";
import { followProgress } from "../main-job/phase.mjs";
import { markdownTable, median, Report, verdict } from "./report.mjs";

test("Report fails on a wrong count, not on a missed aim", () => {
  const lines: string[] = [];
  const report = new Report((line: string) => void lines.push(line));
  report.equal("pages", 1167, 1167, "by links");
  report.sameSet("set", new Set(["a"]), new Set(["a"]));
  report.below("time", 60, 61.25, "s", { digits: 1 });
  expect(report.passed).toBe(true);
  expect(report.checks.map(verdict)).toEqual(["OK", "OK", "MISSED"]);
  report.sameSet("pages", new Set(["a", "b"]), new Set(["b", "c"]));
  expect(report.passed).toBe(false);
  expect(lines).toEqual([
    "  OK        pages: 1,167; expected 1,167 (by links)",
    "  OK        set: 1; expected 1",
    "  MISSED    time: 61.3 s; expected < 60 s",
    "  DIFFERENT pages: 2, 1 missing: a; 1 too many: c; expected 2",
  ]);
});

test.each([
  [[3], 3],
  [[1, 9, 2], 2],
  [[4, 1, 3, 2], 2.5],
])("median of %j is %d", (values, expected) => {
  expect(median(values)).toBe(expected);
});

test("markdownTable aligns columns and keeps cells in one piece", () => {
  expect(markdownTable(["a", "long head"], [["x|y", "1\n2"], ["z"]])).toBe(
    "| a    | long head |\n|------|-----------|\n| x\\|y | 1 2       |\n| z    |           |",
  );
});

test("followProgress notices counters that go back or beyond their total", () => {
  const follow = followProgress();
  for (const [completed, failed, total] of [
    [0, 0, 5],
    [3, 1, 5],
    [5, 1, 5],
  ] as const)
    follow.look({ completed, failed, total });
  expect(follow.wrong).toEqual([]);
  follow.look({ completed: 4, failed: 1, total: 5 });
  follow.look({ completed: 6, failed: 1, total: 5 });
  expect(follow.wrong).toEqual([
    "went back: 4 (1 failed) of 5 after 5 (1) of 5",
    "went beyond: 6 (1 failed) of 5 after 4 (1) of 5",
  ]);
});
