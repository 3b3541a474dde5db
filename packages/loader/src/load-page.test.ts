import { readFileSync } from "node:fs";
import {
  type IncomingHttpHeaders,
  type RequestListener,
  type ServerResponse,
  createServer as createHttpServer,
} from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { type Server, type Socket, createServer } from "node:net";
import { once } from "node:events";
import { brotliCompressSync, deflateRawSync, gzipSync, zstdCompressSync } from "node:zlib";
import { afterEach, describe, expect, test } from "@jest/globals";
import { AppError } from "@web-tester/contracts/errors";
import { type AddressPolicyOptions, consentFor, createAddressPolicy } from "@web-tester/platform/egress/address-policy";
import { createEgress } from "@web-tester/platform/egress/egress";
import { z } from "zod";
import { createLoader } from "./load-page.js";
import type { PageRequest, PageResult } from "./page-result.js";
import { userAgent } from "./user-agent.js";

const certificate = z
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

async function listen(server: Server): Promise<{ url: string; sent: () => number }> {
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

const serve = (listener: RequestListener) => listen(createHttpServer(listener));
const serveRaw = (answer: string | ((socket: Socket) => void)) =>
  listen(
    createServer((socket) =>
      socket.once("data", () => (typeof answer === "string" ? socket.end(answer, "latin1") : answer(socket))),
    ),
  );
const serveHtml = (body: string | Buffer, headers: Record<string, string> = {}) =>
  serve((_request, response) => response.writeHead(200, { "Content-Type": "text/html", ...headers }).end(body));

/** Loads from a loopback server that is opened by consent for exactly its host and port, unless `policy` says otherwise. */
async function load(
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

const allowLoopback = { private: "deny", allow: ["127.0.0.1"] } as const;

describe("pages", () => {
  test("a page comes with everything that is known about it", async () => {
    const requests: IncomingHttpHeaders[] = [];
    const { url } = await serve((request, response) => {
      requests.push(request.headers);
      response.setHeader("Set-Cookie", ["a=1", "b=2"]);
      response.writeHead(200, { "Content-Type": "text/html; charset=UTF-8", "X-Thing": "one" }).end("<p>hällo</p>");
    });
    const result = await load(`${url}a?q=1#part`, { extraHeaders: { "X-Extra": "2" } });
    expect(result).toMatchObject({
      kind: "page",
      status: 200,
      finalUrl: `${url}a?q=1`,
      redirects: [],
      contentType: "text/html; charset=UTF-8",
      charset: "utf-8",
      warning: null,
      bytesOnWire: 13,
      headers: { "set-cookie": ["a=1", "b=2"], "x-thing": "one" },
      timings: { totalMs: expect.any(Number), firstByteMs: expect.any(Number) },
    });
    expect(result.kind === "page" && result.body.toString()).toBe("<p>hällo</p>");
    expect(requests[0]).toMatchObject({
      "user-agent": "web-tester/0.1 (website monitoring and testing)",
      "accept-encoding": "gzip, deflate, br, zstd",
      "x-extra": "2",
      accept: expect.stringMatching(/^text\/html/),
    });
    expect(requests[0]).not.toHaveProperty("if-none-match");
  });

  test.each<[string, (text: string) => Buffer]>([
    ["gzip", gzipSync],
    ["deflate", deflateRawSync],
    ["br", brotliCompressSync],
    ["zstd", zstdCompressSync],
    ["gzip, br", (text) => brotliCompressSync(gzipSync(text))],
  ])("a page packed as %s is unpacked, and its travelled bytes counted", async (coding, pack) => {
    const text = "<p>again and again</p>".repeat(20_000);
    const packed = pack(text);
    const { url } = await serveHtml(packed, { "Content-Encoding": coding });
    const result = await load(url);
    expect(result).toMatchObject({ kind: "page", bytesOnWire: packed.length });
    expect(result.kind === "page" && result.body.toString() === text).toBe(true);
  });

  test.each([
    [
      "UTF-8 that is windows-1252",
      "text/html; charset=utf-8",
      Buffer.from("<p>caf\xe9 gar\xe7on na\xefve</p>", "latin1"),
      "windows-1252",
      "says the text is in UTF-8, but it is not",
    ],
    [
      "windows-1252 that is UTF-8",
      "text/html; charset=windows-1252",
      Buffer.from("<p>café garçon</p>"),
      "windows-1252",
      "it is valid UTF-8",
    ],
    ["a charset that does not exist", "text/html; charset=utf-9", Buffer.from("<p>café</p>"), "utf-8", "utf-9"],
  ])("a wrong charset label is worded: %s", async (_what, contentType, bytes, charset, words) => {
    const { url } = await serveHtml(bytes, { "Content-Type": contentType });
    expect(await load(url)).toMatchObject({
      kind: "page",
      charset,
      warning: expect.stringContaining(words),
      body: bytes,
    });
  });

  test("an empty page is a page, and odd", async () => {
    expect(await load((await serveHtml("")).url)).toMatchObject({
      kind: "page",
      status: 200,
      body: Buffer.alloc(0),
      warning: expect.stringContaining("empty"),
    });
    expect(await load((await serve((_request, response) => response.writeHead(204).end())).url)).toMatchObject({
      kind: "page",
      status: 204,
      body: Buffer.alloc(0),
      contentType: null,
    });
  });

  test.each(["HTTP/1.1 200 OK\r\n\r\n<p>x</p>", "HTTP/1.0 200 OK\r\nContent-Type: nonsense\r\n\r\n<p>x</p>"])(
    "a page without a usable content type is taken for what it is: %j",
    async (answer) => {
      expect(await load((await serveRaw(answer)).url)).toMatchObject({ kind: "page", body: Buffer.from("<p>x</p>") });
    },
  );

  test("not modified", async () => {
    const asked: IncomingHttpHeaders[] = [];
    const { url } = await serve((request, response) => {
      asked.push(request.headers);
      response.writeHead(304, { ETag: '"v1"' }).end();
    });
    const conditional = { etag: '"v1"', lastModified: "Tue, 01 Jan 2030 12:00:00 GMT" };
    expect(await load(url, { conditional })).toMatchObject({
      kind: "not-modified",
      status: 304,
      headers: { etag: '"v1"' },
      finalUrl: url,
    });
    expect(asked[0]).toMatchObject({ "if-none-match": '"v1"', "if-modified-since": "Tue, 01 Jan 2030 12:00:00 GMT" });
    expect(await load(url)).toMatchObject({ kind: "failed", code: "http_status", status: 304 });
  });
});

describe("what is no page", () => {
  test.each(["image/png", "application/pdf", "text/plain; charset=utf-8", "application/json"])(
    "%s is told and not downloaded",
    async (contentType) => {
      const { url, sent } = await serve((_request, response) =>
        pour(response.writeHead(200, { "Content-Type": contentType, "Content-Length": 60_000_000 }), 60_000_000),
      );
      expect(await load(url)).toMatchObject({
        kind: "not-html",
        status: 200,
        contentType,
        finalUrl: url,
        bytesOnWire: 0,
      });
      expect(sent()).toBeLessThan(30_000_000); // what the sockets of both sides buffer
    },
  );

  test("the same is loaded where anything is accepted", async () => {
    const { url } = await serveHtml(Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0]), { "Content-Type": "image/png" });
    expect(await load(url, { accept: "any" })).toMatchObject({
      kind: "page",
      contentType: "image/png",
      charset: null,
      body: Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0]),
    });
  });

  test("binary bytes without a content type are no page", async () => {
    expect(
      await load((await serveRaw(`HTTP/1.1 200 OK\r\n\r\n\x89PNG\r\n\x1a\n${"\0\x01\x02\xff".repeat(100)}`)).url),
    ).toMatchObject({ kind: "not-html", contentType: "application/octet-stream" });
  });

  test("binary bytes labelled as HTML are a failure with a reason", async () => {
    const { url } = await serveHtml(Buffer.from(`\x89PNG\r\n\x1a\n${"\0\x01\x02\xff".repeat(100)}`, "latin1"));
    expect(await load(url)).toMatchObject({
      kind: "failed",
      code: "not_html",
      retryable: false,
      status: 200,
      message: expect.stringContaining("is labelled as HTML (text/html), but its bytes are no text"),
    });
  });
});

