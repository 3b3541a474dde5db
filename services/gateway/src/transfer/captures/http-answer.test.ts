import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { describe, expect, test } from "@jest/globals";
import { readHttpAnswer } from "./http-answer.js";
import { heapMiB } from "./test-heap.js";

const read = async (head: string, body: string | Buffer = "") => {
  const answer = await readHttpAnswer(Buffer.concat([Buffer.from(head, "latin1"), Buffer.from(body)]), 1_000_000);
  return answer === null ? null : { ...answer, body: answer.body?.toString() ?? null };
};

describe("the head of an answer", () => {
  test.each([
    ["lines that end as the standard has it", "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"],
    ["lines without a carriage return", "HTTP/1.0 200\nContent-Type: text/html\n\n"],
    ["a last line without one", "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\n"],
    ["a value on a line of its own", "HTTP/1.1 200 OK\r\nContent-Type:\r\n text/html\r\n\r\n"],
  ])("%s", async (_what, head) => {
    const body = "<p>\r\n\r\nall of it";
    expect(await read(head, body)).toEqual({ status: 200, headers: { "content-type": "text/html" }, body });
  });
  test("may be all that there is", async () => {
    expect(await read("HTTP/1.1 204 No Content\r\nX: y")).toEqual({ status: 204, headers: { x: "y" }, body: "" });
  });
  test("may have one name twenty thousand times, which takes no time at all", async () => {
    const head = `HTTP/1.1 200 OK\r\n${"a:b\n".repeat(16_000)}\r\n`;
    // each of them took seconds, so that all would not end within the time of a test
    for (let round = 0; round < 30; round++)
      expect((await read(head))?.headers).toEqual({ a: Array.from({ length: 16_000 }, () => "b") });
  });
  test("is missing in what is no answer", async () => {
    expect(await read("GET / HTTP/1.1\r\n\r\n")).toBeNull();
  });
});

describe("a body", () => {
  const chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
  test("in a million chunks does not leave an object for each", async () => {
    const count = 1_000_000;
    const block = Buffer.from(`${chunked}${"1\r\na\r\n".repeat(count)}0\r\n\r\n`);
    const before = heapMiB();
    const answer = await readHttpAnswer(block, 10_000_000);
    expect(process.memoryUsage().heapUsed / 1024 ** 2 - before).toBeLessThan(20);
    expect(answer?.body?.equals(Buffer.alloc(count, "a"))).toBe(true);
  });
  const packed = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n";
  const coded = (coding: string) => `HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: ${coding}\r\n\r\n`;
  const text = Array.from({ length: 200 }, (_, index) => `<p>${index * 7_919} of some length`).join("");
  const bytes = gzipSync(text);
  const bodyOf = async (head: string, body: string | Buffer) => (await read(head, body))?.body;
  test("in chunks is joined, also with extensions and trailers", async () => {
    expect(await bodyOf(chunked, "3;a=b\r\n<p>\r\n1\r\nx\r\n0\r\nX: y\r\n\r\n")).toBe("<p>x");
  });
  test("that was kept without the chunks or the coding that its head tells is as it is", async () => {
    expect(await bodyOf(chunked, "<p>x")).toBe("<p>x");
    expect(await bodyOf(packed, "<p>x")).toBe("<p>x");
    expect(await bodyOf(packed, bytes)).toContain("of some length");
  });
  test.each([
    ["within its first chunk", chunked, "ff\r\n<p>x"],
    ["between two chunks", chunked, "3\r\n<p>\r\n"],
    ["within its compression", packed, bytes.subarray(0, -12)],
    ["within deflate", coded("deflate"), deflateSync(text).subarray(0, -8)],
    ["within brotli", coded("br"), brotliCompressSync(text).subarray(0, -4)],
    ["within zstd", coded("zstd"), zstdCompressSync(text).subarray(0, -4)],
    ["before the length that its server said", "HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n", "<p>x"],
  ])("that is cut off %s is none", async (_what, head, body) => {
    expect(await bodyOf(head, body)).toBeNull();
  });
  test.each([
    ["gzip", gzipSync("<p>seen</p>")],
    ["utf-8", "<p>seen</p>"],
    ["none, gzip", gzipSync("<p>seen</p>")],
  ])("that is said to be in the coding %s is what a browser shows of it", async (coding, body) => {
    expect(await bodyOf(`HTTP/1.1 200 OK\r\nContent-Encoding: ${coding}\r\n\r\n`, body)).toBe("<p>seen</p>");
  });
  test.each(["deflate", "br", "zstd"])("in whole %s is decoded, and one stored decoded is as it is", async (coding) => {
    const pack = { deflate: deflateSync, br: brotliCompressSync, zstd: zstdCompressSync }[coding] ?? gzipSync;
    expect(await bodyOf(coded(coding), pack(text))).toBe(text);
    expect(await bodyOf(coded(coding), text)).toBe(text);
    const picture = Buffer.from("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "latin1");
    expect(await bodyOf(coded(coding).replace("text/html", "image/png"), picture)).toBe(picture.toString());
  });
  test.each([
    ["a wrong checksum", Buffer.concat([bytes.subarray(0, -8), Buffer.alloc(8)])],
    ["a line end", Buffer.concat([bytes, Buffer.from("\r\n")])],
  ])("in gzip with %s behind it is what browsers make of it", async (_what, body) => {
    expect(await bodyOf(packed, body)).toBe(text);
  });
  test("of the length that its server said, or longer, is whole", async () => {
    for (const length of [3, 4]) {
      const head = `HTTP/1.1 200 OK\r\nContent-Length: ${length}\r\n\r\n`;
      expect(await bodyOf(head, "<p>x")).toBe("<p>x");
    }
    expect(await bodyOf("HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n", "")).toBe("");
  });
  test("in a coding that is not known is none", async () => {
    const unknown = "HTTP/1.1 200 OK\r\nContent-Encoding: compress\r\n\r\n";
    expect(await bodyOf(unknown, Buffer.from("\x1f\x9d\x90".repeat(20), "latin1"))).toBeNull();
  });
});
