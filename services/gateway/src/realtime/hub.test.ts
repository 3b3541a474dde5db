import { expect, test } from "@jest/globals";
import type { JobLine, ProductEvent } from "@web-tester/contracts/socket";
import type { Bus } from "@web-tester/platform/bus/bus";
import { Hub, type HubBus } from "./hub.js";
import type { Socket } from "./peer.js";

const id = "0199f3a0-0000-7000-8000-000000000000";
const otherId = "0199f3a0-0000-7000-8000-000000000009";
const line = (n: number, jobId = "job"): JobLine => ({
  id: `1-${n}`,
  level: "info",
  message: `line ${n}`,
  ts: n,
  jobId,
  _pid: 1,
});
const progress: ProductEvent = {
  type: "fetch:progress",
  testobjectId: id,
  runId: id,
  total: 2,
  completed: 1,
  failed: 0,
  changed: 0,
  running: true,
};

interface FakeSocket extends Socket {
  bufferedAmount: number;
  sent: unknown[];
  terminated: boolean;
}

function createSocket(bufferedAmount = 0): FakeSocket {
  const socket: FakeSocket = {
    sent: [],
    terminated: false,
    bufferedAmount,
    readyState: 1,
    send: (text: unknown) => void socket.sent.push(JSON.parse(String(text))),
    terminate: () => void (socket.terminated = true),
  };
  return socket;
}

function createHub(history: () => Promise<JobLine[]> = async () => []) {
  const heard: { event: Parameters<Bus["onEvent"]>[0]; line: Parameters<Bus["onLogLine"]>[0] } = {
    event: () => undefined,
    line: () => undefined,
  };
  const bus: HubBus = {
    onEvent: (listener) => {
      heard.event = listener;
      return () => void (heard.event = () => undefined);
    },
    onLogLine: (listener) => {
      heard.line = listener;
      return () => void (heard.line = () => undefined);
    },
    logHistory: history,
  };
  const timers: (() => void)[] = [];
  const clock = {
    nowMs: () => 0,
    after: (_delayMs: number, run: () => void) => {
      timers.push(run);
      return () => void timers.splice(timers.indexOf(run), 1);
    },
  };
  const writes: Socket[] = [];
  const hub = new Hub(bus, clock, (socket, frames) => {
    writes.push(socket);
    for (const text of textsOf(frames)) socket.send(text);
  });
  hub.start();
  /** Runs timers until nothing is held back. */
  const settle = () => {
    for (let run = timers.shift(); run !== undefined; run = timers.shift()) run();
  };
  return {
    hub,
    writes,
    settle,
    tell: (event: ProductEvent) => heard.event(event),
    say: (said: JobLine) => heard.line(said),
    log: (said: JobLine) => {
      heard.line(said);
      settle();
    },
  };
}

/** The texts of frames of less than 64 KiB, in the form of RFC 6455 §5.2. */
function* textsOf(frames: Uint8Array): Generator<string> {
  const bytes = Buffer.from(frames);
  for (let at = 0; at < bytes.length;) {
    expect(bytes[at]).toBe(0x81);
    const short = bytes.readUInt8(at + 1);
    const start = at + (short < 126 ? 2 : 4);
    const end = start + (short < 126 ? short : bytes.readUInt16BE(at + 2));
    yield bytes.toString("utf8", start, end);
    at = end;
  }
}

test("greets first, and sends an object's events to those who asked for that object", async () => {
  const { hub, tell, settle } = createHub();
  const [mine, other] = [createSocket(), createSocket()];
  for (const socket of [mine, other]) hub.open(socket);
  await hub.handle(mine, { type: "subscribe", testobjectId: id }, null);
  await hub.handle(other, { type: "subscribe", testobjectId: otherId }, null);
  tell(progress);
  expect(mine.sent).toEqual([
    { type: "welcome", pid: process.pid },
    { type: "subscribed", testobjectId: id },
    progress,
  ]);
  expect(other.sent).toHaveLength(2);
  await hub.handle(mine, { type: "unsubscribe", testobjectId: id }, null);
  tell({ ...progress, completed: 2, running: false });
  settle();
  expect(mine.sent.slice(3)).toEqual([{ type: "unsubscribed", testobjectId: id }]);
});

