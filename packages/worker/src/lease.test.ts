import { afterEach, beforeEach, expect, jest, test } from "@jest/globals";
import { keepLease, leaseMsOf } from "./lease.js";

const ackWaitMs = 10_000;
let clock = 0;

beforeEach(() => {
  clock = 0;
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

const lease = () =>
  keepLease(
    [{ id: "a", fence: 1 }],
    ackWaitMs,
    async (held) => held.map(({ id }) => id),
    () => undefined,
    () => clock,
  );

function pass(ms: number): void {
  clock += ms;
  jest.advanceTimersByTime(ms);
}

test("a process that hears every tick has not slept, however long its work takes", () => {
  const kept = lease();
  for (let second = 0; second < 120; second++) pass(1_000);
  expect(kept.slept()).toBe(false);
  expect(kept.holds("a")).toBe(true);
  kept.end();
});

test("a process that was deaf for longer than its lease has slept, before and after it hears again", () => {
  const kept = lease();
  pass(1_000);
  clock += leaseMsOf(ackWaitMs) + 1_000; // no timer fired meanwhile
  expect(kept.slept()).toBe(true);
  jest.advanceTimersByTime(ackWaitMs / 4);
  expect(kept.slept()).toBe(true);
  kept.end();
});

test("a pause that the lease outlasts is none", () => {
  const kept = lease();
  clock += leaseMsOf(ackWaitMs) - 1;
  expect(kept.slept()).toBe(false);
  kept.end();
});
