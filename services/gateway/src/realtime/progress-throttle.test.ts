import { expect, test } from "@jest/globals";
import type { ProductEvent } from "@web-tester/contracts/socket";
import { type Clock, ProgressThrottle } from "./progress-throttle.js";

const testobjectId = "0199f3a0-0000-7000-8000-000000000000";
const runOf = (n: number) => `0199f3a0-0000-7000-8000-00000000000${n}`;
const progress = (completed: number, run = 1): ProductEvent => ({
  type: "fetch:progress",
  testobjectId,
  runId: runOf(run),
  total: 100,
  completed,
  failed: 0,
  changed: 0,
  running: completed < 100,
});

/** A clock that stands still until it is moved. */
function createClock() {
  let now = 0;
  const timers = new Map<number, () => void>();
  const clock: Clock = {
    nowMs: () => now,
    after: (delayMs, run) => {
      const at = now + delayMs;
      timers.set(at, run);
      return () => timers.delete(at);
    },
  };
  const move = (ms: number) => {
    now += ms;
    for (const [at, run] of [...timers]) {
      if (at > now) continue;
      timers.delete(at);
      run();
    }
  };
  return { clock, move, timers };
}

function createThrottle() {
  const world = createClock();
  const sent: ProductEvent[] = [];
  return { ...world, sent, throttle: new ProgressThrottle(100, world.clock, (event) => sent.push(event)) };
}

test("the first goes at once, then the newest of each run every 100 ms", () => {
  const { throttle, sent, move } = createThrottle();
  for (let n = 1; n <= 50; n++) {
    throttle.push(progress(n));
    throttle.push(progress(n, 2));
  }
  expect(sent).toEqual([progress(1), progress(1, 2)]);
  move(100);
  expect(sent.slice(2)).toEqual([progress(50), progress(50, 2)]);
  move(1_000);
  expect(sent).toHaveLength(4);
});

test("the last progress of a run is never held back, and nothing older comes after it", () => {
  const { throttle, sent, move } = createThrottle();
  throttle.push(progress(1));
  throttle.push(progress(2));
  throttle.push(progress(100));
  move(1_000);
  expect(sent).toEqual([progress(1), progress(100)]);
});

test("what waits for a run goes before what is said of it next", () => {
  const { throttle, sent } = createThrottle();
  const waiting: ProductEvent = {
    type: "deleteAll:progress",
    testobjectId,
    runId: runOf(1),
    total: 9,
    completed: 8,
    failed: 0,
    running: true,
    mode: "instances",
  };
  const over: ProductEvent = { ...waiting, type: "deleteAll:completed", completed: 9, running: false };
  throttle.push({ ...waiting, completed: 1 });
  throttle.push(waiting);
  throttle.push(over);
  expect(sent).toEqual([{ ...waiting, completed: 1 }, waiting, over]);
});

test("events that are no progress pass at once; stopping calls the timer off", () => {
  const { throttle, sent, timers } = createThrottle();
  const changed: ProductEvent = { type: "snapshot:changed", testobjectId, changes: [] };
  throttle.push(changed);
  throttle.push(changed);
  expect(sent).toEqual([changed, changed]);
  throttle.push(progress(1));
  throttle.push(progress(2));
  expect(timers.size).toBe(1);
  throttle.stop();
  expect(timers.size).toBe(0);
});
