import { describe, expect, test } from "@jest/globals";
import { type ConsoleEvent, type ConsoleFrame, emptyConsole, nextConsole, subscribeFrame } from "./console-state.js";
import { otherProcessWarning } from "./other-process.js";

const payload = (n: number) => ({ id: `a-${n}`, level: "info", message: `line ${n}`, ts: n, jobId: "run", _pid: 99 });
const frame = (said: ConsoleFrame): ConsoleEvent => ({ type: "frame", frame: said });
const live = (n: number) => frame({ type: "job:log", payload: payload(n) });
const history = (...numbers: number[]) =>
  frame({ type: "console:history", payload: { text: numbers.map((n) => JSON.stringify(payload(n))).join("\n") } });
const welcome = (pid: number) => frame({ type: "welcome", pid });
const subscribed = frame({ type: "subscribed" });
const after = (...events: ConsoleEvent[]) => events.reduce(nextConsole, emptyConsole);
const shown = (state: typeof emptyConsole) => state.lines.map(({ message }) => message);
const opening: ConsoleEvent[] = [{ type: "open" }, welcome(1), subscribed];

describe("the subscription", () => {
  test("the first opening asks for the history, later ones do not", () => {
    const room = { roomId: "web console" };
    expect(subscribeFrame(after({ type: "open" }), false)).toEqual({ type: "freshsubscribe", ...room });
    const used = after(...opening, live(1), { type: "unsubscribe" }, { type: "open" });
    expect(subscribeFrame(used, false)).toEqual({ type: "subscribe", ...room });
    expect(subscribeFrame(after(...opening, live(1), { type: "clear" }), false).type).toBe("subscribe");
  });
  test("after a break the history fills the gap", () => {
    const broken = after(...opening, live(1), { type: "disconnected" });
    expect(broken.subscribed).toBe(false);
    expect(subscribeFrame(broken, true).type).toBe("freshsubscribe");
    expect(shown([welcome(1), subscribed, history(1, 2, 3), live(3), live(4)].reduce(nextConsole, broken))).toEqual([
      "line 1",
      "line 2",
      "line 3",
      "line 4",
    ]);
  });
  test("it holds when the server says so, and until the person ends it", () => {
    expect(after({ type: "open" }).subscribed).toBe(false);
    expect(after(...opening).subscribed).toBe(true);
    const left = after(...opening, { type: "unsubscribe" }, live(1), history(1));
    expect([left.subscribed, left.wanted, left.lines.length]).toEqual([false, false, 0]);
    expect(after(...opening, { type: "unsubscribe" }, subscribed).subscribed).toBe(false);
    expect(after(...opening, { type: "unsubscribe" }, { type: "subscribe" }, subscribed).subscribed).toBe(true);
  });
});

describe("unread lines", () => {
  test("are those that come while it is closed, each once", () => {
    const closed = after(...opening, history(1), live(2), { type: "close" });
    expect(closed.unread).toBe(0);
    const later = [live(3), live(3), live(4)].reduce(nextConsole, closed);
    expect(later.unread).toBe(2);
    expect(nextConsole(later, { type: "open" }).unread).toBe(0);
  });
});

describe("clearing", () => {
  const cleared = after(...opening, live(1), live(2), { type: "clear" });
  test("empties the log, and new lines follow", () => {
    expect(shown(cleared)).toEqual([]);
    expect(shown(nextConsole(cleared, live(3)))).toEqual(["line 3"]);
  });
  test("counts also where the server could not clear and tells all again", () => {
    expect(shown(nextConsole(cleared, history(1, 2, 3)))).toEqual(["line 3"]);
  });
});

test("lines without an id are lines of their own", () => {
  const said = frame({ type: "console:log", payload: { text: "again" } });
  expect(shown(after(...opening, said, said))).toEqual(["again", "again"]);
});

test("a payload with nothing to show changes nothing", () => {
  const before = after(...opening);
  expect(nextConsole(before, frame({ type: "job:log", payload: null }))).toBe(before);
});

test("after a restart of the server the older lines are told from the new ones", () => {
  const moved = after(...opening, live(1), { type: "disconnected" }, welcome(2), subscribed, history(1, 2));
  expect(otherProcessWarning(moved.lines, moved.pid)).toMatch(/process 1, an earlier/);
  expect(otherProcessWarning(nextConsole(moved, { type: "clear" }).lines, moved.pid)).toBeUndefined();
});

test("what the server could not do is said until it can", () => {
  const failed = after(...opening, frame({ type: "error", message: "The earlier lines cannot be read." }));
  expect(failed.notice).toBe("The earlier lines cannot be read.");
  expect(nextConsole(failed, subscribed).notice).toBeUndefined();
});
