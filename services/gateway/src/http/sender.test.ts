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

/** Starts a server that sends every answer with `send`; the promises tell how sending ended. */
async function serve(send: (response: Response) => Promise<void>) {
  const outcomes: Promise<unknown>[] = [];
  const server = createServer((_request, response) => {
    outcomes.push(
      // the sender uses only those parts of Express's response that are Node's own
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

/** Opens a connection that sends a request and reads nothing. */
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

/** An endless source of pieces, unless it throws. */
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

/** The first outcome, once there was a request. */
async function outcomesOf(outcomes: Promise<unknown>[]): Promise<unknown> {
  while (outcomes.length === 0) await new Promise((resolve) => setImmediate(resolve));
  return outcomes[0];
}

test("what pieces are made of counts as bytes that wait", async () => {
  const sender = createSender({ stallMs: hour, heldMaxBytes: 1_000_000 });
  const { port, outcomes } = await serve((response) => sender.pieces(response, endless().give(), 900_000));
  const still = [askAndWait(port), askAndWait(port)];
  while (outcomes.length < 2) await new Promise((resolve) => setImmediate(resolve));
  expect(await outcomes[1]).toMatchObject({ code: "unavailable" });
  for (const socket of still) socket.destroy();
  expect(await outcomes[0]).toBe("sent");
});

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
    // the bytes of the first answer no longer count
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

describe("answers that are made in turn", () => {
  interface Made {
    now: number;
    most: number;
    ends: number;
  }
  async function* large(made: Made, pieces: number) {
    made.now += 1;
    made.most = Math.max(made.most, made.now);
    try {
      for (let at = 0; at < pieces; at += 1) yield Buffer.alloc(100_000, 120);
    } finally {
      made.now -= 1;
      made.ends += 1;
    }
  }
  const until = async (holds: () => boolean) => {
    while (!holds()) await new Promise((resolve) => setImmediate(resolve));
  };
  const start = async (waitMs: number, givesWayMs: number, pieces = Number.POSITIVE_INFINITY) => {
    const made: Made = { now: 0, most: 0, ends: 0 };
    const sender = createSender({ stallMs: hour, places: { most: 2, waitMs, givesWayMs, pieceMs: hour } });
    return { made, ...(await serve((response) => sender.inTurn(response, large(made, pieces)))) };
  };

  test("are as many as there are places, however many ask; all others come after them", async () => {
    const { made, port } = await start(hour, hour, 200);
    const bodies = await Promise.all(Array.from({ length: 12 }, async () => (await read(await ask(port))).length));
    expect(new Set(bodies)).toEqual(new Set([20_000_000]));
    expect(made).toEqual({ now: 0, most: 2, ends: 12 });
  });

  test("give way to those who wait where their readers take nothing", async () => {
    const { made, port, outcomes } = await start(hour, 20, 500);
    const still = Array.from({ length: 7 }, () => askAndWait(port));
    await until(() => outcomes.length === 7);
    expect((await read(await ask(port))).length).toBe(50_000_000);
    expect(made.most).toBe(2);
    for (const socket of still) socket.destroy();
  });

  test("stay while nobody waits, and who waits in vain is told to come again", async () => {
    const { made, port, outcomes } = await start(50, hour);
    const still = [askAndWait(port), askAndWait(port)];
    await until(() => made.now === 2);
    const late = askAndWait(port);
    await until(() => outcomes.length === 3);
    expect(await outcomes[2]).toMatchObject({ code: "unavailable", message: expect.stringContaining("Try again") });
    expect(made).toEqual({ now: 2, most: 2, ends: 0 });
    for (const socket of [...still, late]) socket.destroy();
  });

  test("are not waited for by readers who leave, nor by HEAD", async () => {
    const { made, port, outcomes } = await start(hour, hour);
    const still = [askAndWait(port), askAndWait(port)];
    await until(() => made.now === 2);
    const left = askAndWait(port);
    await until(() => outcomes.length === 3);
    left.destroy();
    expect(await outcomes[2]).toBe("sent");
    await read(await ask(port, "HEAD"));
    for (const socket of still) socket.destroy();
    await until(() => made.now === 0);
    expect(made.ends).toBe(2);
  });
});
