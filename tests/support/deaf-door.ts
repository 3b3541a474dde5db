import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";

/** A way to a server that can lose connections without telling either side, as a machine that is gone or a firewall that forgets them does. */
export interface DeafDoor {
  /** The server's address through the door. */
  url: string;
  /** What is open from now on carries nothing any more, and nobody ends it; later connections are as they should be. */
  deafen(): void;
  close(): Promise<void>;
}

/** @param to address of a server on loopback */
export async function openDeafDoor(to: string): Promise<DeafDoor> {
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
  if (address === null || typeof address === "string") throw new Error("The door listens nowhere");
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
