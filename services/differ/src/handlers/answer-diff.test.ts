import { afterEach, beforeEach, expect, jest, test } from "@jest/globals";
import type { DiffResult } from "@web-tester/contracts/messages";
import type { ObjectStore } from "@web-tester/platform/object-store/object-store";
import { createAnswerDiff } from "./answer-diff.js";
import type { LongDiff } from "../steps/compare-worker.js";
import type { Comparer } from "../steps/comparer.js";

const side = (letter: string) => ({ sha256: letter.repeat(64), charset: "utf-8" });
const question = { a: side("a"), b: side("b"), by: "lines", context: 3 };
const figures = { added: 1, removed: 1, aLines: 2, bLines: 2, coarse: false, tagwise: false };
const short = { ...figures, hunks: [] } as unknown as DiffResult;
const long = { figures, hunks: Buffer.from("[]") } as unknown as LongDiff;

let compared: number;
let stored: Set<string>;
beforeEach(() => {
  jest.useFakeTimers();
  // the cache treats a time of 0 as no time
  jest.advanceTimersByTime(1);
  compared = 0;
  stored = new Set();
});
afterEach(() => {
  jest.useRealTimers();
});

function answering(found: DiffResult | LongDiff) {
  const store = {
    write: async (hash: Buffer) => {
      stored.add(hash.toString("hex"));
      return { storedSize: 2 };
    },
    has: async (hash: Buffer) => stored.has(hash.toString("hex")),
  };
  const comparer = {
    compare: async () => {
      compared += 1;
      return found;
    },
  };
  return createAnswerDiff(store as unknown as ObjectStore, comparer as unknown as Comparer);
}

test("compares a pair once, and again for other options", async () => {
  const answer = answering(short);
  const first = await answer(question);
  expect([await answer(question), compared]).toEqual([first, 1]);
  await answer({ ...question, context: 4 });
  await answer({ ...question, by: "words" });
  expect(compared).toBe(3);
});

test("compares a pair with a large answer once, as long as that answer is in the object store", async () => {
  const answer = answering(long);
  const first = await answer(question);
  expect(first).toMatchObject({ storedHunks: [...stored][0] });
  expect([await answer(question), compared]).toEqual([first, 1]);
  stored.clear();
  expect([await answer(question), compared, stored.size]).toEqual([first, 2, 1]);
});

test("writes a large answer again before it is old enough to be collected", async () => {
  const answer = answering(long);
  await answer(question);
  jest.advanceTimersByTime(29 * 60_000);
  await answer(question);
  expect(compared).toBe(1);
  jest.advanceTimersByTime(2 * 60_000);
  await answer(question);
  expect(compared).toBe(2);
});

test("forgets what was asked longest ago where many pairs are asked about", async () => {
  const answer = answering(long);
  for (let context = 0; context < 300; context += 1) await answer({ ...question, context });
  await answer({ ...question, context: 299 });
  expect(compared).toBe(300);
  await answer({ ...question, context: 0 });
  expect(compared).toBe(301);
});
