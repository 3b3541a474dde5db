import type { Socket } from "node:net";
import { budgets } from "@web-tester/contracts/limits";
import type { buildConnector } from "undici";

/** Before so much has come, the headers of an answer cannot be too many. */
const quietBytes = budgets.headersMaxBytes;
/** undici counts names and values: of the shortest headers a fifth. What comes later than this is no header. */
const headersEndBytes = 5 * budgets.headersMaxBytes;
const partBytes = 4 * 1024;

/**
 * Hands undici what comes where headers may become too many in small parts. undici makes an error, stack and all, for every
 * further header of the part at hand: 13,000 of them in 64 KiB hold everything up for a tenth of a second or more.
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
      written = socket.bytesWritten; // a request went out: what comes now is its answer
      came = 0;
    }
    const chunk: unknown = read(size ?? partOf(socket.readableLength, came));
    if (Buffer.isBuffer(chunk)) came += chunk.length;
    return chunk;
  };
}

/** @returns undefined for all that is there */
function partOf(length: number, came: number): number | undefined {
  if (came >= headersEndBytes) return undefined;
  const part = Math.max(partBytes, quietBytes - came);
  return length > part ? part : undefined;
}
