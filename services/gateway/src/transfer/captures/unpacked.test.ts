import { gzipSync, createGunzip } from "node:zlib";
import { expect, test } from "@jest/globals";
import { unpacked } from "./unpacked.js";

const text = Array.from({ length: 20_000 }, (_, index) => `line ${index} of ${(index * 7_919) % 10_007}\n`).join("");
const packed = gzipSync(text);

/** Returns the output, the error at its end, and whether the source was closed. */
async function read(source: AsyncIterable<Uint8Array>, most = Number.POSITIVE_INFINITY) {
  let out = "";
  try {
    for await (const piece of unpacked(source, createGunzip({ chunkSize: 16 * 1024 }))) {
      out += piece.toString("latin1");
      // a slow reader
      await new Promise((resolve) => setImmediate(resolve));
      if (out.length >= most) return { out, end: "left" };
    }
  } catch (error) {
    return { out, end: String(error) };
  }
  return { out, end: "whole" };
}

async function* pieces(bytes: Buffer, size: number, fault?: Error) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  if (fault !== undefined) throw fault;
}

test.each([1_000, 1_000_000])("comes whole, in pieces of %d bytes", async (size) => {
  expect(await read(pieces(packed, size))).toEqual({ out: text, end: "whole" });
});

test.each([
  ["its source breaks off", new Error("it ends within a file"), "it ends within a file"],
  ["it ends too early", undefined, "unexpected end of file"],
])("where %s, all that came before comes first", async (_, fault, end) => {
  const cut = packed.subarray(0, -20);
  for (const size of [500, 1_000_000]) {
    const found = await read(pieces(cut, size, fault));
    expect(found.end).toContain(end);
    expect(text.startsWith(found.out)).toBe(true);
    expect(text.length - found.out.length).toBeLessThan(200);
  }
});

test("what is damaged says so", async () => {
  const damaged = Buffer.from(packed);
  damaged.fill(0xff, 20_000, 20_100);
  expect((await read(pieces(damaged, 1_000))).end).toMatch(/invalid|incorrect/);
});

test("a reader who leaves ends the source", async () => {
  let isLeft = false;
  async function* source() {
    try {
      yield* pieces(packed, 1_000);
    } finally {
      isLeft = true;
    }
  }
  expect((await read(source(), 1)).end).toBe("left");
  expect(isLeft).toBe(true);
});
