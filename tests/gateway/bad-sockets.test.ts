import { once } from "node:events";
import { request } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { serverFrame, type ServerFrame } from "@web-tester/contracts/socket";
import { limits } from "@web-tester/contracts/limits";
import { WebSocket } from "ws";
import { crawl, register } from "../support/job.js";
import type { Product } from "../support/product.js";
import { shareProduct } from "../support/shared-product.js";
import { manual, startSite } from "../support/site.js";
import { until } from "../support/until.js";

/** Frames that the product's own screens never send are answered with a message and change nothing; other origins are refused. */
let product: Product;
let gatewayPid: number;
const opened: WebSocket[] = [];

beforeAll(async () => {
  product = await shareProduct();
  gatewayPid = product.pidOf("gateway");
});
afterAll(async () => {
  for (const socket of opened) socket.terminate();
  await product.stop();
});

interface Peer {
  socket: WebSocket;
  frames: ServerFrame[];
  /** The close code, once the socket is closed. */
  closed: number | undefined;
}

function open(path: string, options: { origin?: string } = {}): Peer {
  const socket = new WebSocket(product.address.replace("http", "ws") + path, options);
  const peer: Peer = { socket, frames: [], closed: undefined };
  opened.push(socket);
  socket.on("message", (data: Buffer) => peer.frames.push(serverFrame.parse(JSON.parse(data.toString("utf8")))));
  socket.on("close", (code) => (peer.closed = code));
  socket.on("error", () => undefined);
  return peer;
}

async function welcomed(path = "/ws"): Promise<Peer> {
  const peer = open(path);
  await until("the welcome", () => peer.frames[0]?.type === "welcome");
  return peer;
}

/** Sends one frame and waits for one more answer. */
async function answerTo(peer: Peer, frame: string | Buffer): Promise<ServerFrame> {
  const before = peer.frames.length;
  peer.socket.send(frame);
  return until("an answer", () => peer.frames[before], 10_000);
}

/** Returns the HTTP status with which an upgrade is refused, or 101 if it is accepted. */
async function upgradeStatus(path: string, origin?: string): Promise<number> {
  const { socket } = open(path, origin === undefined ? {} : { origin });
  const refused = once(socket, "unexpected-response").then(([, answer]) => Number(answer.statusCode));
  const accepted = once(socket, "open").then(() => 101);
  refused.catch(() => undefined);
  accepted.catch(() => undefined);
  return Promise.race([refused, accepted]);
}

const id = "019f0000-0000-7000-8000-000000000000";
const refusedFrames: [what: string, frame: string | Buffer, message: RegExp][] = [
  ["malformed JSON", '{"type": "subscribe"', /not valid JSON/],
  ["nothing", "", /not valid JSON/],
  ["no object", "[1, 2]", /type is not known/],
  ["null", "null", /type is not known/],
  ["no type", "{}", /type is not known.*Known types: init, subscribe/],
  ["an unknown type", '{"type": "dance"}', /type is not known/],
  ["a type of a wrong type", '{"type": {"$ne": 1}}', /type is not known/],
  ["a prototype", '{"__proto__": {"type": "init"}}', /type is not known/],
  ["a frame that only the server sends", '{"type": "welcome", "pid": 1}', /type is not known/],
  ["an id that is none", '{"type": "subscribe", "testobjectId": "1"}', /testobjectId/],
  ["an id of a wrong type", '{"type": "subscribe", "testobjectId": 7}', /testobjectId/],
  ["a room of a wrong type", '{"type": "subscribe", "roomId": ["a"]}', /roomId/],
  ["a room with too long a name", JSON.stringify({ type: "subscribe", roomId: "r".repeat(201) }), /roomId/],
  ["a role of a wrong type", '{"type": "init", "role": null}', /role/],
  ["nothing to listen to", '{"type": "subscribe"}', /names nothing to listen to/],
  ["bytes", Buffer.from('{"type": "init", "role": "console"}'), /Frames are text/],
  ["deep nesting", "[".repeat(30_000) + "]".repeat(30_000), /type is not known/],
  ["the largest frame", JSON.stringify({ type: "x".repeat(limits.websocketFrameMaxBytes - 11) }), /type is not known/],
];

