import { expect, test } from "@jest/globals";
import { until } from "./until.mjs";

test("a long wait is told, and goes on", async () => {
  const told: number[] = [];
  const found = await until(() => (told.length > 1 ? "there" : undefined), {
    timeoutMs: 60_000,
    everyMs: 1,
    toldEveryMs: 5,
    stillWaiting: (seconds) => told.push(seconds),
  });
  expect(found).toBe("there");
});

test("nothing is told of what is there at once, and an end is an end", async () => {
  const told: number[] = [];
  const options = { everyMs: 1, toldEveryMs: 0, stillWaiting: (seconds: number) => void told.push(seconds) };
  expect(await until(() => "there", { ...options, timeoutMs: 1_000 })).toBe("there");
  expect(told).toEqual([]);
  expect(await until(() => undefined, { ...options, timeoutMs: 5 })).toBeUndefined();
  expect(told.length).toBeGreaterThan(0);
});
