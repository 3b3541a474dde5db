import { expect, test } from "@jest/globals";
import { lastDays, toneOf } from "./day-strip.js";

test("the last days end today, over months, years and changes of clocks", () => {
  expect(lastDays(3, new Date(2026, 0, 1, 0, 30))).toEqual(["2025-12-30", "2025-12-31", "2026-01-01"]);
  expect(new Set(lastDays(366, new Date(2026, 10, 24, 23, 59))).size).toBe(366);
});

test("a day is as its worst", () => {
  const day = { day: "2026-11-24", fetches: 2, crawls: 0, changed: 0, failed: 0, run_id: null };
  expect(toneOf(undefined)).toBe("none");
  expect(toneOf(day)).toBe("quiet");
  expect(toneOf({ ...day, changed: 2 })).toBe("changed");
  expect(toneOf({ ...day, changed: 2, failed: 1 })).toBe("failed");
});