describe("redirects", () => {
  const redirecting = (steps: Record<string, [status: number, location: string]>) =>
    serve((request, response) => {
      const step = steps[request.url ?? ""];
      if (step === undefined) response.writeHead(200, { "Content-Type": "text/html" }).end(`at ${request.url ?? ""}`);
      else response.writeHead(step[0], { Location: step[1] }).end("moved");
    });

  test("are followed one by one and told", async () => {
    const { url } = await redirecting({
      "/": [301, "/b"],
      "/b": [302, "c?x=1"],
      "/c?x=1": [303, "/d"],
      "/d": [307, "/e"],
      "/e": [308, "/end#part"],
    });
    const result = await load(url);
    expect(result).toMatchObject({ kind: "page", finalUrl: `${url}end`, body: Buffer.from("at /end") });
    expect(result.redirects).toEqual([
      { url, status: 301 },
      { url: `${url}b`, status: 302 },
      { url: `${url}c?x=1`, status: 303 },
      { url: `${url}d`, status: 307 },
      { url: `${url}e`, status: 308 },
    ]);
  });

  test("in a circle end, and the circle is told", async () => {
    const { url } = await redirecting({ "/": [302, "/b"], "/b": [302, "/c"], "/c": [302, "/b"] });
    expect(await load(url)).toMatchObject({
      kind: "failed",
      code: "too_many_redirects",
      retryable: false,
      status: 302,
      finalUrl: `${url}c`,
      message: expect.stringContaining(`${url}b → ${url}c → ${url}b`),
    });
  });

  test("without end end after 10", async () => {
    let count = 0;
    const { url } = await serve((_request, response) => response.writeHead(302, { Location: `/${++count}` }).end());
    const result = await load(url);
    expect(result).toMatchObject({
      kind: "failed",
      code: "too_many_redirects",
      message: expect.stringContaining("more than 10 times"),
    });
    expect([result.redirects.length, count]).toEqual([11, 11]);
  });

  test.each([
    ["without a Location", {}, "does not say where to"],
    ["to another scheme", { Location: "ftp://x.example/" }, "begins with ftp:"],
  ])("%s are invalid", async (_what, headers, words) => {
    const { url } = await serve((_request, response) => response.writeHead(302, headers).end());
    expect(await load(url)).toMatchObject({
      kind: "failed",
      code: "redirect_invalid",
      status: 302,
      message: expect.stringContaining(words),
    });
  });

  test("to a private address are refused, by literal, other port and name; without the guard they arrive", async () => {
    let arrived = 0;
    const canary = await serve((_request, response) => {
      arrived += 1;
      response.writeHead(200, { "Content-Type": "text/html" }).end("inner");
    });
    const { port } = new URL(canary.url);
    const spellings = [
      canary.url,
      `http://0x7f.1:${port}/`,
      `http://2130706433:${port}/`,
      `http://[::ffff:127.0.0.1]:${port}/`,
      `http://docs.test:${port}/`,
      `//127.0.0.1:${port}/`,
    ];
    for (const location of spellings) {
      const { url } = await redirecting({ "/": [302, location] });
      expect([location, await load(url)]).toMatchObject([
        location,
        {
          kind: "failed",
          code: "address_refused",
          retryable: false,
          redirects: [{ url, status: 302 }],
          message: expect.stringContaining("was refused"),
        },
      ]);
      expect(arrived).toBe(0);
    }
    const metadata = await redirecting({ "/": [302, "http://169.254.169.254/latest/meta-data/"] });
    expect(await load(metadata.url, {}, allowLoopback)).toMatchObject({
      kind: "failed",
      code: "address_refused",
      message: expect.stringContaining("metadata"),
    });
    for (const location of spellings.filter((spelling) => !spelling.includes("::"))) {
      const { url } = await redirecting({ "/": [302, location] });
      expect(await load(url, {}, allowLoopback)).toMatchObject({ kind: "page", body: Buffer.from("inner") });
    }
    expect(arrived).toBe(spellings.length - 1);
  });

  test("the caller may refuse one, and its target is never asked", async () => {
    const asked: string[] = [];
    const { url } = await serve((request, response) => {
      asked.push(request.url ?? "");
      response.writeHead(302, { Location: "/out" }).end();
    });
    expect(
      await load(url, {
        checkRedirect: (target) => (target.pathname === "/out" ? "it lies outside the test object." : null),
      }),
    ).toMatchObject({
      kind: "failed",
      code: "out_of_scope",
      message: expect.stringContaining("outside the test object"),
    });
    expect(asked).toEqual(["/"]);
  });

  test("credentials go to their own origin only, there and back", async () => {
    const seen: (string | string[] | undefined)[][] = [];
    const hear =
      (name: string, location: Record<string, string>): RequestListener =>
      (request, response) => {
        seen.push([`${name}${request.url ?? ""}`, request.headers.authorization, request.headers["x-key"]]);
        const target = location[request.url ?? ""];
        if (target === undefined) response.writeHead(200, { "Content-Type": "text/html" }).end("end");
        else response.writeHead(302, { Location: target }).end();
      };
    const toB: Record<string, string> = {};
    const a = await serve(hear("a", toB));
    const b = await serve(hear("b", { "/": `${a.url}back` }));
    toB["/"] = b.url;
    const authorization = { origin: new URL(a.url).origin, headers: { Authorization: "Bearer hunter2", "X-Key": "k" } };
    expect(
      await load(a.url, { authorization, extraHeaders: { authorization: "overridden" } }, allowLoopback),
    ).toMatchObject({ kind: "page" });
    expect(seen).toEqual([
      ["a/", "Bearer hunter2", "k"],
      ["b/", "overridden", undefined],
      ["a/back", "Bearer hunter2", "k"],
    ]);
  });

  test("a redirect whose body never ends is followed all the same", async () => {
    let requests = 0;
    const { url } = await serveRaw((socket) => {
      requests += 1;
      if (requests === 1) socket.write("HTTP/1.1 302 Found\r\nLocation: /b\r\n\r\nendless");
      else socket.end("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\nthere");
    });
    expect(await load(url)).toMatchObject({ kind: "page", finalUrl: `${url}b` });
  });
});

