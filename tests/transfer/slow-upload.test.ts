import { once } from "node:events";
import { connect } from "node:net";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { gatewayOnly, startProduct, type Product } from "../support/product.js";
import { readRefusal } from "../support/raw-calls.js";
import { upload } from "../support/transfer.js";
import { until } from "../support/until.js";

/** An upload may be slow, but it may neither stall nor keep its place by a byte now and then. */
const stallMs = 2_000;
let product: Product;

beforeAll(async () => {
  product = await startProduct({ ...gatewayOnly, UPLOAD_STALL_MS: String(stallMs) });
});
afterAll(() => product.stop());

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
const head = '{"version": 1, "testInstances": [], "testSnapshots": [], "testObjects": [';
const object = (index: number, padding: number) =>
  JSON.stringify({
    id: `o${index}`,
    name: `Object ${index}`,
    url: `https://slow-${index}.example/`,
    padding: "x".repeat(padding),
  });

async function lastImport(name: string) {
  const { items } = await product.rest.call("listImports");
  return items.find((item) => item.name === name);
}
const objects = async () => (await product.rest.call("listTestObjects")).length;

test.each([
  [
    "a byte now and then",
    async function* () {
      yield head;
      for (;;) {
        await pause(100);
        yield " ";
      }
    },
  ],
  [
    "nothing any more",
    async function* () {
      yield `${head}${object(1, 100_000)},`;
      await new Promise(() => undefined);
    },
  ],
])("an upload that brings %s is ended, and changes nothing", async (name, body) => {
  await expect(upload(product, body(), { query: `?name=${encodeURIComponent(name)}` })).rejects.toMatchObject({
    code: "ECONNRESET",
  });
  const job = await until("the import has ended", async () => {
    const found = await lastImport(name);
    return found?.state === "failed" && found;
  });
  expect(job.error).toContain("The upload ended before");
  expect(await objects()).toBe(0);
});

test("a slow upload that goes on for longer than that is taken", async () => {
  const count = 12;
  const began = performance.now();
  const { status, text } = await upload(
    product,
    (async function* () {
      yield head;
      for (let index = 0; index < count; index += 1) {
        yield `${index === 0 ? "" : ","}${object(index, 20_000)}`;
        await pause(stallMs / 4);
      }
      yield "]}";
    })(),
    { query: "?name=slow" },
  );
  expect(performance.now() - began).toBeGreaterThan(stallMs * 2);
  expect(status).toBeLessThan(300);
  expect(JSON.parse(text)).toMatchObject({ objects: count });
  expect(await objects()).toBe(count);
});

/** Sends the pieces. @returns the answer that came until the connection ended */
async function untilClosed(
  pieces: Iterable<string> | AsyncIterable<string>,
): Promise<{ status: number; text: string }> {
  const { hostname, port } = new URL(product.address);
  const socket = connect(Number(port), hostname);
  socket.on("error", () => undefined);
  await once(socket, "connect");
  let answer = "";
  socket.setEncoding("utf8").on("data", (part: string) => (answer += part));
  const closed = once(socket, "close");
  for await (const piece of pieces) {
    if (socket.destroyed) break;
    socket.write(piece);
  }
  await closed;
  const [, text = ""] = answer.split("\r\n\r\n");
  return { status: Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? 0), text };
}

/** Yields `start`, and then a byte every 100 ms, for 20 s at most. */
async function* drip(start: string) {
  yield start;
  for (let count = 0; count < 200; count += 1) {
    await pause(100);
    yield "x";
  }
}
const post =
  "POST /api/testobjects HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n";

test.each([
  ["nothing", [""]],
  ["half a head", ["GET /healthz HTTP/1.1\r\nHost: loc"]],
  ["a head that drips", drip("GET /healthz HTTP/1.1\r\nX-Slow: ")],
  ["a body that does not come", [post]],
  ["half a body", [`${post}{"name": "x`]],
  ["a body that drips", drip(post)],
])("a connection that brings %s is told so and ended", async (what, pieces) => {
  const { status, text } = await untilClosed(pieces);
  expect([what, status]).toEqual([what, 408]);
  expect(readRefusal({ status, text }).message).toMatch(/did not arrive in time/);
});

test("a refusal does not keep the connection of a body that never comes", async () => {
  const { status } = await untilClosed([post.replace("application/json", "text/plain")]);
  expect(status).toBe(415);
});
