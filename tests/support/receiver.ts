import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A request that a receiver got. */
interface Received {
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

/** How a receiver answers, by the requested path; `hang`: never. */
export type Answer = { status: number; headers?: Record<string, string>; body?: string } | "hang";

/** Starts a receiver of messages. Paths without a given answer are answered with 204. */
export async function startReceiver() {
  const received: Received[] = [];
  const answers = new Map<string, Answer>();
  const hanging = new Set<ServerResponse>();
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      const path = request.url ?? "";
      received.push({ path, headers: request.headers, body: Buffer.concat(parts).toString("utf8") });
      const answer = answers.get(path) ?? { status: 204 };
      if (answer === "hang") {
        hanging.add(response);
        return;
      }
      response.writeHead(answer.status, answer.headers ?? {}).end(answer.body ?? "");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    received,
    answers,
    /** Answers 204 to all that hang. */
    release() {
      for (const response of hanging) response.writeHead(204).end();
      hanging.clear();
    },
    of: (path: string) => received.filter((one) => one.path === path),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
export type Receiver = Awaited<ReturnType<typeof startReceiver>>;
