// @ts-check
import { once } from "node:events";
import { connect, createServer } from "node:net";

/**
 * Opens a port that forwards to a server until it is switched to another one, like the address of a database service in a failover.
 * @param {number} port of the first server, on loopback
 */
export async function openGate(port) {
  let target = port;
  /** @type {Set<import("node:net").Socket>} */
  const open = new Set();
  const server = createServer((socket) => {
    const onward = connect(target, "127.0.0.1");
    for (const one of [socket, onward]) {
      const other = one === socket ? onward : socket;
      open.add(one);
      one.on("error", () => other.destroy());
      one.on("close", () => {
        open.delete(one);
        other.destroy();
      });
    }
    socket.pipe(onward).pipe(socket);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The gate listens nowhere");
  return {
    port: address.port,
    /** Cuts all open connections; later ones are forwarded to this port. @param {number} next */
    lead(next) {
      target = next;
      for (const socket of open) socket.destroy();
    },
    async close() {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}
