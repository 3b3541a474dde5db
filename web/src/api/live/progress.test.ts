import { describe, expect, test } from "@jest/globals";
import type { ObjectProgress, Progress } from "@web-tester/contracts/entities/run";
import type { ProductEvent } from "@web-tester/contracts/socket";
import fc from "fast-check";
import { applyEvent, endedBars, newerProgress } from "./progress.js";

const object = "0190b0f0-0000-7000-8000-000000000001";
const run = (n: number) => `0190b0f0-0000-7000-8000-0000000001${String(n).padStart(2, "0")}`;
const idle: Progress = { completed: 0, total: 0, failed: 0, running: false, runId: null };
const nothing: ObjectProgress = { snapshotAll: idle, crawl: idle, sitemaps: idle, rules: idle, deletion: idle };
const fetched = (
  completed: number,
  total = 10,
  more: Partial<Extract<ProductEvent, { type: "fetch:progress" }>> = {},
): ProductEvent => ({
  type: "fetch:progress",
  testobjectId: object,
  runId: run(1),
  total,
  completed,
  failed: 0,
  changed: 0,
  running: completed < total,
  ...more,
});
const apply = (events: ProductEvent[], from = nothing) => events.reduce(applyEvent, from);

describe("events", () => {
  test("queued opens the bar with the created count, running only above 0", () => {
    expect(
      apply([{ type: "snapshotAll:queued", testobjectId: object, runId: run(1), created: 7 }]).snapshotAll,
    ).toEqual({ completed: 0, total: 7, failed: 0, running: true, runId: run(1) });
    expect(
      apply([{ type: "snapshotAll:queued", testobjectId: object, runId: run(1), created: 0 }]).snapshotAll.running,
    ).toBe(false);
  });

  test("completed never exceeds total and failures never exceed completed", () => {
    expect(apply([fetched(12, 10, { failed: 30 })]).snapshotAll).toMatchObject({ completed: 10, failed: 10 });
  });

  test("fetching is over when completed equals total, even where the flag still says running", () => {
    expect(apply([fetched(10, 10, { running: true })]).snapshotAll.running).toBe(false);
  });

  test("a crawl whose queue is empty for a moment keeps running while the flag says so", () => {
    const event: ProductEvent = {
      type: "crawl:progress",
      testobjectId: object,
      runId: run(2),
      total: 1,
      completed: 1,
      failed: 0,
      running: true,
      found: 1,
    };
    expect(apply([event]).crawl.running).toBe(true);
  });

  test("a completed message ends a deletion", () => {
    const event: ProductEvent = {
      type: "deleteAll:completed",
      testobjectId: object,
      runId: run(2),
      total: 5,
      completed: 5,
      failed: 0,
      running: true,
      mode: "snapshots",
    };
    expect(apply([event]).deletion.running).toBe(false);
  });

  test("late and repeated news change nothing, and give the same object back", () => {
    const now = apply([fetched(5)]);
    expect(applyEvent(now, fetched(4))).toBe(now);
    const done = apply([fetched(10)]);
    expect(applyEvent(done, fetched(10, 10, { running: true }))).toEqual(done);
  });

  test("the next run takes the bar over", () =>
    expect(apply([fetched(10), fetched(0, 3, { runId: run(2) })]).snapshotAll).toMatchObject({
      total: 3,
      runId: run(2),
    }));

  test("one snapshot beside a running fetch of all leaves the large bar alone", () => {
    const now = apply([fetched(5)]);
    expect(applyEvent(now, fetched(1, 1, { runId: run(3) }))).toBe(now);
    expect(apply([fetched(10), fetched(0, 1, { runId: run(3) })]).snapshotAll.total).toBe(1);
  });

  test("events without counters leave the bars alone", () => {
    const event: ProductEvent = {
      type: "fetch:error",
      testobjectId: object,
      testinstanceId: run(4),
      snapshotId: run(5),
      url: "https://a.example/",
      message: "HTTP 404",
    };
    expect(applyEvent(nothing, event)).toBe(nothing);
  });
});

test("in whatever order the news of one run arrive, the bar ends at the largest", () => {
  fc.assert(
    fc.property(fc.shuffledSubarray([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10], { minLength: 1 }), (order) => {
      const end = apply(order.map((completed) => fetched(completed)));
      expect(end.snapshotAll.completed).toBe(Math.max(...order));
      expect(end.snapshotAll.running).toBe(!order.includes(10));
    }),
  );
});

test("a growing total is followed", () => {
  const current: Progress = { completed: 3, total: 5, failed: 0, running: true, runId: run(1) };
  expect(newerProgress(current, { ...current, total: 9 }).total).toBe(9);
});

test("the bars that ended are told once", () => {
  const before = apply([fetched(9)]);
  const after = apply([fetched(10)]);
  expect(endedBars(before, after)).toEqual([{ bar: "snapshotAll", progress: after.snapshotAll }]);
  expect(endedBars(after, after)).toEqual([]);
  expect(endedBars(after, apply([fetched(10)], after))).toEqual([]);
});

test("a run that was over before its start was seen has ended", () => {
  const after = apply([fetched(1, 1)]);
  expect(endedBars(nothing, after)).toEqual([{ bar: "snapshotAll", progress: after.snapshotAll }]);
  expect(endedBars(after, apply([fetched(1, 1, { runId: run(2) })], after))).toHaveLength(1);
});

test("a run that begins has not ended", () => expect(endedBars(nothing, apply([fetched(0)]))).toEqual([]));
