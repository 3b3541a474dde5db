import { setTimeout as wait } from "node:timers/promises";
import { afterEach, beforeEach, expect, jest, test } from "@jest/globals";
import { every } from "./every.js";

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

const never = (error: unknown) => {
  throw error;
};

test("works when the time has come, not at once, and again and again", async () => {
  const work = jest.fn(async () => undefined);
  const repeating = every(100, work, never);
  expect(work).toHaveBeenCalledTimes(0);
  await jest.advanceTimersByTimeAsync(350);
  expect(work).toHaveBeenCalledTimes(3);
  await repeating.stop();
  await jest.advanceTimersByTimeAsync(350);
  expect(work).toHaveBeenCalledTimes(3);
});

test("never overlaps itself; turns that it was too slow for are left out", async () => {
  let underWay = 0;
  let most = 0;
  const work = jest.fn(async () => {
    most = Math.max(most, ++underWay);
    await new Promise((resolve) => setTimeout(resolve, 250));
    underWay--;
  });
  const repeating = every(100, work, never);
  await jest.advanceTimersByTimeAsync(1_000);
  expect(most).toBe(1);
  expect(work).toHaveBeenCalledTimes(4);
  const stopped = repeating.stop();
  await jest.advanceTimersByTimeAsync(250);
  await stopped;
});

test("a nudge begins at once, or once more after what is under way", async () => {
  const done: string[] = [];
  const work = async () => {
    done.push("begun");
    await new Promise((resolve) => setTimeout(resolve, 10));
    done.push("ended");
  };
  const repeating = every(1_000, work, never);
  repeating.nudge();
  repeating.nudge();
  repeating.nudge();
  await jest.advanceTimersByTimeAsync(100);
  expect(done).toEqual(["begun", "ended", "begun", "ended"]);
  await repeating.stop();
});

test("an error ends a turn and is told, and the next turn comes", async () => {
  const told = jest.fn();
  const repeating = every(
    100,
    async () => {
      throw new Error("the database is away");
    },
    told,
  );
  await jest.advanceTimersByTimeAsync(250);
  expect(told).toHaveBeenCalledTimes(2);
  await repeating.stop();
});

test("stop tells the work and waits for it, and says nothing of how it broke off", async () => {
  jest.useRealTimers();
  const told = jest.fn();
  let hasEnded = false;
  const repeating = every(
    60_000,
    async (signal) => {
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      await wait(5);
      hasEnded = true;
      throw new Error("broken off");
    },
    told,
  );
  repeating.nudge();
  await repeating.stop();
  expect(hasEnded).toBe(true);
  expect(told).not.toHaveBeenCalled();
  repeating.nudge();
});
