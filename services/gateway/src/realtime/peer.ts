import type { ServerFrame } from "@web-tester/contracts/socket";
import { WebSocket } from "ws";

/** With more unsent bytes than this a reader is slow: it is not sent frames that later ones repeat anyway … */
const slowBytes = 1024 * 1024;
/** … and with more than this it is disconnected, so that it connects again and starts afresh. */
const lostBytes = 8 * 1024 * 1024;

/** The part of a websocket that is used. */
export type Socket = Pick<WebSocket, "send" | "bufferedAmount" | "readyState" | "terminate">;

/** Writes whole frames to a socket's connection, after those that were sent before. */
export type WriteFrames = (socket: Socket, frames: Uint8Array) => void;

/** Whether a reader is slow: it has not read for a while what was sent to it. */
export function isSlow(socket: Socket): boolean {
  return socket.bufferedAmount > slowBytes;
}

export function sendFrame(socket: Socket, frame: ServerFrame): void {
  if (socket.readyState !== WebSocket.OPEN) return;
  if (socket.bufferedAmount > lostBytes) socket.terminate();
  else socket.send(JSON.stringify(frame));
}

/**
 * Sends prepared frames, whose bytes all receivers share.
 * @param skippable whether a slow reader may miss them
 */
export function sendPrepared(socket: Socket, frames: Uint8Array, write: WriteFrames, skippable: boolean): void {
  if (socket.readyState !== WebSocket.OPEN) return;
  if (socket.bufferedAmount > lostBytes) socket.terminate();
  else if (!skippable || !isSlow(socket)) write(socket, frames);
}
