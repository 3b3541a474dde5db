import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";

/**
 * A proxy to a server that can lose connections without telling either side, like a machine that vanished or a firewall that forgot
 * them.
 */
export interface DeafProxy {
  /** The server's address through the proxy. */
  url: string;
  /** Makes all open connections silent, without closing them; later connections work normally. */
  deafen(): void;
  close(): Promise<void>;
}

/**
 * Starts the proxy.
 * @param to address of a server on loopback
 */
export async function openDeafProxy(to: string): Promise<DeafProxy> {
  const target = new URL(to);
  const sockets = new Set<Socket>();
  let deaf = new WeakSet<Socket>();
  const server = createServer((inner) => {
    const outer = connect(Number(target.port), target.hostname);
    for (const [from, other] of [
      [inner, outer],
      [outer, inner],
    ] as const) {
      sockets.add(from);
      from.on("data", (part) => deaf.has(from) || other.write(part));
      from.on("error", () => undefined);
      from.once("close", () => {
        sockets.delete(from);
        if (!deaf.has(from)) other.destroy();
      });
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The proxy listens nowhere");
  const through = new URL(to);
  through.port = String(address.port);
  return {
    url: through.href,
    deafen() {
      deaf = new WeakSet(sockets);
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}
