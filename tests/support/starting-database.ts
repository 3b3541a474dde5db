import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";

/** An address of a database that refuses every connection, as PostgreSQL does while it starts or recovers, until it is ready. */
export interface StartingDatabase {
  url: string;
  /** Lets later connections through. */
  finish(): void;
  close(): Promise<void>;
}

/**
 * @param to postgres:// address of a server on loopback
 * @param state SQLSTATE of the refusal
 */
export async function startingDatabase(to: string, state: string): Promise<StartingDatabase> {
  const target = new URL(to);
  const sockets = new Set<Socket>();
  let isReady = false;
  const server = createServer((inner) => {
    inner.on("error", () => undefined);
    sockets.add(inner);
    if (!isReady) {
      inner.once("data", () => inner.end(refusal(state)));
      return;
    }
    const outer = connect(Number(target.port), target.hostname);
    sockets.add(outer);
    outer.on("error", () => undefined);
    outer.once("close", () => inner.destroy());
    inner.once("close", () => outer.destroy());
    inner.pipe(outer).pipe(inner);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The database listens nowhere");
  const through = new URL(to);
  through.hostname = "127.0.0.1";
  through.port = String(address.port);
  return {
    url: through.href,
    finish: () => void (isReady = true),
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

/** An ErrorResponse of PostgreSQL's protocol. */
function refusal(state: string): Buffer {
  const fields = Buffer.from(`SFATAL\0VFATAL\0C${state}\0Mthe database system is starting up\0\0`);
  const head = Buffer.alloc(5);
  head.write("E");
  head.writeInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, fields]);
}
