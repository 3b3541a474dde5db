// @ts-check
import { once } from "node:events";
import { connect, createServer } from "node:net";

/**
 * Limits how many test files run at once across jest's workers, whose number cannot change during a run: a worker waits for a turn before its next file.
 * A turn is an open connection, so that it ends with its worker, however that dies.
 * @param {number} atOnce
 * @returns {Promise<{ port: number, allow(more: number): void, close(): void }>} `allow` lets this many more run at once, or fewer by a negative number, as soon as as many have ended
 */
export async function openTurns(atOnce) {
  let free = atOnce;
  /** @type {Set<import("node:net").Socket>} those without a turn yet, the longest waiting first */
  const waiting = new Set();
  /** @type {Set<import("node:net").Socket>} */
  const working = new Set();
  const next = () => {
    for (const socket of waiting) {
      if (free <= 0) return;
      free -= 1;
      waiting.delete(socket);
      working.add(socket);
      socket.write("go");
    }
  };
  const server = createServer((socket) => {
    waiting.add(socket);
    socket.resume();
    socket.on("error", () => undefined);
    socket.once("close", () => {
      waiting.delete(socket);
      if (working.delete(socket)) free += 1;
      next();
    });
    next();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  return {
    port,
    allow(more) {
      free += more;
      next();
    },
    close() {
      server.close();
      for (const socket of [...waiting, ...working]) socket.destroy();
    },
  };
}

/**
 * @param {number} port
 * @returns {Promise<() => void>} to be called when the work is done
 */
export async function takeTurn(port) {
  const socket = connect(port, "127.0.0.1");
  await once(socket, "data");
  return () => void socket.destroy();
}
