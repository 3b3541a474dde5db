import { createHash } from "node:crypto";
import { gzipSync, createGunzip } from "node:zlib";
import { expect, test } from "@jest/globals";
import { gunzipped, unpacked } from "./unpacked.js";

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

test("of a file of many members, all before the damaged one come", async () => {
  const records = Array.from({ length: 40 }, (_, index) =>
    `record ${index} ${createHash("sha512").update(`${index}`).digest("hex")}\n`.repeat(9),
  );
  const members = records.map((words) => gzipSync(words));
  members[30]?.fill(0xff, 20, 60);
  async function outOf(chunks: AsyncIterable<Uint8Array>) {
    let out = "";
    await expect(async () => {
      for await (const piece of chunks) out += piece.toString();
    }).rejects.toThrow(/invalid|incorrect/);
    return out;
  }
  const file = Buffer.concat(members);
  expect(await outOf(gunzipped(pieces(file, 64 * 1024)))).toBe(records.slice(0, 30).join(""));
  // control: a decompressor alone drops what it has made of the chunk
  const plain = await outOf(unpacked(pieces(file, 64 * 1024), createGunzip({ chunkSize: 64 * 1024 })));
  expect(plain.length).toBeLessThan(records.slice(0, 30).join("").length);
});

test("a file of nothing but beginnings of members is not cut into a slice for each", async () => {
  const starts = "\x1f\x8b\x08".repeat(100_000);
  const stored = gzipSync(Buffer.from(starts, "latin1"), { level: 0 });
  const begun = performance.now();
  let out = "";
  for await (const piece of gunzipped(pieces(stored, 64 * 1024))) out += piece.toString("latin1");
  expect(out === starts).toBe(true);
  expect(performance.now() - begun).toBeLessThan(2_000);
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
