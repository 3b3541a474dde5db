import type { ServerFrame } from "@web-tester/contracts/socket";
import { WebSocket } from "ws";

/** Beyond this much unsent a reader is slow: it misses what the next frame repeats anyway … */
const slowBytes = 1024 * 1024;
/** … and beyond this much it is gone: it reconnects and starts afresh. */
const lostBytes = 8 * 1024 * 1024;

/** What is needed of a websocket. */
export type Socket = Pick<WebSocket, "send" | "bufferedAmount" | "readyState" | "terminate">;

/** Writes whole frames to a socket's connection, behind what was sent before. */
export type WriteFrames = (socket: Socket, frames: Uint8Array) => void;

/** Whether it has not read for a while what was sent to it. */
export function isSlow(socket: Socket): boolean {
  return socket.bufferedAmount > slowBytes;
}

export function sendFrame(socket: Socket, frame: ServerFrame): void {
  if (socket.readyState !== WebSocket.OPEN) return;
  if (socket.bufferedAmount > lostBytes) socket.terminate();
  else socket.send(JSON.stringify(frame));
}

/**
 * Sends frames whose bytes all their receivers share.
 * @param skippable whether a slow reader may miss them
 */
export function sendPrepared(socket: Socket, frames: Uint8Array, write: WriteFrames, skippable: boolean): void {
  if (socket.readyState !== WebSocket.OPEN) return;
  if (socket.bufferedAmount > lostBytes) socket.terminate();
  else if (!skippable || !isSlow(socket)) write(socket, frames);
}
