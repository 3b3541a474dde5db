import { type IncomingHttpHeaders } from "node:http";
import { brotliCompressSync, deflateRawSync, gzipSync, zstdCompressSync } from "node:zlib";
import { describe, expect, test } from "@jest/globals";
import { serve, serveRaw, serveHtml, load, pour } from "./test-servers.js";

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

  test.each(["utf-8", "none", "identity, aws-chunked", "x-unknown"])(
    "a page said to be packed as %s, which is no coding of the web, is what came, and says so",
    async (coding) => {
      const { url } = await serveHtml("<p>seen</p>", { "Content-Encoding": coding });
      const result = await load(url);
      expect(result).toMatchObject({ kind: "page", warning: expect.stringContaining("no coding of the web") });
      expect(result.kind === "page" && result.body.toString()).toBe("<p>seen</p>");
    },
  );

  test("what is known in a list of codings is removed", async () => {
    const { url } = await serveHtml(gzipSync("<p>seen</p>"), { "Content-Encoding": "utf-8, gzip" });
    const result = await load(url);
    expect(result.kind === "page" && result.body.toString()).toBe("<p>seen</p>");
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
      message: expect.stringContaining("is labelled as HTML (text/html), but is an image"),
    });
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
