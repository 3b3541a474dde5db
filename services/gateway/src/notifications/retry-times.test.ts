import { expect, test } from "@jest/globals";
import { nextTry } from "./retry-times.js";

test("a receiver that is away is tried for three days, ever more seldom, and then given up", () => {
  const first = new Date("2026-11-24T00:00:00Z");
  const tries = [first];
  for (let now: Date | null = first; (now = nextTry(tries.length, first, now)) !== null;) tries.push(now);
  const gaps = tries.slice(1).map((at, index) => at.getTime() - (tries[index]?.getTime() ?? 0));
  expect(gaps.slice(0, 4)).toEqual([5_000, 30_000, 120_000, 600_000]);
  expect(gaps.every((gap, index) => index === 0 || gap >= (gaps[index - 1] ?? 0))).toBe(true);
  const last = tries.at(-1)?.getTime() ?? 0;
  expect((last - first.getTime()) / 3_600_000).toBeGreaterThan(60);
  expect((last - first.getTime()) / 3_600_000).toBeLessThanOrEqual(72);
});

test("a receiver that says when is obeyed, within the three days", () => {
  const now = new Date("2026-11-24T00:00:00Z");
  expect(nextTry(1, now, now, { waitMs: 60_000 })).toEqual(new Date("2026-11-24T00:01:00Z"));
  expect(nextTry(1, now, now, { waitMs: 4 * 24 * 3_600_000 })).toBeNull();
});
