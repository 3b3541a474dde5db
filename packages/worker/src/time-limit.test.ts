import { afterEach, beforeEach, expect, jest, test } from "@jest/globals";
import { limitTime, limitWork } from "./time-limit.js";

beforeEach(() => void jest.useFakeTimers());
afterEach(() => {
  jest.restoreAllMocks();
  jest.useRealTimers();
});

test("ends when the time is over", async () => {
  const limit = limitTime(30_000, () => 0);
  await jest.advanceTimersByTimeAsync(29_999);
  expect(limit.signal.aborted).toBe(false);
  await jest.advanceTimersByTimeAsync(101);
  expect(limit.signal.reason).toMatchObject({ name: "TimeoutError" });
});

test("time in which our own parts were silent does not count", async () => {
  let stalled = 7_000;
  const limit = limitTime(30_000, () => stalled);
  await jest.advanceTimersByTimeAsync(10_000);
  for (let second = 0; second < 57; second++) {
    stalled += 1_000;
    await jest.advanceTimersByTimeAsync(1_000);
  }
  await jest.advanceTimersByTimeAsync(19_000);
  expect(limit.signal.aborted).toBe(false);
  await jest.advanceTimersByTimeAsync(1_200);
  expect(limit.signal.aborted).toBe(true);
});

test("ended, it never comes", async () => {
  const limit = limitTime(10, () => 0);
  limit.end();
  await jest.advanceTimersByTimeAsync(1_000);
  expect(limit.signal.aborted).toBe(false);
});

/** Simulates the CPU time that the process uses from now on: this share of the elapsed time. */
function work(share: number): void {
  const beganAt = performance.now();
  jest.spyOn(process, "cpuUsage").mockImplementation((before) => {
    const user = (performance.now() - beganAt) * share * 1_000 - (before?.user ?? 0);
    return { user, system: 0 };
  });
}

test.each([
  ["at once where the process worked all the time", 1, 12_000],
  ["no earlier where several threads worked", 2, 12_000],
  ["later on a busy machine", 0.25, 48_000],
  ["after ten times as long where it hardly got to work", 0.001, 120_000],
])("work ends %s", async (_when, share, endsMs) => {
  work(share);
  const limit = limitWork(12_000);
  await jest.advanceTimersByTimeAsync(endsMs - 1);
  expect(limit.signal.aborted).toBe(false);
  await jest.advanceTimersByTimeAsync(10_000);
  expect(limit.signal.reason).toMatchObject({ name: "TimeoutError" });
});

test("the sleep of a machine is no work", async () => {
  work(0);
  const limit = limitWork(12_000);
  for (let night = 0; night < 4; night += 1) {
    jest.setSystemTime(Date.now() + 8 * 60 * 60_000);
    jest.spyOn(performance, "now").mockReturnValue(performance.now() + 8 * 60 * 60_000);
    await jest.advanceTimersByTimeAsync(12_000);
  }
  expect(limit.signal.aborted).toBe(false);
  limit.end();
});
