import { useSyncExternalStore } from "react";
import { messageOf } from "../../api/api-error.js";
import { call } from "../../api/client.js";
import { type ConsoleSocket, openConsoleSocket } from "../../api/live/console-socket.js";
import { limits } from "@web-tester/contracts/limits";
import { type ConsoleEvent, type ConsoleState, emptyConsole, nextConsole, subscribeFrame } from "./console-state.js";

/** One console for the whole tab: it keeps running while pages change and its window is closed. */
let state = emptyConsole;
let socket: ConsoleSocket | undefined;
const watchers = new Set<() => void>();

function apply(...events: readonly ConsoleEvent[]): void {
  const next = events.reduce(nextConsole, state);
  if (next === state) return;
  state = next;
  for (const watcher of [...watchers]) watcher();
}

function subscribe(): void {
  if (socket !== undefined) {
    socket.send(subscribeFrame(state, false));
    return;
  }
  const opened = openConsoleSocket({
    onOpen: (again) => {
      opened.send({ type: "init", role: "console" });
      if (state.wanted) opened.send(subscribeFrame(state, again));
    },
    onFrames: (frames) => apply(...frames.map((frame) => ({ type: "frame", frame }) as const)),
    onClose: () => apply({ type: "disconnected" }),
  });
  socket = opened;
}

export function openConsole(): void {
  const subscribing = !state.wanted;
  apply({ type: "open" });
  if (subscribing) subscribe();
}

export const closeConsole = (): void => apply({ type: "close" });

export function toggleSubscription(): void {
  if (state.wanted) {
    apply({ type: "unsubscribe" });
    socket?.send({ type: "unsubscribe", roomId: limits.consoleDefaultRoom });
  } else {
    apply({ type: "subscribe" });
    subscribe();
  }
}

/** Clears the console here at once, and asks the server to; if that fails, it is only logged for developers (specification §8). */
export function clearLogs(): void {
  apply({ type: "clear" });
  call("clearLogs").catch((error: unknown) => {
    console.warn(`The server's log was not cleared: ${messageOf(error)}`);
  });
}

export function useConsole<T>(select: (state: ConsoleState) => T): T {
  return useSyncExternalStore(watch, () => select(state));
}

function watch(watcher: () => void): () => void {
  watchers.add(watcher);
  return () => void watchers.delete(watcher);
}
