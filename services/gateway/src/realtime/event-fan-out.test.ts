import { expect, test } from "@jest/globals";
import { eventsIn, type ProductEvent, productEvent } from "@web-tester/contracts/socket";
import { EventFanOut } from "./event-fan-out.js";
import { waitingMax } from "./event-queue.js";
import type { Socket } from "./peer.js";
import { changesOf, failed, objectId, progressOf } from "./test-events.js";
import { objectTopic, Topics } from "./topics.js";

const progress = (completed: number, object = 1, running = true) => progressOf(object, completed, running, object);
const changed = (n: number, object = 1) => changesOf([n], 1, object);

interface Heard {
  at: number;
  event: ProductEvent;
}

/** @param writeMs how long a write takes */
function createWorld(writeMs = 0) {
  let now = 0;
  let timers: { at: number; run: () => void }[] = [];
  const topics = new Topics<Socket>(1_000);
  const heard = new Map<Socket, Heard[]>();
  const ended = new Set<Socket>();
  const clock = {
    nowMs: () => now,
    after: (delayMs: number, run: () => void) => {
      const timer = { at: now + delayMs, run };
      timers.push(timer);
      return () => void (timers = timers.filter((other) => other !== timer));
    },
  };
  const fanOut = new EventFanOut(topics, clock, (socket, frame) => {
    now += writeMs;
    const bytes = Buffer.from(frame);
    const event = productEvent.parse(JSON.parse(bytes.toString("utf8", headLength(bytes[1] ?? 0))));
    heard.get(socket)?.push({ at: now, event });
  });
  return {
    fanOut,
    timers: () => timers.length,
    /** Lets time pass. */
    pass(ms: number) {
      const until = now + ms;
      for (;;) {
        const [next] = timers.filter(({ at }) => at <= until).toSorted((one, other) => one.at - other.at);
        if (next === undefined) break;
        timers = timers.filter((other) => other !== next);
        now = Math.max(now, next.at);
        next.run();
      }
      now = Math.max(now, until);
    },
    listener(...objects: number[]) {
      const mine: Heard[] = [];
      const socket: Socket = {
        bufferedAmount: 0,
        readyState: 1,
        send: () => undefined,
        terminate: () => void ended.add(socket),
      };
      heard.set(socket, mine);
      for (const object of objects) topics.add(socket, objectTopic(objectId(object)));
      return { socket, heard: mine, isEnded: () => ended.has(socket) };
    },
  };
}

test("nobody hears more than ten events a second, whatever they listen to, and nobody misses anything", () => {
  const { fanOut, pass, listener } = createWorld();
  const objects = Array.from({ length: 30 }, (_, index) => index + 1);
  const everything = listener(...objects);
  const two = listener(1, 2);
  const one = listener(1);
  const said: ProductEvent[] = [];
  const say = (event: ProductEvent) => {
    said.push(event);
    fanOut.push(event);
  };
  for (let n = 0; n < 2_000; n++) {
    const object = 1 + (n % objects.length);
    say(progress(n, object));
    say(n % 3 === 0 ? failed(n, object) : changed(n, object));
    pass(5);
  }
  for (const object of objects) say(progress(1_000_000, object, false));
  pass(60_000);

  for (const [{ heard }, listensTo] of [
    [everything, objects],
    [two, [1, 2]],
    [one, [1]],
  ] as const) {
    const times = heard.map(({ at }) => at);
    expect(times[0]).toBe(0);
    for (const [index, at] of times.slice(1).entries()) expect(at - (times[index] ?? 0)).toBeGreaterThanOrEqual(100);
    const ids = new Set(listensTo.map((object) => objectId(object)));
    const of = (events: readonly ProductEvent[]) => events.filter(({ testobjectId }) => ids.has(testobjectId));
    const events = heard.map(({ event }) => event);
    expect(partsOf(events)).toEqual(partsOf(of(said)));
    expect(endsOf(events)).toEqual(endsOf(of(said)));
  }
});

test("the first event after a silence is told at once, and afterwards nothing waits", () => {
  const { fanOut, pass, listener, timers } = createWorld();
  const { heard } = listener(1);
  fanOut.push(progress(1));
  pass(1_000);
  expect(timers()).toBe(0);
  fanOut.push(progress(2));
  expect(heard).toEqual([
    { at: 0, event: progress(1) },
    { at: 1_000, event: progress(2) },
  ]);
  expect(timers()).toBe(1);
  fanOut.stop();
  expect(timers()).toBe(0);
});

test("telling many takes a small part of the time, and none of them waits longer than a second or so", () => {
  const { fanOut, pass, listener } = createWorld(0.03);
  const many = Array.from({ length: 1_000 }, () => listener(1));
  for (let n = 0; n < 1_000; n++) {
    fanOut.push(progress(n));
    pass(10);
  }
  const writes = many.reduce((sum, { heard }) => sum + heard.length, 0);
  expect((writes * 0.03) / 10_000).toBeLessThan(0.08);
  for (const { heard } of many) expect(heard.length).toBeGreaterThanOrEqual(9);
});

test("who falls too far behind starts afresh, and nobody else", () => {
  const { fanOut, pass, listener } = createWorld();
  const [listening, elsewhere] = [listener(1), listener(2)];
  for (let n = 0; n <= waitingMax; n++) fanOut.push(changed(n));
  // one of the events was sent at once, and so does not wait
  expect(listening.isEnded()).toBe(false);
  fanOut.push(changed(waitingMax + 1));
  expect(listening.isEnded()).toBe(true);
  expect(elsewhere.isEnded()).toBe(false);
  const again = listener(1);
  fanOut.push(progress(1));
  pass(10_000);
  expect(again.isEnded()).toBe(false);
  expect(again.heard.map(({ event }) => event)).toEqual([progress(1)]);
});

test("who stops listening to one object hears no more of it, and of the other what waited", () => {
  const { fanOut, pass, listener } = createWorld();
  const [leaving, staying] = [listener(1, 2), listener(1, 2)];
  for (let n = 1; n <= 4; n++) fanOut.push(progress(n, 1 + (n % 2)));
  pass(100);
  fanOut.push(changed(1));
  fanOut.push(changed(2, 2));
  pass(100);
  const heardOf = (heard: readonly Heard[], object: number) =>
    heard.filter(({ event }) => event.testobjectId === objectId(object)).length;
  const before = heardOf(leaving.heard, 1);
  fanOut.forget(leaving.socket, objectId(1));
  pass(10_000);
  expect(heardOf(leaving.heard, 1)).toBe(before);
  expect(heardOf(staying.heard, 1)).toBeGreaterThan(before);
  expect(heardOf(leaving.heard, 2)).toBe(heardOf(staying.heard, 2));
});

/**
 * Length of a frame's head (RFC 6455 §5.2).
 * @param length the second byte of a frame
 */
function headLength(length: number): number {
  if (length < 126) return 2;
  return length === 126 ? 4 : 10;
}

/** The reported changes and failures of each object's snapshots, in order. */
function partsOf(events: readonly ProductEvent[]) {
  const parts = events
    .flatMap(eventsIn)
    .flatMap((event) =>
      event.type === "snapshot:changed"
        ? event.changes.map((change) => [event.testobjectId, "changed", change.snapshotId])
        : event.type === "fetch:error"
          ? [[event.testobjectId, "failed", event.snapshotId]]
          : [],
    );
  return Map.groupBy(parts, ([object, kind]) => `${object} ${kind}`);
}

/** The last progress of each run. */
function endsOf(events: readonly ProductEvent[]) {
  return Object.fromEntries(events.flatMap((event) => ("runId" in event ? [[event.runId, event]] : [])));
}
