import { createServer as createHttpsServer } from "node:https";
import { type Socket, createServer } from "node:net";
import { once } from "node:events";
import { brotliCompressSync, gzipSync, zstdCompressSync } from "node:zlib";
import { describe, expect, test } from "@jest/globals";
import { AppError } from "@web-tester/contracts/errors";
import type { LoadProgress } from "./page-result.js";
import { certificate, listen, serve, serveRaw, serveHtml, load, pour, drip } from "./test-servers.js";

describe("faults on the way", () => {
  test("an address that is no URL, or no http", async () => {
    expect(await load("not a url")).toMatchObject({
      kind: "failed",
      code: "invalid_input",
      status: null,
      finalUrl: "not a url",
      message: expect.stringContaining("not a full URL"),
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
      "a page in a coding that nobody asked for",
      `HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: x-lzma\r\n\r\n${"\x5d\0\0\x80\0".repeat(20)}`,
      "encoding_unsupported",
    ],
    [
      "three codings",
      "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip, gzip\r\nContent-Encoding: gzip\r\n\r\nx",
      "encoding_unsupported",
    ],
    ["no answer at all", "", "connection_failed"],
    ["a status below 100", "HTTP/1.1 000 None\r\nContent-Length: 0\r\n\r\n", "protocol_error"],
    [
      "another protocol that nobody asked for",
      "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n",
      "protocol_error",
    ],
    ["nothing but going on", "HTTP/1.1 100 Continue\r\n\r\n", "protocol_error"],
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
    expect(await load(url, { deadlineMs: 600 })).toMatchObject({
      kind: "failed",
      code: "timed_out",
      retryable: true,
      message: expect.stringContaining(words),
    });
  });

  test("a load that is given more time than its deadline ends with its page, or when no more is given", async () => {
    const begun = Promise.withResolvers<void>();
    const { url } = await serve((_request, response) => {
      response.writeHead(200, { "Content-Type": "text/html", "Content-Length": 6 }).write("<p>");
      void begun.promise.then(() => response.end("end"));
    });
    const asked: LoadProgress[] = [];
    const more = (times: number) => (progress: LoadProgress) => {
      if (progress.bytes > 0) begun.resolve();
      return asked.push(progress) <= times ? 150 : 0;
    };
    expect(await load(url, { deadlineMs: 150, moreTime: more(100) })).toMatchObject({ kind: "page", bytesOnWire: 6 });
    expect(asked).toContainEqual(expect.objectContaining({ bytes: 3, announced: 6 }));
    const nothing = await serve(() => undefined);
    asked.length = 0;
    expect(await load(nothing.url, { deadlineMs: 100, moreTime: more(2) })).toMatchObject({
      kind: "failed",
      code: "timed_out",
      message: expect.stringMatching(/was stopped after [0-9.]+ s/),
    });
    expect(asked).toHaveLength(3);
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
