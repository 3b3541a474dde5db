import { expect, test } from "@jest/globals";
import { createStallClock } from "./stall-clock.js";

function clockAt() {
  let at = 0;
  const clock = createStallClock(
    (error) => error instanceof Error && error.message === "silence",
    () => at,
  );
  const ask = () => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    return {
      done: clock.watch(() => promise),
      answer: resolve,
      refuse: () => reject(new Error("refused")),
      giveUp: () => reject(new Error("silence")),
    };
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
  expect(clock.stalledMs()).toBe(30_500);
  pass(60_000);
  expect(clock.stalledMs()).toBe(30_500);
});

test("short answers are no stall", async () => {
  const { clock, ask, pass } = clockAt();
  for (let answers = 0; answers < 10; answers++) {
    const short = ask();
    pass(900);
    short.answer();
    await short.done;
  }
  expect(clock.stalledMs()).toBe(0);
});

test("what hangs is a stall although others are answered, and what several wait for counts once", async () => {
  const { clock, ask, pass } = clockAt();
  const [one, other] = [ask(), ask()];
  for (let answers = 0; answers < 10; answers++) {
    const short = ask();
    pass(900);
    short.answer();
    await short.done;
  }
  expect(clock.stalledMs()).toBe(9_000);
  one.answer();
  await one.done;
  const late = ask();
  pass(1_500);
  other.answer();
  await other.done;
  expect(clock.stalledMs()).toBe(10_500);
  late.answer();
  await late.done;
  pass(60_000);
  expect(clock.stalledMs()).toBe(10_500);
});

test("a refusal is an answer", async () => {
  const { clock, ask, pass } = clockAt();
  const one = ask();
  pass(2_000);
  one.refuse();
  await expect(one.done).rejects.toThrow("refused");
  pass(60_000);
  expect(clock.stalledMs()).toBe(2_000);
});

test("to give up waiting is none, however many do so one after the other, and however long nobody asks again", async () => {
  const { clock, ask, pass } = clockAt();
  const many = Array.from({ length: 40 }, ask);
  pass(10_000);
  for (const one of many) {
    pass(250);
    one.giveUp();
    await expect(one.done).rejects.toThrow("silence");
  }
  expect(clock.stalledMs()).toBe(20_000);
  pass(3_000);
  const next = ask();
  pass(500);
  next.answer();
  await next.done;
  pass(9_000);
  expect(clock.stalledMs()).toBe(23_500);
});
