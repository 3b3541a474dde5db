import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { afterEach, describe, expect, test } from "@jest/globals";
import { openConnection, openManager } from "./open-connection.js";

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

const info = JSON.stringify({
  ...{ server_id: "one", version: "2.14.0", proto: 1, headers: true, max_payload: 1_048_576, auth_required: true },
});
const account = { type: "io.nats.jetstream.api.v1.account_info_response", memory: 0, storage: 0, streams: 0 };
const off = { ...account, error: { code: 503, err_code: 10_039, description: "JetStream not enabled for account" } };
const tooLate = "Authentication Timeout";

interface Faults {
  /** Errors with which the next connections are refused. */
  refusals?: string[];
  /** How many questions stay unanswered before one is answered. */
  unanswered?: number;
  answer?: object;
}

/** Starts a server that speaks the NATS protocol. @see https://docs.nats.io/reference/reference-protocols/nats-protocol */
async function serve({ refusals = [], unanswered = 0, answer = account }: Faults) {
  const asked: string[] = [];
  const sockets = new Set<Socket>();
  const talk = (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.write(`INFO ${info}\r\n`);
    socket.on("data", (bytes) => {
      const text = bytes.toString("latin1");
      const refusal = text.includes("CONNECT ") ? refusals.shift() : undefined;
      if (refusal !== undefined) return void socket.end(`-ERR '${refusal}'\r\n`);
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
  closers.push(
    () => server.close(),
    () => {
      for (const socket of sockets) socket.destroy();
    },
  );
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("No port");
  const url = `nats://one:secret@127.0.0.1:${address.port}`;
  return {
    asked,
    refusals,
    cut() {
      for (const socket of sockets) socket.destroy();
    },
    async open() {
      const connection = await openConnection(url, { name: "test", timeoutMs: 30_000, patienceMs: 60_000 });
      closers.push(() => connection.close());
      return connection;
    },
  };
}

describe("a connection", () => {
  test("is tried again where it was too late to say who it is", async () => {
    const server = await serve({ refusals: [tooLate, tooLate] });
    const connection = await server.open();
    await connection.flush();
    expect([connection.isClosed(), server.refusals]).toEqual([false, []]);
  });

  test("is not tried again where it is not let in, and says so", async () => {
    const server = await serve({ refusals: ["Authorization Violation", "Authorization Violation"] });
    const message = expect.stringContaining("does not let us in");
    await expect(server.open()).rejects.toMatchObject({ code: "unavailable", message });
    expect(server.refusals).toHaveLength(1);
  });

  test("is kept through any number of refusals", async () => {
    const server = await serve({});
    const connection = await server.open();
    server.refusals.push(tooLate, tooLate, tooLate);
    const back = (async () => {
      for await (const { type } of connection.status()) if (type === "reconnect") return type;
      return "given up";
    })();
    server.cut();
    expect(await back).toBe("reconnect");
    expect(server.refusals).toEqual([]);
  });
});

describe("JetStream", () => {
  test("is asked again where a server is too busy to answer at first", async () => {
    const server = await serve({ unanswered: 2 });
    const manager = await openManager(await server.open(), { timeoutMs: 200, patienceMs: 60_000 });
    expect(await manager.getAccountInfo()).toMatchObject({ streams: 0 });
    expect(server.asked).toEqual(Array.from({ length: 4 }, () => "$JS.API.INFO"));
  });

  test("that never answers is not said to be off", async () => {
    const server = await serve({ unanswered: 1_000 });
    const opening = openManager(await server.open(), { timeoutMs: 100, patienceMs: 300 });
    const message = expect.stringContaining("its JetStream does not");
    await expect(opening).rejects.toMatchObject({ code: "unavailable", message });
    expect(server.asked.length).toBeGreaterThan(1);
  });

  test("that is off is asked once", async () => {
    const server = await serve({ answer: off });
    const opening = openManager(await server.open(), { timeoutMs: 60_000, patienceMs: 60_000 });
    const message = expect.stringContaining("JetStream is off");
    await expect(opening).rejects.toMatchObject({ code: "unavailable", message });
    expect(server.asked).toHaveLength(1);
  });
});
