import { connect, createServer, type Socket } from "node:net";

/** A TCP proxy on loopback between two parts of the product that can be cut and made slow. */
export interface FaultProxy {
  port: number;
  /** Ends every connection and refuses new ones. */
  cut(): void;
  /** Delays all bytes from now on, in both directions and in order; 0 ends the delay. */
  delay(ms: number): void;
  /** Ends the cut or delay; connections that were closed stay closed. */
  open(): void;
  close(): Promise<void>;
}

/** @param target returns the port on loopback to connect to; called for each connection */
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

/** Forwards bytes with the current delay; delayed bytes keep their order, even if the delay is changed or ended meanwhile. */
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