test("a closed socket hears nothing more", async () => {
  const { hub, tell, log } = createHub();
  const [socket, control] = [createSocket(), createSocket()];
  for (const each of [socket, control]) {
    await hub.handle(each, { type: "subscribe", testobjectId: id }, null);
    await hub.handle(each, { type: "subscribe" }, "web console");
  }
  hub.close(socket);
  tell(progress);
  log(line(1));
  expect(socket.sent).toHaveLength(2);
  expect(control.sent).toHaveLength(4);
});

test("the default room has all lines, a room named after a job has its own", async () => {
  const { hub, log } = createHub();
  const [all, one] = [createSocket(), createSocket()];
  await hub.handle(all, { type: "subscribe" }, "web console");
  await hub.handle(one, { type: "subscribe", roomId: "job 2" }, "web console");
  log(line(1, "job 1"));
  log(line(2, "job 2"));
  expect(all.sent.slice(1)).toEqual([1, 2].map((n) => ({ type: "job:log", payload: line(n, `job ${n}`) })));
  expect(one.sent.slice(1)).toEqual([{ type: "job:log", payload: line(2, "job 2") }]);
});

test("a fresh subscription gets the history first and each line once", async () => {
  const reading = Promise.withResolvers<JobLine[]>();
  const { hub, log } = createHub(() => reading.promise);
  const socket = createSocket();
  const subscribed = hub.handle(socket, { type: "freshsubscribe" }, "web console");
  log(line(2));
  log(line(3));
  reading.resolve([line(1), line(2)]);
  await subscribed;
  log(line(4));
  expect(socket.sent).toEqual([
    { type: "subscribed", roomId: "web console" },
    { type: "console:history", payload: { text: `${JSON.stringify(line(1))}\n${JSON.stringify(line(2))}` } },
    { type: "job:log", payload: line(3) },
    { type: "job:log", payload: line(4) },
  ]);
});

test("however many ask for the history at once, it is read once and once more, and each gets it once", async () => {
  const readings: PromiseWithResolvers<JobLine[]>[] = [];
  const { hub } = createHub(() => {
    const reading = Promise.withResolvers<JobLine[]>();
    readings.push(reading);
    return reading.promise;
  });
  const sockets = Array.from({ length: 50 }, () => createSocket());
  const asked = sockets.flatMap((socket) =>
    Array.from({ length: 20 }, () => hub.handle(socket, { type: "freshsubscribe" }, "web console")),
  );
  expect(readings).toHaveLength(1);
  readings[0]?.resolve([line(1)]);
  await asked[0];
  expect(readings).toHaveLength(2);
  readings[1]?.resolve([line(1)]);
  await Promise.all(asked);
  expect(readings).toHaveLength(2);
  const histories = sockets.map(({ sent }) =>
    sent.filter((frame) => JSON.stringify(frame).includes("console:history")),
  );
  expect(histories.map(({ length }) => length)).toEqual(sockets.map(() => 1));
});

test("a connection that does not read is not sent the history", async () => {
  const { hub } = createHub(async () => [line(1)]);
  const [slow, control] = [createSocket(2 * 1024 * 1024), createSocket()];
  for (const socket of [slow, control]) await hub.handle(socket, { type: "freshsubscribe" }, "web console");
  expect(slow.sent.slice(1)).toEqual([{ type: "error", message: expect.stringContaining("subscribe again") }]);
  expect(control.sent.slice(1)).toEqual([expect.objectContaining({ type: "console:history" })]);
});

