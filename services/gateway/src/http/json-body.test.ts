import { once } from "node:events";
import { createServer, type IncomingMessage, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { limits } from "@web-tester/contracts/limits";
import { AppError } from "@web-tester/contracts/errors";
import express, { type NextFunction, type Request, type Response } from "express";
import { jsonBody } from "./json-body.js";

let server: Server;
let port = 0;
/** The event names that were listened for at the last request. */
let listened: (string | symbol)[] = [];

beforeAll(async () => {
  const app = express();
  app.use((request: IncomingMessage, _response: Response, next: NextFunction) => {
    listened = [];
    request.on("newListener", (event: string | symbol) => void listened.push(event));
    next();
  });
  app.use(jsonBody());
  app.use((request: Request, response: Response) => void response.json({ body: request.body as unknown }));
  app.use((error: unknown, _request: Request, response: Response, _next: NextFunction) => {
    response.status(400).json({ code: error instanceof AppError ? error.code : "none" });
  });
  server = createServer(app).listen(0, "127.0.0.1");
  await once(server, "listening");
  port = (server.address() as AddressInfo).port;
});
afterAll(() => void server.close());

/** Sends a request exactly as given. */
async function answerTo(head: string, bytes: Buffer): Promise<unknown> {
  const socket = connect(port, "127.0.0.1");
  socket.write(Buffer.concat([Buffer.from(`POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${head}\r\n`), bytes]));
  let answer = "";
  socket.on("data", (piece) => (answer += String(piece)));
  await once(socket, "close");
  return JSON.parse(answer.slice(answer.indexOf("{"), answer.lastIndexOf("}") + 1));
}
const json = "Content-Type: application/json\r\n";
const inChunksOf = (bytes: Buffer, length: number) =>
  Buffer.from(
    `${Array.from({ length: Math.ceil(bytes.length / length) }, (_, at) =>
      bytes.toString("latin1", at * length, (at + 1) * length),
    )
      .map((piece) => `${piece.length.toString(16)}\r\n${piece}\r\n`)
      .join("")}0\r\n\r\n`,
    "latin1",
  );
const whole = (bytes: Buffer) => `Content-Length: ${bytes.length}\r\n`;
const chunked = "Transfer-Encoding: chunked\r\n";

test("a body whose bytes are each a chunk of their own is not kept byte by byte", async () => {
  const text = "x".repeat(2_000);
  const bytes = Buffer.from(JSON.stringify({ text }));
  expect(await answerTo(json + chunked, inChunksOf(bytes, 1))).toEqual({ body: { text } });
  // a parser that listens for each piece keeps each piece
  expect(listened).not.toContain("data");
});

test.each([
  ["of a length", (bytes: Buffer): [string, Buffer] => [whole(bytes), bytes]],
  ["in chunks", (bytes: Buffer): [string, Buffer] => [chunked, inChunksOf(bytes, 1_000)]],
])("a body %s is read, packed or not; one that is too long, cut off or none is told apart", async (_name, sent) => {
  const body = { a: ["b", "ü"] };
  const bytes = Buffer.from(JSON.stringify(body));
  const ask = (given: Buffer, more = "") => {
    const [head, all] = sent(given);
    return answerTo(json + more + head, all);
  };
  expect(await ask(bytes)).toEqual({ body });
  expect(await ask(gzipSync(bytes), "Content-Encoding: gzip\r\n")).toEqual({ body });
  expect(await ask(bytes.subarray(0, -1))).toEqual({ code: "invalid_json" });
  expect(await ask(Buffer.from([0x22, 0xff, 0x22]))).toEqual({ code: "invalid_json" });
  expect(await ask(gzipSync(bytes).subarray(0, -9), "Content-Encoding: gzip\r\n")).toEqual({ code: "invalid_json" });
  const tooLong = Buffer.alloc(limits.requestBodyMaxBytes + 1, " ");
  expect(await ask(tooLong)).toEqual({ code: "payload_too_large" });
  expect(await ask(gzipSync(tooLong), "Content-Encoding: gzip\r\n")).toEqual({ code: "payload_too_large" });
});

test("a request without a body has none, and an empty one is an empty object", async () => {
  expect(await answerTo("", Buffer.alloc(0))).toEqual({});
  expect(await answerTo(`${json}Content-Length: 0\r\n`, Buffer.alloc(0))).toEqual({ body: {} });
});
