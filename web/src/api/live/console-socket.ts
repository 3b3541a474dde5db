import type { ClientFrame } from "@web-tester/contracts/socket";
import ReconnectingSocket from "partysocket/ws";
import { z } from "zod";
import { authProtocols, onApiAuth } from "../api-auth.js";
import { apiOrigin } from "../client.js";
import { socketAddress } from "../origin.js";

/** Lines that arrive within this time are handed on together: one render for a hundred lines a second. */
const batchMs = 100;

/** What the console hears. The payload of a line is read loosely by the console: specification §7 lets parts be missing. */
const consoleFrame = z.union([
  z.object({ type: z.enum(["job:log", "console:log"]), payload: z.unknown() }),
  z.object({ type: z.literal("welcome"), pid: z.int() }),
  z.object({ type: z.enum(["subscribed", "unsubscribed"]) }),
  z.object({ type: z.literal("console:history"), payload: z.object({ text: z.string() }) }),
  z.object({ type: z.literal("error"), message: z.string() }),
]);
type Frame = z.infer<typeof consoleFrame>;

interface Listener {
  /** @param again whether a connection was there before */
  onOpen(again: boolean): void;
  /** Oldest first. */
  onFrames(frames: readonly Frame[]): void;
  onClose(): void;
}

export interface ConsoleSocket {
  /** Lost while there is no connection: `onOpen` is the place to say again what still counts. */
  send(frame: ClientFrame): void;
}

/** Opens `/ws/console` and keeps it open as long as the page lives. */
export function openConsoleSocket(listener: Listener): ConsoleSocket {
  let opened = false;
  let waiting: Frame[] = [];
  let timer: number | undefined;
  const socket = new ReconnectingSocket(async () => socketAddress(await apiOrigin(), "/ws/console"), authProtocols, {
    minReconnectionDelay: 500,
    maxReconnectionDelay: 10_000,
    maxEnqueuedMessages: 0,
  });
  onApiAuth(() => socket.reconnect());
  const flush = () => {
    window.clearTimeout(timer);
    timer = undefined;
    const frames = waiting;
    waiting = [];
    if (frames.length > 0) listener.onFrames(frames);
  };
  socket.addEventListener("open", () => {
    listener.onOpen(opened);
    opened = true;
  });
  socket.addEventListener("close", () => {
    flush();
    listener.onClose();
  });
  socket.addEventListener("message", (event: MessageEvent) => {
    const frame = readFrame(event.data);
    if (frame === undefined) return;
    waiting.push(frame);
    timer ??= window.setTimeout(flush, batchMs);
  });
  return {
    send: (frame) => {
      if (socket.readyState === ReconnectingSocket.OPEN) socket.send(JSON.stringify(frame));
    },
  };
}

/** A frame of a newer server is no reason to stop. */
function readFrame(data: unknown): Frame | undefined {
  try {
    return consoleFrame.safeParse(JSON.parse(String(data))).data;
  } catch {
    return undefined;
  }
}
