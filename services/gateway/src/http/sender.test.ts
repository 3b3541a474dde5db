import { createServer, get, type IncomingMessage, type Server } from "node:http";
import { connect } from "node:net";
import { afterEach, describe, expect, test } from "@jest/globals";
import type { Response } from "express";
import { createSender, type Sender } from "./sender.js";

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** A server whose every answer is sent so; the promise is what sending came to. */
async function serve(send: (response: Response) => Promise<void>) {
  const outcomes: Promise<unknown>[] = [];
  const server = createServer((_request, response) => {
    outcomes.push(
      // what the sender uses of Express's response is Node's own
      send(response as Response).then(
        () => "sent",
        (error: unknown) => error,
      ),
    );
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return { port: address.port, outcomes };
}

const ask = (port: number, method = "GET") =>
  new Promise<IncomingMessage>((resolve, reject) => {
    const asked = get({ port, method, agent: false }, resolve);
    asked.once("error", reject);
  });

/** A connection that asks and reads nothing. */
function askAndWait(port: number) {
  const socket = connect(port, "127.0.0.1");
  socket.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  socket.pause();
  socket.on("error", () => undefined);
  return socket;
}

const read = async (answer: IncomingMessage) => {
  const parts: Buffer[] = [];
  for await (const part of answer) parts.push(part as Buffer);
  return Buffer.concat(parts);
};

/** Without end, unless it throws. */
function endless(throwsAt = Number.POSITIVE_INFINITY) {
  const state = { given: 0, ended: false };
  async function* give() {
    try {
      for (; ; state.given += 1) {
        if (state.given === throwsAt) throw new Error("the store broke");
        yield Buffer.alloc(100_000, 120);
      }
    } finally {
      state.ended = true;
    }
  }
  return { state, give };
}

const hour = 3_600_000;

describe("pieces", () => {
  test("come as they are, texts as UTF-8", async () => {
    async function* some() {
      yield "ä".repeat(100_000);
      yield Buffer.alloc(70_000, 1);
      yield "";
    }
    const sender = createSender({ stallMs: hour });
    const { port } = await serve((response) => sender.pieces(response, some()));
    const body = await read(await ask(port));
    expect(body).toEqual(Buffer.concat([Buffer.from("ä".repeat(100_000)), Buffer.alloc(70_000, 1)]));
  });

  test.each(["at once", "in the middle"])(
    "a reader who leaves %s ends their making, and that is no error",
    async (when) => {
      const { state, give } = endless();
      const sender = createSender({ stallMs: hour });
      const { port, outcomes } = await serve((response) => sender.pieces(response, give()));
      const answer = await ask(port);
      if (when === "in the middle") await new Promise((resolve) => answer.once("data", resolve));
      answer.destroy();
      expect(await outcomes[0]).toBe("sent");
      expect(state.ended).toBe(true);
    },
  );

  test("an error in the middle cuts the connection: the reader does not take half for all", async () => {
    const { state, give } = endless(30);
    const sender = createSender({ stallMs: hour });
    const { port, outcomes } = await serve((response) => sender.pieces(response, give()));
    await expect(ask(port).then(read)).rejects.toMatchObject({ code: "ECONNRESET" });
    expect(await outcomes[0]).toMatchObject({ message: "the store broke" });
    expect(state.ended).toBe(true);
  });

  test("a reader who takes nothing is ended", async () => {
    const { state, give } = endless();
    const sender = createSender({ stallMs: 50 });
    const { port, outcomes } = await serve((response) => sender.pieces(response, give()));
    const socket = askAndWait(port);
    expect(await outcomesOf(outcomes)).toBe("sent");
    expect(state.ended).toBe(true);
    socket.destroy();
  });

  test("nothing is made for HEAD", async () => {
    const { state, give } = endless();
    const sender = createSender({ stallMs: hour });
    const { port } = await serve((response) => sender.pieces(response, give()));
    await read(await ask(port, "HEAD"));
    expect(state.given).toBe(0);
  });
});

/** The first outcome, once there is a request. */
async function outcomesOf(outcomes: Promise<unknown>[]): Promise<unknown> {
  while (outcomes.length === 0) await new Promise((resolve) => setImmediate(resolve));
  return outcomes[0];
}

describe("bytes that wait for their readers", () => {
  const large = Buffer.alloc(24 * 1024 * 1024, 1);
  const start = async (nowMs: () => number, heldMaxBytes = 30 * 1024 * 1024) => {
    const sender: Sender = createSender({ stallMs: hour, heldMaxBytes, nowMs });
    return serve((response) => sender.whole(response, large));
  };

  test("come whole, with their length", async () => {
    const { port } = await start(() => 0, 1);
    const answer = await ask(port);
    expect(answer.headers["content-length"]).toBe(String(large.length));
    expect((await read(answer)).equals(large)).toBe(true);
    // and are let go of
    expect((await read(await ask(port))).equals(large)).toBe(true);
  });

  test("are bounded: one more is refused while all are being read …", async () => {
    const { port, outcomes } = await start(() => 0);
    const first = askAndWait(port);
    while (outcomes.length < 1) await new Promise((resolve) => setImmediate(resolve));
    const second = askAndWait(port);
    while (outcomes.length < 2) await new Promise((resolve) => setImmediate(resolve));
    expect(await outcomes[1]).toMatchObject({ code: "unavailable", message: expect.stringContaining("Try again") });
    first.destroy();
    second.destroy();
    expect(await outcomes[0]).toBe("sent");
  });

  test("… and takes the place of one that is not", async () => {
    let now = 0;
    const { port, outcomes } = await start(() => now);
    const first = askAndWait(port);
    while (outcomes.length < 1) await new Promise((resolve) => setImmediate(resolve));
    now = 10_000;
    expect((await read(await ask(port))).equals(large)).toBe(true);
    expect(await Promise.all(outcomes)).toEqual(["sent", "sent"]);
    first.destroy();
  });
});
