import { connect, createServer, type Socket } from "node:net";

/** A proxy between two parts: a proxy of ours on loopback that can be shut and made slow. */
export interface FaultProxy {
  port: number;
  /** Ends every connection and refuses new ones. */
  cut(): void;
  /** From now on everything arrives this much later, both ways, in order. 0: at once. */
  delay(ms: number): void;
  /** As if nothing had ever been wrong with it; connections that were ended stay so. */
  open(): void;
  close(): Promise<void>;
}

/** @param target port on loopback; asked at each connection */
export async function openFaultProxy(target: () => number): Promise<FaultProxy> {
  let isCut = false;
  let delayMs = 0;
  const sockets = new Set<Socket>();
  const server = createServer((inner) => {
    if (isCut) {
      inner.destroy();
      return;
    }
    const outer = connect({ host: "127.0.0.1", port: target(), noDelay: true });
    inner.setNoDelay(true);
    for (const [from, to] of [
      [inner, outer],
      [outer, inner],
    ] as const) {
      sockets.add(from);
      const ends = () => {
        sockets.delete(from);
        to.destroy();
      };
      from.once("close", ends);
      from.on("error", ends);
      carry(from, to, () => delayMs);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("A proxy has no port");
  const endAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: address.port,
    cut() {
      isCut = true;
      endAll();
    },
    delay(ms) {
      delayMs = ms;
    },
    open() {
      isCut = false;
      delayMs = 0;
    },
    close: () =>
      new Promise((resolve) => {
        endAll();
        server.close(() => resolve());
      }),
  };
}

/** Moves bytes on; those that have to wait keep their order, also when the delay ends meanwhile. */
function carry(from: Socket, to: Socket, delayMs: () => number): void {
  let waiting = 0;
  const send = (part: Buffer) => {
    if (to.destroyed) return;
    if (!to.write(part)) {
      from.pause();
      to.once("drain", () => from.resume());
    }
  };
  let lastAt = 0;
  from.on("data", (part: Buffer) => {
    const ms = delayMs();
    if (ms === 0 && waiting === 0) {
      send(part);
      return;
    }
    waiting++;
    lastAt = Math.max(lastAt, performance.now() + ms);
    setTimeout(() => {
      waiting--;
      send(part);
    }, lastAt - performance.now());
  });
}
