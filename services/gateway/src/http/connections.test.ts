import { createServer, get, type Server } from "node:http";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { afterEach, expect, test } from "@jest/globals";
import type { Request, Response } from "express";
import { createConnectionLimit, endStillConnections, serverTimes } from "./connections.js";

const open: { server: Server; sockets: Socket[] }[] = [];
afterEach(() => {
  for (const { server, sockets } of open.splice(0)) {
    for (const socket of sockets) socket.destroy();
    server.closeAllConnections();
    server.close();
  }
});

async function serve(limit: ReturnType<typeof createConnectionLimit> | null, stallMs = 3_600_000) {
  const server = createServer(serverTimes(stallMs));
  const still = endStillConnections(server, stallMs);
  const sockets: Socket[] = [];
  open.push({ server, sockets });
  limit?.watch(server);
  server.on("request", (request, response) => {
    const next = (error?: unknown) => {
      response.statusCode = error === undefined ? 200 : 429;
      if (request.url === "/large") response.end(Buffer.alloc(64 * 1024 * 1024));
      else if (request.url !== "/never") response.end(error instanceof Error ? error.message : "ok");
    };
    // the handlers use only those parts of Express's request that are Node's own
    const [asked, answer] = [request as Request, response as Response];
    void still(asked, answer, (error?: unknown) => {
      if (error !== undefined || limit === null) next(error);
      else void limit.handler(asked, answer, next);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  const { port } = address;
  return {
    async connect() {
      const socket = connect(port, "127.0.0.1");
      sockets.push(socket);
      socket.on("error", () => undefined);
      await once(socket, "connect");
      return socket;
    },
    ask: (headers: Record<string, string> = {}, path = "/") =>
      new Promise<string>((resolve, reject) => {
        const asked = get({ port, headers, path, agent: false }, (answer) => {
          let text = `${answer.statusCode} `;
          answer.setEncoding("utf8").on("data", (part: string) => (text += part));
          answer.once("end", () => resolve(text));
        });
        asked.once("error", reject);
      }),
  };
}

test("one client holds so many connections, is told of one more, and a crowd is cut off; then it may again", async () => {
  const limit = createConnectionLimit({ perClient: 2, trustedProxies: [], nameOf: () => "a client" });
  const server = await serve(limit);
  const held = [await server.connect(), await server.connect()];
  expect(await server.ask()).toMatch(/^429 Too many connections .+CONNECTION_LIMIT/);
  held.push(await server.connect(), await server.connect());
  const crowd = await server.connect();
  await once(crowd, "close");
  await Promise.all(
    held.map(async (socket) => {
      socket.destroy();
      await once(socket, "close");
    }),
  );
  let answer = "";
  while (!answer.startsWith("200")) answer = await server.ask();
  expect(answer).toBe("200 ok");
});

test("this machine itself has no limit", async () => {
  const server = await serve(createConnectionLimit({ perClient: 1, trustedProxies: [] }));
  for (let count = 0; count < 5; count += 1) await server.connect();
  expect(await server.ask()).toBe("200 ok");
});

test("through a proxy those behind it are told apart, and what they have open is counted", async () => {
  const server = await serve(createConnectionLimit({ perClient: 2, trustedProxies: ["127.0.0.1"] }));
  const as = (client: string) => ({ "x-forwarded-for": client });
  const waiting = [server.ask(as("203.0.113.1"), "/never"), server.ask(as("203.0.113.1"), "/never")];
  for (const one of waiting) one.catch(() => undefined);
  let answer = "";
  while (!answer.startsWith("429")) answer = await server.ask(as("203.0.113.1"));
  expect(await server.ask(as("203.0.113.2"))).toBe("200 ok");
  // the proxy's own request
  expect(await server.ask()).toBe("200 ok");
});

test("a websocket has a place until its connection ends", async () => {
  const limit = createConnectionLimit({ perClient: 1, trustedProxies: ["10.0.0.1"] });
  const ended: (() => void)[] = [];
  const request = () => {
    const socket = { remoteAddress: "10.0.0.1", once: (_event: string, listener: () => void) => ended.push(listener) };
    return { headers: { "x-forwarded-for": "203.0.113.1" }, socket: socket as unknown as Socket };
  };
  limit.takeSocket(request());
  expect(() => limit.takeSocket(request())).toThrow(/Too many connections/);
  for (const end of ended) end();
  expect(() => limit.takeSocket(request())).not.toThrow();
});

test.each([
  ["a head that does not come", ""],
  ["half a head", "GET / HTTP/1.1\r\nHost:"],
  ["an answer that nobody reads", "GET /large HTTP/1.1\r\nHost: x\r\n\r\n"],
])("ends the connection: %s", async (what, written) => {
  const server = await serve(null, 300);
  const socket = await server.connect();
  socket.write(written);
  if (what.startsWith("an answer")) socket.pause();
  else socket.resume();
  // a connection that is being read notices its end; for one that is not, only the server knows
  const [one] = open;
  const count = () =>
    new Promise<number>((resolve, reject) =>
      one?.server.getConnections((error, many) => (error === null ? resolve(many) : reject(error))),
    );
  while ((await count()) > 0) await new Promise((resolve) => setTimeout(resolve, 20));
  expect(await count()).toBe(0);
});

test("an answer that we are slow with is waited for, however often the clock asks", async () => {
  // with 50 ms, a busy machine might need longer to read the request, and then no answer would be under way
  const server = await serve(null, 1_000);
  const socket = await server.connect();
  let closed = false;
  socket.once("close", () => (closed = true));
  socket.write("GET /never HTTP/1.1\r\nHost: x\r\n\r\n");
  const [one] = open;
  if (one === undefined) throw new Error("no server");
  for (let times = 0; times < 3; times += 1) await once(one.server, "timeout");
  expect(closed).toBe(false);
});
