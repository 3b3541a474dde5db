import { createSocket } from "node:dgram";
import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";

/** Servers on loopback that must never be reached. */
export interface Canary {
  /** The TCP port, on 127.0.0.1 and (where there is IPv6) ::1. */
  port: number;
  udpPort: number;
  /** What arrived: paths of HTTP requests, `tcp` for connections without a request, `udp`. */
  ways: Set<string>;
  /** The number of connections and datagrams, whatever they contained. */
  arrivals(): number;
  reset(): void;
  close(): Promise<void>;
}

export async function startCanary(): Promise<Canary> {
  const ways = new Set<string>();
  const sockets = new Set<Socket>();
  let arrivals = 0;
  const serve = () =>
    createServer((socket) => {
      arrivals += 1;
      sockets.add(socket);
      let said = "";
      socket.on("error", () => undefined);
      socket.on("data", (chunk) => {
        said += chunk.toString("latin1");
        const path = /^[A-Z]+ \/([\w/.-]*)/.exec(said)?.[1];
        ways.add(path ?? "tcp");
        socket.end(
          "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nAccess-Control-Allow-Origin: *\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
        );
      });
      socket.once("close", () => {
        if (said === "") ways.add("tcp");
        sockets.delete(socket);
      });
    });
  const ipv4 = serve().listen(0, "127.0.0.1");
  await once(ipv4, "listening");
  const port = portOf(ipv4);
  const ipv6 = serve();
  const hasIpv6 = await new Promise<boolean>((resolve) => {
    ipv6.once("error", () => resolve(false));
    ipv6.listen(port, "::1", () => resolve(true));
  });
  const udp = createSocket("udp4", () => {
    arrivals += 1;
    ways.add("udp");
  });
  udp.bind(0, "127.0.0.1");
  await once(udp, "listening");
  return {
    port,
    udpPort: udp.address().port,
    ways,
    arrivals: () => arrivals,
    reset() {
      ways.clear();
      arrivals = 0;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      udp.close();
      await Promise.all(
        (hasIpv6 ? [ipv4, ipv6] : [ipv4]).map((server) => new Promise((resolve) => server.close(resolve))),
      );
    },
  };
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}
