import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { afterEach, expect, test } from "@jest/globals";
import { connect } from "@nats-io/transport-node";
import { openManager } from "./open-manager.js";

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const info = JSON.stringify({ server_id: "one", version: "2.14.0", proto: 1, headers: true, max_payload: 1_048_576 });
const account = { type: "io.nats.jetstream.api.v1.account_info_response", memory: 0, storage: 0, streams: 0 };
const off = { ...account, error: { code: 503, err_code: 10_039, description: "JetStream not enabled for account" } };

/** A server that leaves so many questions unanswered, and gives the rest this answer. @see https://docs.nats.io/reference/reference-protocols/nats-protocol */
async function serve(unanswered: number, answer: object) {
  const asked: string[] = [];
  const talk = (socket: Socket) => {
    closers.push(() => socket.destroy());
    socket.on("error", () => undefined);
    socket.write(`INFO ${info}\r\n`);
    socket.on("data", (bytes) => {
      const text = bytes.toString("latin1");
      if (text.includes("PING\r\n")) socket.write("PONG\r\n");
      for (const [, subject = "", inbox = ""] of text.matchAll(/^PUB (\S+) (\S+) 0\r$/gm)) {
        asked.push(subject);
        const reply = JSON.stringify(answer);
        if (asked.length > unanswered) socket.write(`MSG ${inbox} 1 ${reply.length}\r\n${reply}\r\n`);
      }
    });
  };
  const server = createServer(talk).listen(0, "127.0.0.1");
  await once(server, "listening");
  closers.push(() => server.close());
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("No port");
  const connection = await connect({ servers: `127.0.0.1:${address.port}`, reconnect: false });
  closers.push(() => connection.close());
  return { connection, asked };
}

test("a server that is too busy to answer at first is asked again", async () => {
  const { connection, asked } = await serve(2, account);
  const manager = await openManager(connection, { timeoutMs: 200, patienceMs: 60_000 });
  expect(await manager.getAccountInfo()).toMatchObject({ streams: 0 });
  expect(asked).toEqual(Array.from({ length: 4 }, () => "$JS.API.INFO"));
});

test("one that never answers is not said to be without JetStream", async () => {
  const { connection, asked } = await serve(1_000, account);
  const opening = openManager(connection, { timeoutMs: 100, patienceMs: 300 });
  await expect(opening).rejects.toMatchObject({
    code: "unavailable",
    message: expect.stringContaining("its JetStream does not"),
  });
  expect(asked.length).toBeGreaterThan(1);
});

test("one without it is asked once", async () => {
  const { connection, asked } = await serve(0, off);
  const opening = openManager(connection, { timeoutMs: 60_000, patienceMs: 60_000 });
  await expect(opening).rejects.toMatchObject({
    code: "unavailable",
    message: expect.stringContaining("JetStream is off"),
  });
  expect(asked).toHaveLength(1);
});
