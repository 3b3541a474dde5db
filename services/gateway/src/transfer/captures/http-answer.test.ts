import { gzipSync } from "node:zlib";
import { expect, test } from "@jest/globals";
import { readHttpAnswer } from "./http-answer.js";

const bodyOf = async (coding: string, body: Buffer | string) => {
  const head = Buffer.from(`HTTP/1.1 200 OK\r\nContent-Encoding: ${coding}\r\n\r\n`);
  return (await readHttpAnswer(Buffer.concat([head, Buffer.from(body)]), 1_000))?.body?.toString() ?? null;
};

test.each([
  ["gzip", gzipSync("<p>seen</p>")],
  ["utf-8", "<p>seen</p>"],
  ["none, gzip", gzipSync("<p>seen</p>")],
])("a body said to be in the coding %s is what a browser shows of it", async (coding, body) => {
  expect(await bodyOf(coding, body)).toBe("<p>seen</p>");
});

test("bytes in a coding that is not known are left out", async () => {
  expect(await bodyOf("compress", Buffer.from("\x1f\x9d\x90".repeat(20), "latin1"))).toBeNull();
});
