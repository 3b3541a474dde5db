import { expect, test } from "@jest/globals";
import { createStallClock } from "./stall-clock.js";

function clockAt() {
  let at = 0;
  const clock = createStallClock(() => at);
  const ask = () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    return { done: clock.watch(() => promise), answer: resolve };
  };
  return { clock, ask, pass: (ms: number) => (at += ms) };
}

test("counts the time in which something was asked and nothing answered, also while it goes on", async () => {
  const { clock, ask, pass } = clockAt();
  pass(5_000);
  const first = ask();
  const second = ask();
  pass(30_000);
  expect(clock.stalledMs()).toBe(30_000);
  first.answer();
  await first.done;
  pass(500);
  second.answer();
  await second.done;
  expect(clock.stalledMs()).toBe(30_000);
  pass(60_000);
  expect(clock.stalledMs()).toBe(30_000);
});

test("short answers, and long ones beside which others come, are no stall", async () => {
  const { clock, ask, pass } = clockAt();
  const long = ask();
  for (let answers = 0; answers < 10; answers++) {
    const short = ask();
    pass(900);
    short.answer();
    await short.done;
  }
  long.answer();
  await long.done;
  expect(clock.stalledMs()).toBe(0);
});

test("what fails has been answered", async () => {
  const { clock, pass } = clockAt();
  await expect(
    clock.watch(async () => {
      pass(2_000);
      throw new Error("Connection terminated");
    }),
  ).rejects.toThrow("Connection terminated");
  expect(clock.stalledMs()).toBe(2_000);
});
