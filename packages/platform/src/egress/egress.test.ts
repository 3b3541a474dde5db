import { type IncomingMessage, type RequestListener, createServer as createHttpServer } from "node:http";
import { type Server, type Socket, createServer } from "node:net";
import { once } from "node:events";
import { afterEach, describe, expect, test } from "@jest/globals";
import { AppError } from "@web-tester/contracts/errors";
import { createAddressPolicy } from "./address-policy.js";
import { createEgress, discard } from "./egress.js";

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

function portOf(server: Server): number {
  const address = server.address();
  return address === null || typeof address === "string" ? 0 : address.port;
}

async function listen(server: Server): Promise<string> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  closers.push(() => server.close());
  return `http://127.0.0.1:${portOf(server)}/`;
}

const serve = (listener: RequestListener) => listen(createHttpServer(listener));

/** Starts a server that answers each connection as the test defines, and counts the connections. */
async function serveRaw(talk: (socket: Socket, connection: number) => void) {
  const seen = { connections: 0, sockets: new Set<Socket>() };
  const server = createServer((socket) => {
    seen.connections += 1;
    seen.sockets.add(socket);
    socket.on("error", () => undefined).on("close", () => seen.sockets.delete(socket));
    talk(socket, seen.connections);
  });
  const url = await listen(server);
  closers.push(() => seen.sockets.forEach((socket) => socket.destroy()));
  return { url, seen };
}

function open() {
  const egress = createEgress(createAddressPolicy({ private: "deny", allow: ["127.0.0.1"], ownAddresses: [] }));
  closers.push(() => egress.close());
  return egress;
}

const get = (
  url: string,
  more: { signal?: AbortSignal; deadlineMs?: number | null; headers?: Record<string, string> } = {},
) => open().request({ url: new URL(url), headers: {}, ...more });

/** Waits until a connection can be reused: one turn of the event loop after its body ended. */
const untilFree = () => new Promise<void>((resolve) => setImmediate(() => setImmediate(resolve)));

const closed = (socket: Socket) =>
  new Promise<void>((resolve) => (socket.destroyed ? resolve() : socket.once("close", () => resolve())));

async function read(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

describe("one request", () => {
  test("gives status, headers as they came and the body as it came", async () => {
    const { url } = await serveRaw((socket) =>
      socket.once("data", () =>
        socket.end(
          "HTTP/1.1 302 Found\r\nLocation: /b\r\nSet-Cookie: a=1\r\nX-Cafe: \u00e9\r\nset-cookie: b=2\r\nContent-Length: 4\r\n\r\nhere",
          "latin1",
        ),
      ),
    );
    const response = await get(url);
    expect(response.status).toBe(302);
    expect(response.headers).toEqual([
      ["Location", "/b"],
      ["Set-Cookie", "a=1"],
      ["X-Cafe", "é"],
      ["set-cookie", "b=2"],
      ["Content-Length", "4"],
    ]);
    expect(await read(response.body)).toBe("here");
  });

  test("sends the path with its query, the Host of the URL and the given headers and body", async () => {
    const requests: [IncomingMessage, string][] = [];
    const url = await serve((request, response) => {
      void read(request).then((posted) => {
        requests.push([request, posted]);
        response.end();
      });
    });
    const { body } = await open().request({
      url: new URL(`${url}a%20b?q=1#fragment`),
      method: "POST",
      headers: { "x-one": "1" },
      body: "posted",
    });
    await read(body);
    const [request, posted] = requests[0] ?? [];
    expect([request?.method, request?.url, request?.headers.host, request?.headers["x-one"], posted]).toEqual([
      "POST",
      "/a%20b?q=1",
      new URL(url).host,
      "1",
      "posted",
    ]);
  });

  test("keeps the connection for the next request", async () => {
    const { url, seen } = await serveRaw((socket) =>
      socket.on("data", () => socket.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")),
    );
    const egress = open();
    for (let turn = 0; turn < 3; turn += 1) {
      expect(await read((await egress.request({ url: new URL(url), headers: {} })).body)).toBe("ok");
      await untilFree();
    }
    expect(seen.connections).toBe(1);
  });

  test("a long body is held back until it is read", async () => {
    const url = await serve((_request, response) => void response.end(Buffer.alloc(4 * 1024 * 1024, "x")));
    const { body } = await get(url);
    expect((await read(body)).length).toBe(4 * 1024 * 1024);
  });

  test.each(["ftp://127.0.0.1/", "file:///etc/passwd", "javascript:alert(1)", "data:text/html,x", "ws://127.0.0.1/"])(
    "%s is refused: only http and https",
    async (url) => {
      await expect(get(url)).rejects.toMatchObject({
        code: "address_refused",
        message: expect.stringContaining("only http: and https:"),
      });
    },
  );

  test("credentials in the URL are refused and not repeated", async () => {
    const failure: unknown = await get("http://user:hunter2@127.0.0.1/").catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: "invalid_input" });
    expect(String(failure)).not.toContain("hunter2");
  });

  test("a header that would break out of its line is refused and its value not repeated", async () => {
    const failure: unknown = await get("http://127.0.0.1:9/", {
      headers: { authorization: "Bearer hunter2\r\nX: y" },
    }).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: "invalid_input", message: expect.stringContaining("authorization") });
    expect(String(failure)).not.toContain("hunter2");
  });
});

