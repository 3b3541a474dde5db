import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { gunzipSync } from "node:zlib";
import { expect, test } from "@jest/globals";
import express, { type Request, type Response } from "express";
import { sendBytes } from "../assets/send-bytes.js";
import { createSender } from "./sender.js";

const sender = createSender({ stallMs: 5_000 });
const text = "Hello, this is text that repeats itself. ".repeat(5_000);
const big = Buffer.from(text);

/** Asks a server that sends its answer with `send`. */
async function ask(
  send: (response: Response, request: Request) => Promise<void>,
  { method = "GET", headers = {} }: { method?: string; headers?: object } = {},
) {
  const app = express().use((request, response) => {
    response.setHeader("Content-Type", "application/json");
    send(response, request).catch(() => response.destroy());
  });
  const server = app.listen(0, "127.0.0.1");
  await once(server, "listening");
  try {
    const { port } = server.address() as AddressInfo;
    const asked = get({ port, method, agent: false, headers: { "accept-encoding": "gzip, br", ...headers } });
    const [answer]: IncomingMessage[] = await once(asked, "response");
    const parts: Buffer[] = [];
    for await (const part of answer ?? []) parts.push(part as Buffer);
    return { status: answer?.statusCode, headers: answer?.headers ?? {}, bytes: Buffer.concat(parts) };
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const whole = (body: Buffer) => (response: Response) => sender.whole(response, body, { inGzip: true });
const gzip = { "content-encoding": "gzip", vary: "Accept-Encoding" };

test.each([
  ["at once", big.subarray(0, 20_000)],
  ["piece by piece", big],
])("a long answer is sent in gzip: %s", async (_how, body) => {
  const answer = await ask(whole(body));
  expect(answer.headers).toMatchObject(gzip);
  expect(answer.bytes.length).toBeLessThan(body.length / 5);
  expect(gunzipSync(answer.bytes).equals(body)).toBe(true);
});

test.each([
  ["a short answer", big.subarray(0, 1_000), {}],
  ["an answer for a reader who refuses gzip", big, { "accept-encoding": "br, gzip;q=0" }],
  ["an answer for a reader who names nothing", big, { "accept-encoding": "" }],
])("sent as it is: %s", async (_what, body, headers) => {
  const answer = await ask(whole(body), { headers });
  expect(answer.headers["content-encoding"]).toBeUndefined();
  expect(answer.headers["content-length"]).toBe(String(body.length));
  expect(answer.bytes.equals(body)).toBe(true);
});

test("a question for the head alone has the length of what is not packed", async () => {
  const answer = await ask(whole(big), { method: "HEAD" });
  expect(answer).toMatchObject({ headers: { "content-length": String(big.length) }, bytes: Buffer.alloc(0) });
  expect(answer.headers["content-encoding"]).toBeUndefined();
});

test("what is stored is sent as it was stored, with its tag and its ranges", async () => {
  const send = (response: Response, request: Request) => sendBytes(sender, request, response, big, '"tag"');
  const answer = await ask(send);
  expect(answer.headers).toMatchObject({ etag: '"tag"', "accept-ranges": "bytes", "content-length": `${big.length}` });
  expect(answer.headers["content-encoding"]).toBeUndefined();
  expect(answer.bytes.equals(big)).toBe(true);
});
