import { expect, test } from "@jest/globals";
import { eventsIn, type ProductEvent, productEvent } from "@web-tester/contracts/socket";
import fc from "fast-check";
import { EventQueue, toldTogetherMax, waitingMax } from "./event-queue.js";
import { changesOf, failed, objectId, progressOf, runId, snapshotId } from "./test-events.js";

const progress = (completed: number, run = 1, running = true) => progressOf(run, completed, running);
const changed = (snapshots: readonly number[], linesAdded = 0, object = 1) => changesOf(snapshots, linesAdded, object);

function takeAll(queue: EventQueue): ProductEvent[] {
  const taken: ProductEvent[] = [];
  for (let event = queue.take(); event !== null; event = queue.take()) taken.push(event);
  return taken;
}

function told(...events: ProductEvent[]): ProductEvent[] {
  const queue = new EventQueue();
  for (const event of events) queue.push(event);
  return takeAll(queue);
}

test("the newest progress of each run is told, in the place of the first that waited", () => {
  expect(told(progress(1), progress(1, 2), progress(2), progress(3), progress(2, 2))).toEqual([
    progress(3),
    progress(2, 2),
  ]);
});

test("the end of a run is told, whatever is heard late", () => {
  expect(told(progress(1), progress(9, 1, false), progress(8))).toEqual([progress(9, 1, false)]);
});

test("what waits for a run goes before what is said of it next", () => {
  const waiting: ProductEvent = {
    type: "deleteAll:progress",
    testobjectId: objectId(),
    runId: runId(),
    total: 9,
    completed: 8,
    failed: 0,
    running: true,
    mode: "instances",
  };
  const over: ProductEvent = { ...waiting, type: "deleteAll:completed", completed: 9, running: false };
  expect(told({ ...waiting, completed: 1 }, waiting, over)).toEqual([waiting, over]);
});

test("changes of an object are told together, each snapshot once as it was compared last", () => {
  expect(told(changed([1, 2]), changed([9], 0, 2), changed([3]), changed([2], 5))).toEqual([
    {
      ...changed([]),
      changes: [...changesIn([changed([1])]), ...changesIn([changed([2], 5)]), ...changesIn([changed([3])])],
    },
    changed([9], 0, 2),
  ]);
});

test("failures of an object are told together, and are one each again for who hears them", () => {
  const [one, ...others] = told(failed(1), failed(2, 2), failed(3), failed(4));
  expect(productEvent.parse(one)).toEqual(one);
  expect(one === undefined ? [] : eventsIn(one)).toEqual([failed(1), failed(3), failed(4)]);
  expect(others).toEqual([failed(2, 2)]);
  // taken events can be coalesced again
  expect(told(...(one === undefined ? [] : [one]), failed(5)).flatMap(eventsIn)).toEqual(
    [1, 3, 4, 5].map((n) => failed(n)),
  );
});

test("no frame tells more than its share; the rest is told after what else waits", () => {
  const many = Array.from({ length: toldTogetherMax + 5 }, (_, n) => n);
  const taken = told(changed(many), progress(1));
  expect(taken.map((event) => event.type)).toEqual(["snapshot:changed", "fetch:progress", "snapshot:changed"]);
  expect(changesIn(taken).map((change) => change.snapshotId)).toEqual(many.map(snapshotId));
});

test("says when more waits than somebody will catch up with, and forgets what nobody listens to any more", () => {
  const queue = new EventQueue();
  for (let n = 0; n < waitingMax; n++) queue.push(n % 2 === 0 ? changed([n]) : failed(n));
  queue.push(progress(1));
  expect(queue.isOverfull).toBe(false);
  queue.push(changed([waitingMax], 0, 2));
  expect(queue.isOverfull).toBe(true);
  queue.drop(objectId());
  expect(queue.isOverfull).toBe(false);
  expect(takeAll(queue)).toEqual([changed([waitingMax], 0, 2)]);
  expect(queue.isEmpty).toBe(true);
});

test("whatever comes and whenever it is told, nothing is lost and nothing is told twice", () => {
  const step = fc.oneof(
    fc.constant("take" as const),
    fc.record({ run: fc.integer({ min: 1, max: 3 }), completed: fc.nat(1_000) }),
    fc.array(fc.nat(30), { minLength: 1, maxLength: 4 }),
    fc.nat(30),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const queue = new EventQueue();
      const heard: ProductEvent[] = [];
      const said: ProductEvent[] = [];
      // each snapshot occurs only once, so that each can be checked for afterwards
      let snapshot = 0;
      for (const one of steps) {
        if (one === "take") {
          const event = queue.take();
          if (event !== null) heard.push(event);
          continue;
        }
        const event =
          typeof one === "number"
            ? failed(snapshot++)
            : Array.isArray(one)
              ? changed(one.map(() => snapshot++))
              : progress(one.completed, one.run);
        said.push(event);
        queue.push(event);
      }
      heard.push(...takeAll(queue));
      expect(changesIn(heard)).toEqual(changesIn(said));
      expect(failuresIn(heard)).toEqual(failuresIn(said));
      for (const run of [1, 2, 3]) {
        const of = (events: readonly ProductEvent[]) =>
          events.filter((event) => "runId" in event && event.runId === runId(run));
        expect(of(heard).at(-1)).toEqual(of(said).at(-1));
        expect(of(heard).length).toBeLessThanOrEqual(of(said).length);
      }
    }),
  );
});

function changesIn(events: readonly ProductEvent[]) {
  return events.flatMap((event) => (event.type === "snapshot:changed" ? event.changes : []));
}

function failuresIn(events: readonly ProductEvent[]): ProductEvent[] {
  return events.flatMap(eventsIn).filter((event) => event.type === "fetch:error");
}
