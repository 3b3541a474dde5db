import { once } from "node:events";
import { readFileSync } from "node:fs";
import { type Socket, createServer } from "node:net";
import { text } from "node:stream/consumers";
import { createServer as createTlsServer } from "node:tls";
import { afterEach, describe, expect, test } from "@jest/globals";
import { z } from "zod";
import { createAddressPolicy } from "./address-policy.js";
import { createEgress } from "./egress.js";

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

/** Starts a server that gives every request on every connection the same answer, valid or not. */
async function serve(answer: string, isEnded = true, certificate: { key: string; cert: string } | null = null) {
  const requests: string[] = [];
  const talk = (socket: Socket) => {
    socket.on("error", () => undefined);
    closers.push(() => socket.destroy());
    socket.on("data", (bytes) => {
      requests.push(bytes.toString("latin1"));
      if (isEnded) socket.end(answer, "latin1");
      else socket.write(answer, "latin1");
    });
  };
  const server = certificate === null ? createServer(talk) : createTlsServer(certificate, talk);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("No port");
  closers.push(() => server.close());
  const scheme = certificate === null ? "http" : "https";
  return { url: new URL(`${scheme}://127.0.0.1:${address.port}/page?q=1`), requests };
}

function open(allow = ["127.0.0.1"], extraCa: string[] = []) {
  const egress = createEgress(createAddressPolicy({ private: "deny", allow, ownAddresses: [] }), { extraCa });
  closers.push(() => egress.close());
  return egress;
}

const headers = { "user-agent": "test" };
const policy = "HTTP/1.1 200 OK\r\nContent-Security-Policy: default-src 'self';\n  img-src *;\r\nX: y\r\n\r\npage";