describe("statuses", () => {
  test.each([
    [404, {}, "http_status", false, null],
    [410, {}, "http_status", false, null],
    [401, {}, "http_status", false, null],
    [403, {}, "http_status", false, null],
    [429, { "Retry-After": "7" }, "http_status_retryable", true, 7_000],
    [500, {}, "http_status_retryable", true, null],
    [503, { "Retry-After": "0" }, "http_status_retryable", true, 0],
  ])("%i %j is %s", async (status, headers, code, retryable, retryAfterMs) => {
    const { url } = await serve((_request, response) => response.writeHead(status, headers).end("<h1>sorry</h1>"));
    expect(await load(`${url}page?token=hunter2`)).toMatchObject({
      kind: "failed",
      code,
      retryable,
      status,
      retryAfterMs,
      message: expect.stringContaining(`The server answered ${status} `),
    });
  });

  test("a message never holds a credential", async () => {
    const { url } = await serve((_request, response) => response.writeHead(401).end());
    const authorization = { origin: new URL(url).origin, headers: { authorization: "Bearer hunter2" } };
    const result = await load(`${url}?token=hunter2`, { authorization });
    expect(result).toMatchObject({
      kind: "failed",
      message: expect.stringContaining("did not accept the credentials"),
    });
    expect(result.kind === "failed" && result.message).not.toContain("hunter2");
    expect(JSON.stringify(await load("http://user:hunter2@127.0.0.1/"))).not.toContain("hunter2");
    expect(JSON.stringify(await load("http://user:hunter2@[bad/"))).not.toContain("hunter2");
  });
});

