import { type ClientFrame, eventsIn, type ProductEvent, serverFrame } from "@web-tester/contracts/socket";
import ReconnectingSocket from "partysocket/ws";
import { authProtocols, onApiAuth } from "../api-auth.js";
import { apiOrigin } from "../client.js";
import { socketAddress } from "../origin.js";
import { doubt } from "../silence.js";

/** Frames that arrive within this time are passed on together: one render for fifty events a second. */
const batchMs = 100;

export interface LiveListener {
  /** Events about the subscribed test object, oldest first. */
  onEvents(events: readonly ProductEvent[]): void;
  /** Called when the subscription is active; earlier events are lost. */
  onSubscribed(): void;
  /** Called when the connection is back after a break: whatever may have changed has to be read again once. */
  onReconnect(): void;
}

const listeners = new Map<string, Set<LiveListener>>();
let socket: ReconnectingSocket | undefined;
let waiting: ProductEvent[] = [];
let flushTimer: number | undefined;

const isProductEvent = (frame: object): frame is ProductEvent =>
  "testobjectId" in frame && "type" in frame && frame.type !== "subscribed" && frame.type !== "unsubscribed";

function send(frame: ClientFrame): void {
  if (isConnected()) socket?.send(JSON.stringify(frame));
}

/** Whether events arrive now; false while the connection is cut, or where something in between lets none through. */
export const isConnected = (): boolean => socket?.readyState === ReconnectingSocket.OPEN;

function flush(): void {
  flushTimer = undefined;
  const events = waiting;
  waiting = [];
  for (const [testobjectId, set] of listeners) {
    const own = events.filter((event) => event.testobjectId === testobjectId);
    if (own.length > 0) for (const listener of [...set]) listener.onEvents(own);
  }
}

function receive(text: unknown): void {
  let frame;
  try {
    frame = serverFrame.safeParse(JSON.parse(String(text)));
  } catch {
    return;
  }
  // Ignores unknown frames of a newer server; the next read brings what they would have said.
  if (!frame.success) return;
  if (frame.data.type === "subscribed") {
    for (const listener of [...(listeners.get(frame.data.testobjectId ?? "") ?? [])]) listener.onSubscribed();
    return;
  }
  if (!isProductEvent(frame.data)) return;
  waiting.push(...eventsIn(frame.data));
  flushTimer ??= window.setTimeout(flush, batchMs);
}

function connect(): void {
  let opened = false;
  let isOpen = false;
  const live = new ReconnectingSocket(async () => socketAddress(await apiOrigin(), "/ws"), authProtocols, {
    minReconnectionDelay: 500,
    maxReconnectionDelay: 10_000,
    maxEnqueuedMessages: 0,
  });
  socket = live;
  onApiAuth(() => live.reconnect());
  live.addEventListener("message", (event: MessageEvent) => receive(event.data));
  live.addEventListener("open", () => {
    for (const testobjectId of listeners.keys()) send({ type: "subscribe", testobjectId });
    if (opened) for (const set of listeners.values()) for (const listener of [...set]) listener.onReconnect();
    opened = true;
    isOpen = true;
  });
  // so that a screen on which nobody does anything says so too
  live.addEventListener("close", () => {
    if (isOpen) doubt();
    isOpen = false;
  });
}

/**
 * Subscribes to one test object over the page's single websocket.
 * @returns how to stop.
 */
export function listen(testobjectId: string, listener: LiveListener): () => void {
  const set = listeners.get(testobjectId) ?? new Set();
  set.add(listener);
  listeners.set(testobjectId, set);
  if (socket === undefined) connect();
  else if (set.size === 1) send({ type: "subscribe", testobjectId });
  return () => {
    set.delete(listener);
    if (set.size > 0 || listeners.get(testobjectId) !== set) return;
    listeners.delete(testobjectId);
    send({ type: "unsubscribe", testobjectId });
  };
}
