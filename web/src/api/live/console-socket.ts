import type { ClientFrame } from "@web-tester/contracts/socket";
import ReconnectingSocket from "partysocket/ws";
import { z } from "zod";
import { authProtocols, onApiAuth } from "../api-auth.js";
import { apiOrigin } from "../client.js";
import { socketAddress } from "../origin.js";

/** Lines that arrive within this time are passed on together: one render for a hundred lines a second. */
const batchMs = 100;

/**
 * The frames of the console's socket. The payload of a line is parsed loosely later, because specification §7 allows parts to be
 * missing.
 */
const consoleFrame = z.union([
  z.object({ type: z.enum(["job:log", "console:log"]), payload: z.unknown() }),
  z.object({ type: z.literal("welcome"), pid: z.int() }),
  z.object({ type: z.enum(["subscribed", "unsubscribed"]) }),
  z.object({ type: z.literal("console:history"), payload: z.object({ text: z.string() }) }),
  z.object({ type: z.literal("error"), message: z.string() }),
]);
type Frame = z.infer<typeof consoleFrame>;

interface Listener {
  /** @param again whether there was a connection before */
  onOpen(again: boolean): void;
  /** Oldest first. */
  onFrames(frames: readonly Frame[]): void;
  onClose(): void;
}

export interface ConsoleSocket {
  /** Frames are lost while there is no connection: send again in `onOpen` what still counts. */
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

/** Parses a frame; unknown frames of a newer server are ignored. */
function readFrame(data: unknown): Frame | undefined {
  try {
    return consoleFrame.safeParse(JSON.parse(String(data))).data;
  } catch {
    return undefined;
  }
}
