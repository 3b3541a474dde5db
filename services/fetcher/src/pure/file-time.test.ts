import { expect, test } from "@jest/globals";
import { FileTime, fileDeadlineMs, slowFileMs } from "./file-time.js";

/** Returns how long a file that arrives like this may take, checked whenever its time is over. */
function timeOf({
  isAwaited,
  bytesAt,
  announced,
}: {
  isAwaited: boolean;
  bytesAt(ms: number): number;
  announced: number;
}) {
  const time = new FileTime(() => isAwaited);
  let elapsedMs = fileDeadlineMs;
  for (let looks = 0; looks < 100; looks += 1) {
    const moreMs = time.more({ elapsedMs, bytes: bytesAt(elapsedMs), announced });
    if (moreMs === 0) return elapsedMs;
    elapsedMs += moreMs;
  }
  throw new Error("it never ends");
}

test.each([
  ["one that never ends, before others", true, () => 10_000_000, Number.NaN, fileDeadlineMs],
  ["one that never ends, last of all", false, (ms: number) => ms, Number.NaN, slowFileMs],
  ["one that says nothing, last of all", false, () => 0, Number.NaN, slowFileMs],
  ["one that says nothing, before others", true, () => 0, 1_000, fileDeadlineMs],
  ["one that will be whole in time, before others", true, (ms: number) => ms / 20, 1_000, slowFileMs],
  ["one that will not be whole in time, before others", true, (ms: number) => ms / 40, 1_000, fileDeadlineMs],
  ["one that came quickly and hangs, before others", true, () => 800, 1_000, 20_000],
])("%s, has its time", (_what, isAwaited, bytesAt, announced, ms) => {
  expect(Math.abs(timeOf({ isAwaited, bytesAt, announced }) - ms)).toBeLessThanOrEqual(1_000);
});

test("a file is not to blame for time in which the process was stopped", () => {
  for (const [elapsedMs, wasStopped] of [
    [fileDeadlineMs + 40, false],
    [fileDeadlineMs + 8_000, true],
    [60_000, true],
  ] as const) {
    const time = new FileTime(() => true);
    expect(time.more({ elapsedMs, bytes: 0, announced: Number.NaN })).toBe(0);
    expect(time.wasStopped).toBe(wasStopped);
  }
});