test("who leaves while the history is being read gets neither it nor what came meanwhile", async () => {
  const reading = Promise.withResolvers<JobLine[]>();
  const { hub, log } = createHub(() => reading.promise);
  const socket = createSocket();
  const subscribed = hub.handle(socket, { type: "freshsubscribe" }, "web console");
  log(line(2));
  await hub.handle(socket, { type: "unsubscribe" }, "web console");
  reading.resolve([line(1)]);
  await subscribed;
  log(line(3));
  expect(socket.sent).toEqual([
    { type: "subscribed", roomId: "web console" },
    { type: "unsubscribed", roomId: "web console" },
  ]);
});

test("a history that cannot be read is said, and new lines follow", async () => {
  const { hub, log } = createHub(() => Promise.reject(new Error("away")));
  const socket = createSocket();
  await hub.handle(socket, { type: "freshsubscribe" }, "web console");
  log(line(1));
  expect(socket.sent.slice(1)).toEqual([
    { type: "error", message: expect.stringContaining("cannot be read") },
    { type: "job:log", payload: line(1) },
  ]);
});

test.each([[{ type: "subscribe" }], [{ type: "unsubscribe" }], [{ type: "freshsubscribe" }]] as const)(
  "%j names nothing where there is no default room",
  async (frame) => {
    const { hub, log } = createHub();
    const socket = createSocket();
    await hub.handle(socket, frame, null);
    log(line(1));
    expect(socket.sent).toEqual([{ type: "error", message: expect.stringContaining("testobjectId or a roomId") }]);
  },
);

test("a slow reader misses what is repeated anyway, but not how it ends; a lost one is let go", async () => {
  const { hub, tell, settle } = createHub();
  const [slow, lost] = [createSocket(2 * 1024 * 1024), createSocket(16 * 1024 * 1024)];
  for (const socket of [slow, lost]) await hub.handle(socket, { type: "subscribe", testobjectId: id }, null);
  expect(lost.terminated).toBe(true);
  tell(progress);
  expect(slow.sent).toHaveLength(1);
  tell({ ...progress, completed: 2, running: false });
  settle();
  expect(slow.sent).toHaveLength(2);
  expect(slow.terminated).toBe(false);
});

test("lines that come together go out in one write per socket, in order; a stopped reader's are not kept", async () => {
  const { hub, say, settle, writes } = createHub();
  const [quick, stopped, lost] = [createSocket(), createSocket(2 * 1024 * 1024), createSocket()];
  for (const socket of [quick, stopped, lost]) await hub.handle(socket, { type: "subscribe" }, "web console");
  lost.bufferedAmount = 16 * 1024 * 1024;
  const lines = Array.from({ length: 100 }, (_, n) => line(n, `job ${n % 3}`));
  for (const one of lines) say(one);
  settle();
  expect(quick.sent.slice(1)).toEqual(lines.map((payload) => ({ type: "job:log", payload })));
  expect(stopped.sent).toHaveLength(1);
  expect(lost.terminated).toBe(true);
  // the first line at once, the others together
  expect(writes.filter((socket) => socket === quick)).toHaveLength(2);
});

test("who subscribes while lines are held back gets those that come afterwards", async () => {
  const { hub, say, settle } = createHub(async () => [line(1), line(2)]);
  const [first, second] = [createSocket(), createSocket()];
  await hub.handle(first, { type: "subscribe" }, "web console");
  say(line(1));
  say(line(2));
  await hub.handle(second, { type: "freshsubscribe" }, "web console");
  say(line(3));
  settle();
  const numbers = (socket: FakeSocket) =>
    socket.sent.flatMap((frame) =>
      JSON.stringify(frame).includes("job:log") ? [JSON.stringify(frame).match(/line (\d)/)?.[1]] : [],
    );
  expect(numbers(first)).toEqual(["1", "2", "3"]);
  expect(numbers(second)).toEqual(["3"]);
});
