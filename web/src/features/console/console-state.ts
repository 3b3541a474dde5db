import { assertNever } from "@web-tester/contracts/assert-never";
import { limits } from "@web-tester/contracts/limits";
import type { ClientFrame } from "@web-tester/contracts/socket";
import { readHistory, readLine } from "./console-line.js";
import { appendLines, type Lines, mergeHistory } from "./line-buffer.js";

/** The whole state of the console; what is shown depends on nothing else. */
export interface ConsoleState {
  /** The server process that is connected now or was last. */
  pid: number | undefined;
  /** Whether the person wants lines. */
  wanted: boolean;
  /** Whether the server has confirmed the subscription on the present connection. */
  subscribed: boolean;
  opened: boolean;
  lines: Lines;
  /** Lines that came while the console was closed. */
  unread: number;
  /** Time of the newest line when the log was cleared: older lines of a history stay cleared. */
  clearedTs: number;
  /** What the server could not do, in its own words. */
  notice: string | undefined;
  /** Number of lines that came without an id, used to make ids for them. */
  serial: number;
}

export const emptyConsole: ConsoleState = {
  pid: undefined,
  wanted: false,
  subscribed: false,
  opened: false,
  lines: [],
  unread: 0,
  clearedTs: -Infinity,
  notice: undefined,
  serial: 0,
};

/** Events of the console: frames from the server, and what a person does. */
export type ConsoleEvent =
  | { type: "open" | "close" | "clear" | "subscribe" | "unsubscribe" | "disconnected" }
  | { type: "frame"; frame: ConsoleFrame };

export type ConsoleFrame =
  | { type: "welcome"; pid: number }
  | { type: "subscribed" | "unsubscribed" }
  | { type: "console:history"; payload: { text: string } }
  | { type: "job:log" | "console:log"; payload: unknown }
  | { type: "error"; message: string };

export function nextConsole(state: ConsoleState, event: ConsoleEvent): ConsoleState {
  switch (event.type) {
    case "open":
      return { ...state, opened: true, unread: 0, wanted: true };
    case "close":
      return { ...state, opened: false };
    case "subscribe":
      return { ...state, wanted: true };
    case "unsubscribe":
      return { ...state, wanted: false, subscribed: false, notice: undefined };
    case "disconnected":
      return { ...state, subscribed: false };
    case "clear": {
      const times = state.lines.flatMap(({ ts }) => ts ?? []);
      return { ...state, lines: [], unread: 0, notice: undefined, clearedTs: Math.max(state.clearedTs, ...times) };
    }
    case "frame":
      return receive(state, event.frame);
    default:
      return assertNever(event);
  }
}

function receive(state: ConsoleState, frame: ConsoleFrame): ConsoleState {
  switch (frame.type) {
    case "welcome":
      return { ...state, pid: frame.pid };
    case "subscribed":
      return { ...state, subscribed: state.wanted, notice: undefined };
    case "unsubscribed":
      return { ...state, subscribed: false };
    case "error":
      return { ...state, notice: frame.message };
    case "console:history": {
      if (!state.wanted) return state;
      const told = readHistory(frame.payload.text, state.pid).filter(({ ts }) => ts === null || ts > state.clearedTs);
      return withLines(state, mergeHistory(state.lines, told));
    }
    case "job:log":
    case "console:log": {
      // lines that were still under way when the person unsubscribed
      if (!state.wanted) return state;
      const line = readLine(frame.payload, state.pid, `live-${state.serial}`);
      if (line === undefined) return state;
      return withLines({ ...state, serial: state.serial + 1 }, appendLines(state.lines, [line]));
    }
    default:
      return assertNever(frame);
  }
}

const withLines = (state: ConsoleState, { lines, added }: { lines: Lines; added: number }): ConsoleState => ({
  ...state,
  lines,
  unread: state.opened ? 0 : state.unread + added,
});

/**
 * Makes the frame that subscribes: with the history where nothing is known yet (specification §4), and after a break, so that lines
 * sent meanwhile are not missed; else without history.
 */
export function subscribeFrame(state: ConsoleState, afterBreak: boolean): ClientFrame {
  const fresh = afterBreak || (state.lines.length === 0 && state.clearedTs === -Infinity);
  return { type: fresh ? "freshsubscribe" : "subscribe", roomId: limits.consoleDefaultRoom };
}
