import { afterEach, beforeEach, expect, jest, test } from "@jest/globals";
import type { Queryable } from "./database.js";
import { gatherReads } from "./gather-reads.js";

/** Reads that the test answers by hand: `begun` tells the keys of each read. */
function openReads() {
  const begun: { db: Queryable; keys: readonly string[]; answer: () => void; fail: (error: Error) => void }[] = [];
  let reads = 0;
  const read = gatherReads<string, string>(
    (key) => key.toLowerCase(),
    (db, keys) =>
      new Promise((resolve, reject) => {
        const number = ++reads;
        const answer = () => resolve(keys.map((key) => (key === "none" ? null : `${key} of read ${number}`)));
        begun.push({ db, keys, answer, fail: reject });
      }),
  );
  return { begun, read };
}
const database: Queryable = { query: async () => [] };
const settled = () => new Promise((resolve) => setImmediate(resolve));

// fake timers, because on a busy machine a moment may be longer than the time limit of a read
beforeEach(() => void jest.useFakeTimers({ doNotFake: ["setImmediate", "queueMicrotask", "nextTick"] }));
afterEach(() => void jest.useRealTimers());

test("whoever comes first waits for nobody, who comes while a read is under way is read together with the others", async () => {
  const { begun, read } = openReads();
  const first = read(database, "a");
  await settled();
  const others = ["b", "c", "none"].map((key) => read(database, key));
  await settled();
  expect(begun.map(({ keys }) => keys)).toEqual([["a"]]);
  begun[0]?.answer();
  await settled();
  expect(begun.map(({ keys }) => keys)).toEqual([["a"], ["b", "c", "none"]]);
  begun[1]?.answer();
  await expect(Promise.all([first, ...others])).resolves.toEqual(["a of read 1", "b of read 2", "c of read 2", null]);
});

test("a read that takes long holds up nobody", async () => {
  const { begun, read } = openReads();
  const slow = read(database, "slow");
  await settled();
  const other = read(database, "other");
  await settled();
  expect(begun).toHaveLength(1);
  jest.advanceTimersByTime(10);
  await settled();
  expect(begun).toHaveLength(2);
  begun[1]?.answer();
  await expect(other).resolves.toBe("other of read 2");
  begun[0]?.answer();
  await expect(slow).resolves.toBe("slow of read 1");
});

test("who asks for the same shares the row, and never one that was read before they asked", async () => {
  const { begun, read } = openReads();
  const early = read(database, "a");
  await settled();
  const late = [read(database, "a"), read(database, "A")];
  begun[0]?.answer();
  await expect(early).resolves.toBe("a of read 1");
  await settled();
  expect(begun.map(({ keys }) => keys)).toEqual([["a"], ["a"]]);
  begun[1]?.answer();
  await expect(Promise.all(late)).resolves.toEqual(["a of read 2", "a of read 2"]);
});

test("a failure reaches those it was read for and nobody after them", async () => {
  const { begun, read } = openReads();
  const lost = read(database, "a");
  const held = read(database, "b");
  await settled();
  begun[0]?.fail(new Error("lost"));
  await expect(lost).rejects.toThrow("lost");
  await expect(held).rejects.toThrow("lost");
  const after = read(database, "a");
  await settled();
  begun[1]?.answer();
  await expect(after).resolves.toBe("a of read 2");
});

test("one database does not answer for another, as a transaction sees what others do not", async () => {
  const { begun, read } = openReads();
  const transaction: Queryable = { query: async () => [] };
  const outside = read(database, "a");
  const within = read(transaction, "a");
  await settled();
  expect(begun.map(({ db }) => db === transaction)).toEqual([false, true]);
  for (const { answer } of begun) answer();
  await Promise.all([outside, within]);
});

test("more than a statement should ask for is read by the next one", async () => {
  const { begun, read } = openReads();
  const all = Array.from({ length: 80 }, (_, index) => read(database, `${index}`));
  for (let round = 0; round < 3; round++) {
    await settled();
    for (const { answer } of begun) answer();
  }
  expect(begun.map(({ keys }) => keys.length)).toEqual([32, 32, 16]);
  const rows = await Promise.all(all);
  expect(rows[79]).toBe("79 of read 3");
});
