import { readFileSync } from "node:fs";
import { type RequestListener, type ServerResponse, createServer as createHttpServer } from "node:http";
import { type Server, type Socket, createServer } from "node:net";
import { once } from "node:events";
import { afterEach } from "@jest/globals";
import { type AddressPolicyOptions, consentFor, createAddressPolicy } from "@web-tester/platform/egress/address-policy";
import { createEgress } from "@web-tester/platform/egress/egress";
import { z } from "zod";
import { createLoader } from "./load-page.js";
import type { PageRequest, PageResult } from "./page-result.js";
import { userAgent } from "./user-agent.js";

export const certificate = z
  .object({ key: z.string(), cert: z.string() })
  .parse(JSON.parse(readFileSync(new URL("./test-certificate.json", import.meta.url), "utf8")));

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

function portOf(server: Server): number {
  const address = server.address();
  return address === null || typeof address === "string" ? 0 : address.port;
}

export async function listen(server: Server): Promise<{ url: string; sent: () => number }> {
  const sockets = new Set<Socket>();
  let sentBytes = 0;
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket
      .on("error", () => undefined)
      .on("close", () => {
        sentBytes += socket.bytesWritten;
        sockets.delete(socket);
      });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  closers.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const sent = () => [...sockets].reduce((sum, socket) => sum + socket.bytesWritten, sentBytes);
  return { url: `http://127.0.0.1:${portOf(server)}/`, sent };
}

export const serve = (listener: RequestListener) => listen(createHttpServer(listener));
export const serveRaw = (answer: string | ((socket: Socket) => void)) =>
  listen(
    createServer((socket) =>
      socket.once("data", () => (typeof answer === "string" ? socket.end(answer, "latin1") : answer(socket))),
    ),
  );
export const serveHtml = (body: string | Buffer, headers: Record<string, string> = {}) =>
  serve((_request, response) => response.writeHead(200, { "Content-Type": "text/html", ...headers }).end(body));

/** Loads from a loopback server, with consent for exactly its host and port, unless `policy` says otherwise. */
export async function load(
  url: string,
  request: Partial<PageRequest> = {},
  policy: Partial<AddressPolicyOptions> = {},
  signal = new AbortController().signal,
): Promise<PageResult> {
  const egress = createEgress(createAddressPolicy({ private: "own-host", allow: [], ownAddresses: [], ...policy }), {
    lookup: (name) =>
      name === "docs.test"
        ? Promise.resolve([{ address: "127.0.0.1", family: 4 }])
        : Promise.reject(Object.assign(new Error(name), { code: "ENOTFOUND" })),
  });
  closers.push(() => egress.close());
  return await createLoader({ egress, userAgent }).loadPage(
    { url, consent: URL.canParse(url) ? consentFor(new URL(url)) : null, deadlineMs: 20_000, ...request },
    signal,
  );
}

export const allowLoopback = { private: "deny", allow: ["127.0.0.1"] } as const;

/** Writes this number of bytes of HTML, no faster than the other side reads. */
export function pour(response: ServerResponse, bytes: number): void {
  const piece = Buffer.alloc(100_000, "<p>x</p>");
  let left = bytes / piece.length;
  const more = () => {
    while (left > 0 && !response.destroyed) {
      left -= 1;
      if (!response.write(piece)) return;
    }
    response.end();
  };
  response.on("drain", more);
  more();
}

export function drip(socket: Socket, first: string, drop: string): void {
  socket.write(first);
  const timer = setInterval(() => socket.write(drop), 5);
  socket.on("close", () => clearInterval(timer));
}