describe("frames", () => {
  test.each(refusedFrames)("%s", async (_what, frame, message) => {
    const peer = await welcomed();
    expect(await answerTo(peer, frame)).toEqual({ type: "error", message: expect.stringMatching(message) });
    // the connection still works
    expect(await answerTo(peer, JSON.stringify({ type: "subscribe", testobjectId: id }))).toEqual({
      type: "subscribed",
      testobjectId: id,
    });
  });

  test("a frame over 64 KiB ends the connection, and no other", async () => {
    const [big, other] = await Promise.all([welcomed(), welcomed()]);
    big.socket.send(JSON.stringify({ type: "x".repeat(65 * 1024) }));
    expect(await until("the end", () => big.closed)).toBe(1009);
    expect(await answerTo(other, "{}")).toMatchObject({ type: "error" });
  });

  test("text that is no UTF-8 ends the connection", async () => {
    const peer = await welcomed();
    peer.socket.send(Buffer.from([0x7b, 0xff, 0xfe, 0x7d]), { binary: false });
    expect(await until("the end", () => peer.closed)).toBe(1007);
  });

  test("a thousand bad frames, and the one behind them is still heard", async () => {
    const peer = await welcomed();
    for (let count = 0; count < 1_000; count++) peer.socket.send("{");
    peer.socket.send(JSON.stringify({ type: "subscribe", testobjectId: id }));
    await until("the subscription", () => peer.frames.some(({ type }) => type === "subscribed"));
    expect(peer.frames.filter(({ type }) => type === "error")).toHaveLength(1_000);
  });

  test("somebody else's bad frames do not disturb who listens", async () => {
    const site = await startSite(manual(3, "text"));
    const objectId = await register(product, site.url);
    const [listener, fool] = await Promise.all([welcomed(), welcomed()]);
    await answerTo(listener, JSON.stringify({ type: "subscribe", testobjectId: objectId }));
    await answerTo(fool, JSON.stringify({ type: "unsubscribe", testobjectId: objectId }));
    await crawl(product, objectId);
    await until("the end of the crawl", () =>
      listener.frames.some((frame) => frame.type === "crawl:progress" && !frame.running),
    );
    expect(fool.frames.some(({ type }) => type === "crawl:progress")).toBe(false);
    await site.close();
  });
});

describe("who may connect", () => {
  test.each(["/ws", "/ws/console"])("%s: pages of another origin are refused before the upgrade", async (path) => {
    for (const origin of [
      "http://evil.example",
      "https://127.0.0.1",
      "http://127.0.0.1",
      "http://127.0.0.1:1",
      "null",
      "file://",
      `${product.address}.evil.example`,
      "nonsense",
    ])
      expect([origin, await upgradeStatus(path, origin)]).toEqual([origin, 403]);
    expect(await upgradeStatus(path, product.address)).toBe(101);
    expect(await upgradeStatus(path)).toBe(101);
  });

  test("other paths are no websockets, and are answered as what they are", async () => {
    const statuses = { "/": 200, "/ws/": 404, "/ws/other": 404, "/api/testobjects": 200, "/wsx": 404 };
    for (const [path, status] of Object.entries(statuses)) {
      const peer = open(path);
      await until(`the end of ${path}`, () => peer.closed !== undefined);
      expect([path, peer.frames, await upgradeStatus(path)]).toEqual([path, [], status]);
    }
  });

  test.each(["GET", "POST"])(
    "who offers HTTP/2 with a %s, as Java's client does, is answered in HTTP/1.1",
    async (method) => {
      const body = method === "GET" ? "" : JSON.stringify({ name: "", url: "" });
      const headers = { "content-type": "application/json", "content-length": body.length };
      const offer = { connection: "Upgrade, HTTP2-Settings", upgrade: "h2c", "http2-settings": "AAEAAEAAAAIAAAAB" };
      const asked = request(`${product.address}/api/testobjects`, { method, headers: { ...headers, ...offer } });
      const [answer] = await once(asked.end(body), "response");
      expect(answer.statusCode).toBe(method === "GET" ? 200 : 400);
      answer.resume();
    },
  );
});

test("the gateway is the same process, and well", async () => {
  expect(product.pidOf("gateway")).toBe(gatewayPid);
  expect((await fetch(`${product.address}/readyz`)).status).toBe(200);
});
