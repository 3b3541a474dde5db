import { createServer, type Server, type ServerResponse } from "node:http";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { afterEach, expect, test } from "@jest/globals";
import type { Request, Response } from "express";
import { limitPipelines } from "./pipelines.js";

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** A server that answers when told to, and records the requests that were passed on. */
async function serve() {
  const handed: ServerResponse[] = [];
  const limit = limitPipelines();
  const server = createServer((request, response) => {
    // the handler uses only those parts of Express's request that are Node's own
    void limit(request as Request, response as Response, (error?: unknown) => {
      if (error === undefined) handed.push(response);
      else response.writeHead(429).end(error instanceof Error ? error.message : "");
    });
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  const socket = connect(address.port, "127.0.0.1");
  let read = "";
  socket.setEncoding("latin1").on("data", (part: string) => (read += part));
  socket.on("error", () => undefined);
  /** The end on the server's side; the client notices it later. */
  const ended = once(server, "connection").then(([taken]: Socket[]) => taken && once(taken, "close"));
  return { handed, socket, read: () => read, ended };
}

const request = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
const until = async (condition: () => boolean) => {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
};

test("of many requests that do not wait for answers the first are answered, one is refused, and the connection ends", async () => {
  const { handed, socket, read } = await serve();
  socket.write(request.repeat(200));
  await until(() => handed.length === 16);
  for (const response of handed) response.end("ok");
  await once(socket, "close");
  expect(handed).toHaveLength(16);
  expect(read().match(/HTTP\/1\.1 200/g)).toHaveLength(16);
  expect(read().match(/HTTP\/1\.1 429/g)).toHaveLength(1);
  expect(read()).toMatch(/without waiting for answers/);
});

test("whoever goes on sending is cut off, though nothing is answered yet", async () => {
  const { handed, socket, read, ended } = await serve();
  socket.write(request.repeat(10_000));
  await ended;
  expect(handed).toHaveLength(16);
  expect(read()).toBe("");
}, 30_000);

test("as many as one likes follow one another on a connection, and a few at once", async () => {
  const { handed, socket } = await serve();
  for (let round = 1; round <= 10; round += 1) {
    socket.write(request.repeat(10));
    await until(() => handed.length === 10 * round);
    for (const response of handed.slice(-10)) response.end("ok");
    await until(() => handed.every((response) => response.closed));
  }
  expect(socket.destroyed).toBe(false);
  socket.destroy();
});