describe("faults on the way", () => {
  test("an address that is no URL, or no http", async () => {
    expect(await load("not a url")).toMatchObject({
      kind: "failed",
      code: "invalid_input",
      status: null,
      finalUrl: "not a url",
      message: expect.stringContaining("no full URL"),
    });
    expect(await load("ftp://a.example/")).toMatchObject({ kind: "failed", code: "address_refused" });
  });

  test("an unreachable host", async () => {
    const server = createServer();
    const { url } = await listen(server);
    server.close();
    await once(server, "close");
    expect(await load(url)).toMatchObject({
      kind: "failed",
      code: "connection_failed",
      retryable: true,
      status: null,
      headers: {},
      message: expect.stringContaining("nothing listens there"),
    });
  });

  test("a name that DNS does not know", async () => {
    expect(await load("http://docs.example/")).toMatchObject({
      kind: "failed",
      code: "dns_failed",
      retryable: true,
      message: "The host docs.example could not be found: DNS has no address for it. Check the spelling of the URL.",
    });
  });

  test("a self-signed certificate", async () => {
    const { url } = await listen(createHttpsServer(certificate, (_request, response) => response.end("x")));
    expect(await load(url.replace("http:", "https:"))).toMatchObject({
      kind: "failed",
      code: "tls_failed",
      retryable: false,
      message: expect.stringContaining("self-signed"),
    });
  });

  test.each([
    ["HTTP/0.9 garbage", "<html>old</html>", "protocol_error"],
    [
      "a body shorter than announced",
      "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 100\r\n\r\n<p>half",
      "body_cut_off",
    ],
    [
      "chunks without an end",
      "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n",
      "body_cut_off",
    ],
    [
      "a packed body cut off",
      `HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\nContent-Length: 100\r\n\r\n${gzipSync("x").toString("latin1").slice(0, 9)}`,
      "body_cut_off",
    ],
    [
      "a packed body that is none",
      "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\n\r\n<p>plain",
      "encoding_broken",
    ],
    [
      "an unknown coding",
      "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: rot13\r\n\r\n<p>x",
      "encoding_unsupported",
    ],
    [
      "three codings",
      "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip, gzip\r\nContent-Encoding: gzip\r\n\r\nx",
      "encoding_unsupported",
    ],
    ["no answer at all", "", "connection_failed"],
  ])("%s", async (_what, answer, code) => {
    const { url } = await serveRaw(answer);
    const result = await load(url);
    expect(result).toMatchObject({ kind: "failed", code, message: expect.stringContaining(new URL(url).host) });
  });

  test("headers without end", async () => {
    const { url } = await serveRaw((socket) => {
      const more = () => {
        while (!socket.destroyed && socket.write(`X-Y: ${"z".repeat(1000)}\r\n`));
      };
      socket.on("drain", more).write("HTTP/1.1 200 OK\r\n", more);
    });
    expect(await load(url)).toMatchObject({
      kind: "failed",
      code: "too_large",
      status: null,
      message: expect.stringContaining("64 KiB of headers"),
    });
  });

  test.each([
    ["announced", true],
    ["unannounced", false],
  ])("60 MB of page, %s, are stopped at 10 MiB", async (_what, isAnnounced) => {
    const { url, sent } = await serve((_request, response) => {
      response.writeHead(200, {
        "Content-Type": "text/html",
        ...(isAnnounced ? { "Content-Length": 60_000_000 } : {}),
      });
      pour(response, 60_000_000);
    });
    const result = await load(url);
    expect(result).toMatchObject({
      kind: "failed",
      code: "too_large",
      retryable: false,
      status: 200,
      message: expect.stringContaining("larger than 10 MiB"),
    });
    expect(result.bytesOnWire).toBeLessThan(11 * 1024 * 1024);
    expect(sent()).toBeLessThan(40_000_000);
  });

  test.each<[string, (bytes: Buffer) => Buffer]>([
    ["gzip", gzipSync],
    ["br", brotliCompressSync],
    ["zstd", zstdCompressSync],
  ])("a %s bomb is stopped at the budget", async (coding, pack) => {
    const bomb = pack(Buffer.alloc(48 * 1024 * 1024));
    const { url } = await serveHtml(bomb, { "Content-Encoding": coding });
    expect(await load(url)).toMatchObject({
      kind: "failed",
      code: "too_large",
      status: 200,
      message: expect.stringContaining("larger than 10 MiB"),
    });
    expect(await load(url, { maxBytes: 48 * 1024 * 1024, accept: "any" })).toMatchObject({
      kind: "page",
      body: { length: 48 * 1024 * 1024 },
    });
  });

  test.each([
    ["says nothing", () => undefined, "did not answer in that time"],
    [
      "drips its body",
      (socket: Socket) => drip(socket, "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n", "x"),
      "bytes of the page had arrived",
    ],
    [
      "drips a packed body",
      (socket: Socket) =>
        drip(socket, "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\n\r\n", "\x1f"),
      "bytes of the page had arrived",
    ],
    [
      "drips its headers",
      (socket: Socket) => drip(socket, "HTTP/1.1 200 OK\r\n", "X: y\r\n"),
      "did not answer in that time",
    ],
  ])("a server that %s is given up at the deadline", async (_what, talk, words) => {
    const { url } = await serveRaw(talk);
    expect(await load(url, { deadlineMs: 120 })).toMatchObject({
      kind: "failed",
      code: "timed_out",
      retryable: true,
      message: expect.stringContaining(words),
    });
  });

  test("one deadline covers all redirects", async () => {
    let count = 0;
    const { url } = await serve(
      (_request, response) => void setTimeout(() => response.writeHead(302, { Location: `/${++count}` }).end(), 50),
    );
    expect(await load(url, { deadlineMs: 175 })).toMatchObject({
      kind: "failed",
      code: "timed_out",
      message: expect.stringContaining("0.175 s"),
    });
  });

  test("the caller's signal ends a load, with its reason where it has one", async () => {
    const { url } = await serveRaw(() => undefined);
    expect(await load(url, {}, {}, AbortSignal.abort())).toMatchObject({ kind: "failed", code: "cancelled" });
    const abort = new AbortController();
    const loading = load(url, {}, {}, abort.signal);
    abort.abort(new AppError("cancelled", "The run was cancelled."));
    expect(await loading).toMatchObject({ kind: "failed", code: "cancelled", message: "The run was cancelled." });
  });
});

/** Writes no faster than the other side reads. */
function pour(response: ServerResponse, bytes: number): void {
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

function drip(socket: Socket, first: string, drop: string): void {
  socket.write(first);
  const timer = setInterval(() => socket.write(drop), 5);
  socket.on("close", () => clearInterval(timer));
}