describe("answers that every browser reads", () => {
  test.each<[string, number, string, [string, string][]]>([
    [
      "a value over several lines",
      2,
      policy,
      [
        ["Content-Security-Policy", "default-src 'self'; img-src *;"],
        ["X", "y"],
      ],
    ],
    [
      "going on where nobody asked whether to",
      2,
      "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nX: y\r\n\r\npage",
      [["X", "y"]],
    ],
    ["lines that end in LF alone", 2, "HTTP/1.1 200 OK\nX: y\n\npage", [["X", "y"]]],
    ["control characters in a value", 2, "HTTP/1.1 200 OK\r\nX: a\x01\x00b\r\n\r\npage", [["X", "a b"]]],
    ["a line that is no header", 2, "HTTP/1.1 200 OK\r\nX: y\r\nnonsense\r\n and more\r\n\r\npage", [["X", "y"]]],
    [
      "a name that is none",
      2,
      "HTTP/1.1 200 OK\r\nA B: 1\r\n: 2\r\n(c): 3\r\n\xfc: 4\r\nX: y\r\n\r\npage",
      [["X", "y"]],
    ],
    ["spaces before the colon", 2, "HTTP/1.1 200 OK\r\nX : a:b \r\n c\r\n\r\npage", [["X", "a:b c"]]],
    [
      "such lines behind hints that come early, too",
      2,
      "HTTP/1.1 103 Early Hints\r\nnonsense\r\n\r\nHTTP/1.1 200 OK\r\nnonsense\r\nX: y\r\n\r\npage",
      [["X", "y"]],
    ],
    ["a version that is none of HTTP/1", 2, "HTTP/2 200 OK\r\nX: y\r\n\r\npage", [["X", "y"]]],
    [
      "a length besides chunks",
      2,
      "HTTP/1.1 200 OK\r\nContent-Length: 9999\r\nTransfer-Encoding: chunked\r\nX: y\r\n\r\n4\r\npage\r\n0\r\n\r\n",
      [
        ["Transfer-Encoding", "chunked"],
        ["X", "y"],
      ],
    ],
    [
      "a coding that is none besides a length",
      2,
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: identity\r\nContent-Length: 4\r\n\r\npage",
      [["Content-Length", "4"]],
    ],
    [
      "one length said several times",
      2,
      "HTTP/1.1 200 OK\r\nContent-Length: 4\r\nX: y\r\nContent-Length: 4, +4\r\n\r\npage",
      [
        ["Content-Length", "4"],
        ["X", "y"],
      ],
    ],
    ["an empty length", 2, "HTTP/1.1 200 OK\r\nContent-Length: \r\nX: y\r\n\r\npage", [["X", "y"]]],
    ["the same without a fault", 1, "HTTP/1.1 200 OK\r\nX: y\r\n\r\npage", [["X", "y"]]],
  ])("%s", async (_what, asked, answer, expected) => {
    const { url, requests } = await serve(answer);
    const response = await open().request({ url, headers });
    expect(await text(response.body)).toBe("page");
    expect(response.status).toBe(200);
    expect(requests).toHaveLength(asked);
    expect(response.headers.map(([name, value]) => [name, value.replace(/\s+/g, " ")])).toEqual(expected);
    for (const request of requests) {
      expect(request).toMatch(/^GET \/page\?q=1 HTTP\/1\.1\r\n/);
      expect(request.toLowerCase()).toContain(`host: ${url.host}\r\n`);
      expect(request.toLowerCase()).toContain("user-agent: test\r\n");
    }
  });

  test("are read over https, and from no address that may not be fetched", async () => {
    const certificates = new URL("./test-certificates.json", import.meta.url);
    const { trustable } = z
      .object({ trustable: z.object({ key: z.string(), cert: z.string() }) })
      .parse(JSON.parse(readFileSync(certificates, "utf8")));
    const { url } = await serve(policy, true, trustable);
    const { body } = await open(undefined, [trustable.cert]).request({ url, headers });
    expect(await text(body)).toBe("page");
    await expect(open().request({ url, headers })).rejects.toMatchObject({ code: "tls_failed" });
    const refused = open([], [trustable.cert]).request({ url, headers });
    await expect(refused).rejects.toMatchObject({ code: "address_refused" });
  });

  test("are read from the second time on where spaces are behind the size of a chunk", async () => {
    const { url } = await serve("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4  \r\npage\r\n0\r\n\r\n");
    const egress = open();
    const first = await egress.request({ url, headers });
    await expect(text(first.body)).rejects.toMatchObject({ code: "protocol_error", retryable: true });
    for (let turn = 0; turn < 2; turn += 1) {
      const again = await egress.request({ url, headers });
      expect(await text(again.body)).toBe("page");
    }
  });

  test("are refused where they say different lengths", async () => {
    const { url } = await serve("HTTP/1.1 200 OK\r\nContent-Length: 4\r\nContent-Length: 5\r\n\r\npage");
    await expect(open().request({ url, headers })).rejects.toMatchObject({
      code: "protocol_error",
      message: expect.stringContaining("contradict one another"),
    });
  });

  test("are not asked for again where the request has a body", async () => {
    const { url, requests } = await serve(policy);
    const sent = open().request({ url, headers, method: "POST", body: "a=1" });
    await expect(sent).rejects.toMatchObject({ code: "protocol_error" });
    expect(requests).toHaveLength(1);
  });

  test("are told to be faulty by their first fault, where nothing reads them", async () => {
    const { url, requests } = await serve(
      "HTTP/1.1 200 OK\r\nX: a\x01b\r\nContent-Length: 4\r\nContent-Length: 5\r\n\r\npage",
    );
    await expect(open().request({ url, headers })).rejects.toMatchObject({
      code: "protocol_error",
      message: expect.stringContaining("Invalid header value char"),
    });
    expect(requests).toHaveLength(2);
  });

  test("end with an error where they are cut off, too long in their headers, cancelled or closed", async () => {
    const cut = await serve("HTTP/1.1 200 OK\nContent-Length: 10\n\nhalf");
    const { body } = await open().request({ url: cut.url, headers });
    await expect(text(body)).rejects.toMatchObject({ code: "body_cut_off" });

    const long = await serve(`HTTP/1.1 200 OK\nX: ${"x".repeat(100_000)}\n\npage`);
    await expect(open().request({ url: long.url, headers })).rejects.toMatchObject({ code: "protocol_error" });

    const slow = await serve("HTTP/1.1 200 OK\nContent-Length: 10\n\nhalf", false);
    const controller = new AbortController();
    const cancelled = await open().request({ url: slow.url, headers, signal: controller.signal });
    controller.abort();
    await expect(text(cancelled.body)).rejects.toMatchObject({ code: "cancelled" });

    const egress = open();
    const closed = await egress.request({ url: slow.url, headers });
    const reading = text(closed.body);
    await egress.close();
    await expect(reading).rejects.toMatchObject({ code: "body_cut_off" });
  });
});
