import { expect, jest, test } from "@jest/globals";
import type { Delivery } from "@web-tester/platform/bus/bus";
import type { Database } from "@web-tester/platform/database/database";
import { type RowOutcome, type RowWork, runRows } from "./run-rows.js";

interface Row {
  id: string;
  fence: number;
}
const rowsNamed = (...ids: string[]): Row[] => ids.map((id) => ({ id, fence: 1 }));

/** Records which statements gave rows back: their ids, and whether the attempt was left uncounted. */
function setUp(outcomes: Record<string, RowOutcome | Error>, more: Partial<RowWork<Row>> = {}) {
  const released: [ids: unknown, uncounted: unknown][] = [];
  const db = {
    query: async (_sql: unknown, [ids, , uncounted]: unknown[] = []) => {
      released.push([ids, uncounted]);
      return [];
    },
  } as unknown as Database;
  const delivery = { ackWaitMs: 60_000, working: () => undefined } as unknown as Delivery;
  const worked: string[] = [];
  const work: RowWork<Row> = {
    ...{ db, table: "crawl_page", ids: Object.keys(outcomes), delivery, signal: new AbortController().signal },
    apart: (message) => message.claim(false).then((claimed) => message.work(claimed)),
    claim: async () => rowsNamed(...Object.keys(outcomes)),
    work: async ({ id }) => {
      worked.push(id);
      const outcome = outcomes[id];
      if (outcome instanceof Error) throw outcome;
      return outcome ?? { kind: "settled" };
    },
    ...more,
  };
  return { released, worked, run: () => runRows(work) };
}

test("what is settled is recorded while the next is worked on, and nothing is given back", async () => {
  const order: string[] = [];
  const { promise: written, resolve } = Promise.withResolvers<void>();
  const record = async () => {
    order.push("recording");
    await written;
    order.push("recorded");
    return "recorded" as const;
  };
  const { run, released, worked } = setUp(
    { a: { kind: "settled", record }, b: { kind: "settled" } },
    {
      worked: () => {
        order.push("worked");
        resolve();
      },
    },
  );
  expect(await run()).toEqual({ done: true });
  expect(worked).toEqual(["a", "b"]);
  expect(order).toEqual(["recording", "worked", "recorded"]);
  expect(released).toEqual([]);
});

test("a row for later counts as failed, the others go on, and the message comes back when its time has come", async () => {
  const { run, released, worked } = setUp({
    a: { kind: "later", delayMs: 7_000, isCounted: true },
    b: { kind: "settled" },
  });
  expect(await run()).toEqual({ done: false, retryInMs: 7_000 });
  expect(worked).toEqual(["a", "b"]);
  expect(released).toEqual([[["a"], false]]);
});

test("a pause of the host ends the message's work: the rows behind are given back without an attempt", async () => {
  const { run, released, worked } = setUp({
    a: { kind: "settled" },
    b: { kind: "pause", delayMs: 900 },
    c: { kind: "settled" },
  });
  expect(await run()).toEqual({ done: false, retryInMs: 900 });
  expect(worked).toEqual(["a", "b"]);
  expect(released).toEqual([[["b", "c"], true]]);
});

test("a row that has to wait by itself is given back without an attempt, and those behind it are worked on", async () => {
  const { run, released, worked } = setUp({
    a: { kind: "later", delayMs: 500, isCounted: false },
    b: { kind: "settled" },
  });
  expect(await run()).toEqual({ done: false, retryInMs: 500 });
  expect(worked).toEqual(["a", "b"]);
  expect(released).toEqual([[["a"], true]]);
});

test("what could not be recorded because it is gone is given back", async () => {
  const { run, released } = setUp({ a: { kind: "settled", record: async () => "gone" } });
  expect(await run()).toEqual({ done: false, retryInMs: 200 });
  expect(released).toEqual([[["a"], true]]);
});

test("a fault gives all rows back, after what was being recorded has ended", async () => {
  const record = jest.fn(async () => "recorded" as const);
  const { run, released } = setUp({ a: { kind: "settled", record }, b: new Error("the database is away") });
  await expect(run()).rejects.toThrow("the database is away");
  expect(record).toHaveBeenCalledTimes(1);
  expect(released).toEqual([[["a", "b"], true]]);
});

test("a service that stops begins no further row", async () => {
  const stopping = new AbortController();
  const { run, released, worked } = setUp(
    { a: { kind: "settled", record: async () => (stopping.abort(), "recorded") }, b: { kind: "settled" } },
    { signal: stopping.signal },
  );
  expect(await run()).toEqual({ done: false, retryInMs: 200 });
  expect(worked).toEqual(["a"]);
  expect(released).toEqual([[["b"], true]]);
});
