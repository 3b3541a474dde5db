import type { Socket } from "node:net";
import { budgets } from "@web-tester/contracts/limits";
import type { buildConnector } from "undici";

/** As long as fewer bytes have come, there cannot be too many headers. */
const quietBytes = budgets.headersMaxBytes;
/**
 * The byte after which no header can come any more: undici counts only names and values, which make up as little as a fifth of the bytes
 * when headers are short.
 */
const headersEndBytes = 5 * budgets.headersMaxBytes;
const partBytes = 4 * 1024;

/**
 * Passes received bytes to undici in small parts while they may hold too many headers. undici creates an error with a stack for every
 * header beyond its limit in the part that it reads: 13,000 of them in 64 KiB take a tenth of a second or more.
 */
export function readInParts(connect: buildConnector.connector): buildConnector.connector {
  return (target, callback) =>
    connect(target, (...[error, socket]) => {
      if (error !== null) return callback(error, null);
      inParts(socket);
      callback(null, socket);
    });
}

function inParts(socket: Socket): void {
  const read = socket.read.bind(socket);
  let written = -1;
  let came = 0;
  socket.read = (size?: number): unknown => {
    if (socket.destroyed) return null;
    if (socket.bytesWritten !== written) {
      written = socket.bytesWritten; // a request was sent: what comes now is its answer
      came = 0;
    }
    const chunk: unknown = read(size ?? partOf(socket.readableLength, came));
    if (Buffer.isBuffer(chunk)) came += chunk.length;
    return chunk;
  };
}

/** @returns the number of bytes to read; undefined for all that have arrived */
function partOf(length: number, came: number): number | undefined {
  if (came >= headersEndBytes) return undefined;
  const part = Math.max(partBytes, quietBytes - came);
  return length > part ? part : undefined;
}
