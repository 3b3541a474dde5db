import { afterEach, beforeEach, expect, jest, test } from "@jest/globals";
import { limitTime } from "./time-limit.js";

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

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