describe("faults of the server", () => {
  test("nothing listens", async () => {
    const server = createServer();
    const url = await listen(server);
    server.close();
    await once(server, "close");
    await expect(get(url)).rejects.toMatchObject({
      code: "connection_failed",
      retryable: true,
      message: expect.stringContaining("nothing listens there"),
    });
  });

  test.each([
    ["HTTP/0.9", "<html>old</html>\n", 1],
    ["another protocol", "SSH-2.0-OpenSSH_9.2\r\n", 1],
    ["binary noise", "\x00\x01\x02\xff\xfe", 1],
    ["two lengths", "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd", 2],
  ])("%s is no valid HTTP", async (_what, answer, asked) => {
    const { url, seen } = await serveRaw((socket) => socket.once("data", () => socket.end(answer, "latin1")));
    await expect(get(url)).rejects.toMatchObject({
      code: "protocol_error",
      message: expect.stringContaining("not valid HTTP"),
    });
    expect(seen.connections).toBe(asked);
  });

  test("closing without a word is a failed connection", async () => {
    const { url } = await serveRaw((socket) => socket.once("data", () => socket.end()));
    await expect(get(url)).rejects.toMatchObject({
      code: "connection_failed",
      message: expect.stringContaining("closed the connection before it answered"),
    });
  });

  test.each([
    ["a body shorter than announced", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf"],
    ["the same with Connection: close", "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 10\r\n\r\nhalf"],
    ["chunks without an end", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n"],
    [
      "a chunk cut off, with Connection: close",
      "HTTP/1.1 200 OK\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n8\r\nhalf",
    ],
  ])("%s is a body cut off", async (_what, answer) => {
    const { url } = await serveRaw((socket) => socket.once("data", () => socket.end(answer)));
    const { body } = await get(url);
    await expect(read(body)).rejects.toMatchObject({ code: "body_cut_off", retryable: true });
  });

  test("a connection reset inside the body is a body cut off", async () => {
    const server = await serveRaw((socket) =>
      socket.once("data", () =>
        socket.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf", () =>
          setImmediate(() => socket.resetAndDestroy()),
        ),
      ),
    );
    const { body } = await get(server.url);
    await expect(read(body)).rejects.toMatchObject({ code: "body_cut_off" });
  });

  test("headers without end are stopped at 64 KiB", async () => {
    const { url, seen } = await serveRaw((socket) => {
      let at = 0;
      const more = () => {
        while (!socket.destroyed && socket.write(`X-${at++}: ${"y".repeat(1000)}\r\n`));
      };
      socket.once("data", () => socket.write("HTTP/1.1 200 OK\r\n", more));
      socket.on("drain", more);
    });
    await expect(get(url)).rejects.toMatchObject({
      code: "too_large",
      message: expect.stringContaining("64 KiB of headers"),
    });
    expect(seen.connections).toBe(1);
  });
});

describe("idle connections", () => {
  const closeAfterFirst = (socket: Socket, connection: number, method: { count: number }) => {
    let requests = 0;
    socket.on("data", () => {
      method.count += 1;
      requests += 1;
      if (connection === 1 && requests === 2) socket.resetAndDestroy();
      else socket.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
    });
  };

  test("a GET on a connection that the server just gave up is repeated once on a new one", async () => {
    const count = { count: 0 };
    const { url, seen } = await serveRaw((socket, connection) => closeAfterFirst(socket, connection, count));
    const egress = open();
    for (let turn = 0; turn < 2; turn += 1) {
      expect(await read((await egress.request({ url: new URL(url), headers: {} })).body)).toBe("ok");
      await untilFree();
    }
    expect([seen.connections, count.count]).toEqual([2, 3]);
  });

  test("requests to a server that drops every connection after its first answer, without a word, are all answered", async () => {
    let dropped = 0;
    const { url } = await serveRaw((socket) => {
      let requests = 0;
      socket.on("data", () => {
        requests += 1;
        if (requests > 1) dropped += 1;
        if (requests > 1) socket.destroy();
        else socket.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
      });
    });
    const egress = open();
    for (let round = 0; round < 10; round += 1) {
      const bodies = Array.from({ length: 8 }, async () =>
        read((await egress.request({ url: new URL(url), headers: {} })).body),
      );
      expect(new Set(await Promise.all(bodies))).toEqual(new Set(["ok"]));
    }
    // positive control: connections were reused
    expect(dropped).toBeGreaterThan(0);
  });

  test("a POST is not", async () => {
    const count = { count: 0 };
    const { url } = await serveRaw((socket, connection) => closeAfterFirst(socket, connection, count));
    const egress = open();
    const post = () => egress.request({ url: new URL(url), method: "POST", headers: {}, body: "x" });
    await read((await post()).body);
    await untilFree();
    await expect(post()).rejects.toMatchObject({ code: "connection_failed" });
  });
});

describe("time", () => {
  const silent = () => serveRaw(() => undefined);
  const dripping = () =>
    serveRaw((socket) => {
      socket.once("data", () => {
        socket.write("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n");
        const drip = setInterval(() => socket.write("x"), 5);
        socket.on("close", () => clearInterval(drip));
      });
    });

  test("a server that says nothing is given up at the deadline", async () => {
    const { url } = await silent();
    await expect(get(url, { deadlineMs: 60 })).rejects.toMatchObject({
      code: "timed_out",
      message: expect.stringContaining("0.06 s"),
    });
  });

  test("a body that drips for ever is given up at the deadline, and its connection closed", async () => {
    const { url, seen } = await dripping();
    // long enough for the head of the answer, even on a busy machine
    const reading = get(url, { deadlineMs: 500 }).then(({ body }) => read(body));
    await expect(reading).rejects.toMatchObject({ code: "timed_out" });
    await Promise.all([...seen.sockets].map(closed));
    expect(seen.sockets.size).toBe(0);
  });

  test.each([
    ["before the answer", silent],
    ["in the body", dripping],
  ])("the signal ends a request %s with its own reason", async (_when, start) => {
    const { url } = await start();
    const abort = new AbortController();
    const reason = new AppError("timed_out", "enough");
    const reading = get(url, { signal: abort.signal, deadlineMs: null }).then(({ body }) => {
      abort.abort(reason);
      return read(body);
    });
    if (start === silent) abort.abort(reason);
    await expect(reading).rejects.toBe(reason);
  });

  test("any other reason becomes cancelled, also where the signal was spent before", async () => {
    await expect(get("http://127.0.0.1:9/", { signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: "cancelled",
    });
  });

  test("a request that still waits for DNS ends with the signal", async () => {
    const abort = new AbortController();
    const egress = createEgress(createAddressPolicy({ private: "deny", allow: [], ownAddresses: [] }), {
      lookup: () => {
        abort.abort();
        return new Promise(() => undefined);
      },
      connectTimeoutMs: 100,
    });
    await expect(
      egress.request({ url: new URL("http://never.example/"), headers: {}, signal: abort.signal }),
    ).rejects.toMatchObject({ code: "cancelled" });
    await egress.close();
  });

  test("closing ends what is under way", async () => {
    const { url } = await silent();
    const egress = open();
    const waiting = egress.request({ url: new URL(url), headers: {} }).catch((error: unknown) => error);
    await egress.close();
    expect(await waiting).toMatchObject({ code: expect.stringMatching(/^(cancelled|connection_failed)$/) });
  });
});

describe("discard", () => {
  test("reads a short body away and keeps the connection", async () => {
    const { url, seen } = await serveRaw((socket) =>
      socket.on("data", () => socket.write("HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\ngone")),
    );
    const egress = open();
    for (let turn = 0; turn < 2; turn += 1) {
      const { body } = await egress.request({ url: new URL(url), headers: {} });
      discard(body, 4);
      await once(body, "close");
      await untilFree();
    }
    expect(seen.connections).toBe(1);
  });

  test.each([
    ["announced as long", 1024 * 1024],
    ["without an announced length", Number.NaN],
  ])("closes the connection of a body %s", async (_what, announced) => {
    const { url, seen } = await serveRaw((socket) => {
      socket.once("data", () =>
        socket.write(
          `HTTP/1.1 200 OK\r\n${Number.isNaN(announced) ? "" : `Content-Length: ${announced}\r\n`}\r\n${"x".repeat(200_000)}`,
        ),
      );
    });
    const { body } = await get(url);
    const [socket] = seen.sockets;
    discard(body, announced);
    if (socket !== undefined) await closed(socket);
    expect(seen.sockets.size).toBe(0);
  });
});
