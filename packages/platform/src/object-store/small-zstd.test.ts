import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { constants, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { isSmall, openSmallZstd } from "./small-zstd.js";

const params = { [constants.ZSTD_c_compressionLevel]: 3 };
const smallest = 64;
const largest = 256 * 1024;

/** Content that repeats itself, as pages do. */
const pages = fc
  .tuple(fc.uint8Array({ minLength: smallest, maxLength: 600 }), fc.integer({ min: 1, max: 40 }))
  .map(([part, times]) => Buffer.concat(Array.from({ length: times }, () => part)));

describe("zstd of small content", () => {
  const compiler = spawnSync("clang-16", ["--target=wasm32-wasi", "-x", "c", "-", "-o", "/dev/null"], {
    input: "int main(void) { return 0; }",
  });
  (compiler.status === 0 ? test : test.skip)(
    "is what its source compiles to (needs clang-16 for WebAssembly)",
    async () => {
      const folder = await mkdtemp(join(tmpdir(), "zstd-"));
      try {
        const built = join(folder, "zstd.wasm");
        execFileSync(process.execPath, [fileURLToPath(new URL("../../zstd/build.mjs", import.meta.url)), built]);
        expect(sha256(await readFile(built))).toBe(
          sha256(await readFile(new URL("../../zstd/zstd.wasm", import.meta.url))),
        );
      } finally {
        await rm(folder, { recursive: true });
      }
    },
    // compiling takes some ten seconds of CPU time
    300_000,
  );

  test("reads what Node's zstd wrote, and the other way round, with a dictionary and without", async () => {
    const zstd = await openSmallZstd();
    fc.assert(
      fc.property(pages, fc.option(pages), (content, dictionary) => {
        fc.pre(dictionary === null || dictionary.readUInt32LE(0) !== 0xec30a437);
        const more = dictionary === null ? {} : { dictionary };
        const theirs = zstdCompressSync(content, { params, pledgedSrcSize: content.length, ...more });
        expect(zstd.decompress(theirs, content.length, dictionary).equals(content)).toBe(true);
        expect(zstdDecompressSync(zstd.compress(content, dictionary), more).equals(content)).toBe(true);
      }),
    );
  });

  test("works against what is loaded, whatever was done in between", async () => {
    const zstd = await openSmallZstd();
    fc.assert(
      fc.property(pages, pages, pages, (keyframe, content, other) => {
        fc.pre(keyframe.readUInt32LE(0) !== 0xec30a437 && other.readUInt32LE(0) !== 0xec30a437);
        const first = zstd.load("the page's", zstd.compress(keyframe, other), keyframe.length, other);
        expect(zstd.bytesOf(first).equals(keyframe)).toBe(true);
        const version = zstd.compress(content, first);
        zstd.decompress(zstd.compress(other, content), other.length, content);
        zstd.loadContent("another's", other);
        const found = zstd.find("the page's");
        expect(found).toEqual(first);
        expect(zstd.decompress(version, content.length, found ?? null).equals(content)).toBe(true);
        const asItIs = zstd.loadContent("as it is", keyframe);
        zstd.unload("the page's");
        expect(zstd.find("the page's")).toBeUndefined();
        expect(zstd.decompress(version, content.length, asItIs).equals(content)).toBe(true);
      }),
    );
  });

  test("makes no more bytes than it was told", async () => {
    const zstd = await openSmallZstd();
    const content = Buffer.alloc(50_000, "a page ");
    for (const frame of [zstdCompressSync(content), zstdCompressSync(content, { pledgedSrcSize: content.length })]) {
      expect(zstd.decompress(frame, content.length, null).equals(content)).toBe(true);
      expect(() => zstd.decompress(frame, content.length - 1, null)).toThrow(/zstd gave up/);
      expect(() => zstd.load("short", frame, content.length - 1, null)).toThrow(/zstd gave up/);
      expect(zstd.find("short")).toBeUndefined();
    }
  });

  test("has room for what it calls small, and for no more", async () => {
    const zstd = await openSmallZstd();
    const content = Buffer.alloc(largest, "page ");
    expect(isSmall(largest, largest)).toBe(true);
    const loaded = zstd.loadContent("the largest", content);
    expect(zstd.decompress(zstd.compress(content, loaded), largest, loaded).equals(content)).toBe(true);
    const tooLarge = Buffer.alloc(largest + 1);
    expect([isSmall(tooLarge.length), isSmall(1, tooLarge.length)]).toEqual([false, false]);
    expect(() => zstd.compress(tooLarge, null)).toThrow(/no room/);
    expect(() => zstd.compress(content, tooLarge)).toThrow(/no room/);
    expect(() => zstd.decompress(tooLarge, 1, null)).toThrow(/no room/);
    expect(() => zstd.decompress(content, largest + 1, null)).toThrow(/no room/);
    expect(() => zstd.loadContent("too large", tooLarge)).toThrow(/no room/);
    expect(zstd.find("the largest")).toEqual(loaded);
  });

  test("never gives other bytes than zstd would for hostile ones", async () => {
    const zstd = await openSmallZstd();
    const whole = zstdCompressSync(Buffer.alloc(3_000, "some text that is repeated "), { pledgedSrcSize: 3_000 });
    fc.assert(
      fc.property(fc.nat(whole.length - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
        const frame = Buffer.from(whole);
        frame.writeUInt8(frame.readUInt8(at) ^ change, at);
        const ours = outcome(() => zstd.decompress(frame, 3_000, null));
        const theirs = outcome(() => zstdDecompressSync(frame, { maxOutputLength: 3_000 }));
        if (ours !== null) expect(theirs?.equals(ours)).toBe(true);
      }),
    );
  });
});

function outcome(work: () => Buffer): Buffer | null {
  try {
    return work();
  } catch {
    return null;
  }
}

function sha256(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}
