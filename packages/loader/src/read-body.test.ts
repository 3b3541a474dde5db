import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import * as zlib from "node:zlib";
import { describe, expect, test } from "@jest/globals";
import { AppError } from "@web-tester/contracts/errors";
import fc from "fast-check";
import { type Coding, createDecoder, readCodings } from "./content-codings.js";
import { readBody } from "./read-body.js";

const pack: Record<string, (bytes: Buffer) => Buffer> = {
  gzip: zlib.gzipSync,
  deflate: zlib.deflateSync,
  "deflate without a header": zlib.deflateRawSync,
  br: (bytes) => zlib.brotliCompressSync(bytes, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 4 } }),
  zstd: zlib.zstdCompressSync,
};
const codingOf = (name: string): Coding => readCodings(name.split(" ")[0] ?? "", "It").codings[0] ?? "gzip";
const names = Object.keys(pack);
const noise = (bytes: number) =>
  Buffer.from(Uint32Array.from({ length: bytes / 4 }, (_, at) => Math.imul(at + 1, 2654435761) ^ (at >>> 3)).buffer);

/** Returns a body that comes in pieces and counts the bytes that were taken from it. */
function bodyOf(bytes: Buffer, pieceBytes = 16 * 1024) {
  const taken = { bytes: 0 };
  function* pieces() {
    for (let at = 0; at < bytes.length; at += pieceBytes) {
      const piece = bytes.subarray(at, at + pieceBytes);
      taken.bytes += piece.length;
      yield piece;
    }
  }
  return { body: Readable.from(pieces(), { objectMode: false }), taken };
}

function read(bytes: Buffer, codings: Coding[], maxBytes = 10_000_000, announced = Number.NaN) {
  const { body, taken } = bodyOf(bytes);
  let wire = 0;
  return {
    taken,
    body,
    wire: () => wire,
    result: readBody(body, { codings, maxBytes, announced, where: "The page X", onWire: (count) => (wire += count) }),
  };
}

describe("readCodings", () => {
  test.each([
    [null, []],
    ["", []],
    ["identity", []],
    ["GZIP", ["gzip"]],
    ["x-gzip", ["gzip"]],
    ["gzip, br", ["br", "gzip"]],
    [" deflate ,identity, zstd", ["zstd", "deflate"]],
    [",,", []],
  ])("%j is removed as %j", (header, expected) => {
    expect(readCodings(header, "It")).toEqual({ codings: expected, unknown: [] });
  });

  test.each([
    ["compress", [], ["compress"]],
    ["gzip, aws-chunked", ["gzip"], ["aws-chunked"]],
    ["utf-8", [], ["utf-8"]],
    ["identity, None, gzip, br", ["br", "gzip"], ["none"]],
    ["a, b, c, d", [], ["a", "b", "c", "d"]],
  ])("what is no coding in %j is left aside and named", (header, codings, unknown) => {
    expect(readCodings(header, "It")).toEqual({ codings, unknown });
  });

  test("more layers than two are refused", () => {
    expect(() => readCodings("gzip, gzip, gzip", "It")).toThrow(
      expect.objectContaining({
        code: "encoding_unsupported",
        message: expect.stringContaining("packed 3 times"),
      }),
    );
  });
});

describe("a gzip body as browsers read it", () => {
  const text = Buffer.from("words of an old page ".repeat(500));
  const packed = zlib.gzipSync(text);
  /** A body as scripts of many old sites send it: a header that is too short, zlib's own, and its checksum in place of the trailer. */
  const oldScript = Buffer.concat([Buffer.from("1f8b080000000000", "hex"), zlib.deflateSync(text)]);
  const named = Buffer.concat([
    Buffer.from("1f8b081c000000000003", "hex"),
    Buffer.from("\x02\0ab"),
    Buffer.from("name\0why\0"),
    packed.subarray(10),
  ]);
  const wrong = Buffer.from(packed);
  wrong.writeUInt32LE(1, wrong.length - 8);

  test.each([
    ["without its trailer", packed.subarray(0, -8)],
    ["with half of it", packed.subarray(0, -4)],
    ["with a wrong checksum", wrong],
    ["of an old script", oldScript],
    ["with a name and a comment, without its trailer", named.subarray(0, -8)],
  ])("is whole %s", async (_what, bytes) => {
    expect((await read(bytes, ["gzip"]).result).equals(text)).toBe(true);
  });

  test.each([
    ["is cut off", packed.subarray(0, -20)],
    ["ends in its header", packed.subarray(0, 9)],
    ["has a name without an end", Buffer.from("1f8b0808000000000003616263", "hex")],
  ])("is none where it %s", async (_what, bytes) => {
    await expect(read(bytes, ["gzip"]).result).rejects.toMatchObject({ code: "encoding_broken" });
  });

  test("is no larger than it may be", async () => {
    const bomb = zlib.gzipSync(Buffer.alloc(3_000_000)).subarray(0, -8);
    await expect(read(bomb, ["gzip"], 2_000_000).result).rejects.toMatchObject({ code: "too_large" });
  });
});

describe("whole bodies", () => {
  test("come out as they went in, whatever the coding and size", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...names),
        fc.uint8Array({ maxLength: 2000 }),
        fc.integer({ min: 1, max: 300 }),
        async (name, seed, times) => {
          const bytes = Buffer.concat(Array.from({ length: times }, () => seed));
          const packed = pack[name]?.(bytes) ?? Buffer.alloc(0);
          const { result, wire } = read(packed, [codingOf(name)]);
          expect((await result).equals(bytes)).toBe(true);
          expect(wire()).toBe(packed.length);
        },
      ),
      { numRuns: 60 },
    );
  });

  test.each(
    names.flatMap(
      (name) =>
        [
          [name, 0],
          [name, 1000],
          [name, 400_000],
        ] as const,
    ),
  )("%s of %i bytes, alone and inside another coding", async (name, size) => {
    const bytes = noise(size);
    const packed = pack[name]?.(bytes) ?? bytes;
    expect((await read(packed, [codingOf(name)]).result).equals(bytes)).toBe(true);
    expect((await read(zlib.gzipSync(packed), ["gzip", codingOf(name)]).result).equals(bytes)).toBe(true);
  });

  test("several gzip members are one body, and no bytes at all are an empty one", async () => {
    expect((await read(Buffer.concat([zlib.gzipSync("one "), zlib.gzipSync("two")]), ["gzip"]).result).toString()).toBe(
      "one two",
    );
    expect(await read(Buffer.alloc(0), ["gzip"]).result).toHaveLength(0);
    expect(await read(Buffer.alloc(0), []).result).toHaveLength(0);
  });
});

describe("broken bodies", () => {
  const sizes = [
    ["small", 3_000],
    ["large", 400_000],
  ] as const;
  test.each(names.flatMap((name) => sizes.map(([size, bytes]) => [size, name, bytes] as const)))(
    "a %s %s body that is cut off or damaged",
    async (_size, name, bytes) => {
      const packed = pack[name]?.(noise(bytes)) ?? Buffer.alloc(0);
      const cut = packed.subarray(0, packed.length - 20);
      await expect(read(cut, [codingOf(name)]).result).rejects.toMatchObject({
        code: "encoding_broken",
        message: expect.stringContaining("The page X cannot be decompressed"),
      });
      const damaged = Buffer.from(packed);
      damaged.fill(0xff, 0, 40);
      await expect(read(damaged, [codingOf(name)]).result).rejects.toMatchObject({ code: "encoding_broken" });
    },
  );

  test.each(["gzip", "br", "zstd"] as const)("plain text labelled as %s", async (coding) => {
    await expect(read(Buffer.from("<html><p>not packed at all</p></html>"), [coding]).result).rejects.toMatchObject({
      code: "encoding_broken",
    });
  });

  test.each<[string, Coding[]]>([
    ["plain", []],
    ["gzip", ["gzip"]],
  ])("a %s body that ends with an error passes it on", async (_what, codings) => {
    const fault = new AppError("body_cut_off", "cut");
    for (const before of [1, 10]) {
      let count = 0;
      const body = new Readable({
        read() {
          count += 1;
          if (count > before) this.destroy(fault);
          else this.push(zlib.gzipSync(noise(40_000)));
        },
      });
      await expect(
        readBody(body, { codings, maxBytes: 10_000_000, announced: Number.NaN, where: "It", onWire: () => undefined }),
      ).rejects.toBe(fault);
    }
  });
});

describe("budgets", () => {
  test.each([0, 1, 5_000, 100_000])("exactly the budget of %i bytes passes, one more does not", async (size) => {
    for (const name of ["identity", ...names]) {
      const packed = (bytes: Buffer) => pack[name]?.(bytes) ?? bytes;
      const codings: Coding[] = name === "identity" ? [] : [codingOf(name)];
      const text = (length: number) => Buffer.alloc(length, "abc ");
      expect(await read(packed(text(size)), codings, Math.max(size, 1)).result).toHaveLength(size);
      await expect(read(packed(text(Math.max(size, 1) + 1)), codings, Math.max(size, 1)).result).rejects.toMatchObject({
        code: "too_large",
      });
    }
  });

  test("an announced length over the budget is refused before anything is read", async () => {
    const { result, taken } = read(noise(1_000_000), [], 10_000, 1_000_000);
    await expect(result).rejects.toMatchObject({
      code: "too_large",
      message: "The page X is larger than 10000 bytes, the limit for one page.",
    });
    expect(taken.bytes).toBe(0);
  });

  test("of a plain body without end only the budget is taken", async () => {
    let taken = 0;
    const body = new Readable({
      read(size) {
        taken += size;
        this.push(Buffer.alloc(size, "x"));
      },
    });
    await expect(
      readBody(body, {
        codings: [],
        maxBytes: 1024 * 1024,
        announced: Number.NaN,
        where: "It",
        onWire: () => undefined,
      }),
    ).rejects.toMatchObject({ code: "too_large" });
    body.destroy();
    expect(taken).toBeLessThan(1024 * 1024 + 4 * 64 * 1024);
  });
});

describe("bombs", () => {
  const megabyte = Buffer.alloc(1024 * 1024);
  const megabytes = 160;

  async function gatherChunks(source: AsyncIterable<Buffer>): Promise<Buffer> {
    const chunks: Buffer[] = [];
    for await (const chunk of source) chunks.push(chunk);
    return Buffer.concat(chunks);
  }

  async function makeBomb(packer: zlib.Gzip | zlib.BrotliCompress | zlib.ZstdCompress): Promise<Buffer> {
    return await pipeline(
      Array.from({ length: megabytes }, () => megabyte),
      packer,
      gatherChunks,
    );
  }
  const makers: [Coding, () => zlib.Gzip | zlib.BrotliCompress | zlib.ZstdCompress][] = [
    ["gzip", () => zlib.createGzip({ level: 1 })],
    ["br", () => zlib.createBrotliCompress({ params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 1 } })],
    ["zstd", () => zlib.createZstdCompress()],
  ];

  test.each(makers)("160 MiB packed as %s are stopped at the budget, with memory flat", async (coding, makePacker) => {
    const bomb = await makeBomb(makePacker());
    const before = process.resourceUsage().maxRSS;
    await expect(read(bomb, [coding]).result).rejects.toMatchObject({ code: "too_large" });
    await expect(read(zlib.gzipSync(bomb), ["gzip", coding]).result).rejects.toMatchObject({ code: "too_large" });
    expect(process.resourceUsage().maxRSS - before).toBeLessThan(80 * 1024); // in KiB

    let unpacked = 0; // control: this is really a bomb
    await pipeline([bomb], createDecoder(coding, bomb), async (chunks) => {
      for await (const chunk of chunks) unpacked += chunk.length;
    });
    expect(unpacked).toBe(megabytes * megabyte.length);
  });

  test("of a gzip bomb without end little more than the budget is unpacked", async () => {
    const block = (
      await promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.deflateRaw)(megabyte, {
        finishFlush: zlib.constants.Z_FULL_FLUSH,
      })
    ).subarray();
    let taken = 0;
    const body = new Readable({
      read() {
        const chunk = taken === 0 ? Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]) : block;
        taken += chunk.length;
        this.push(chunk);
      },
    });
    await expect(
      readBody(body, {
        codings: ["gzip"],
        maxBytes: 100 * megabyte.length,
        announced: Number.NaN,
        where: "It",
        onWire: () => undefined,
      }),
    ).rejects.toMatchObject({ code: "too_large" });
    body.destroy();
    expect(taken / block.length).toBeLessThan(100 + 300); // decoded megabytes of the blocks that were taken; buffers on the way hold some more
  });

  test("gzip inside gzip is stopped at the inner stage too", async () => {
    const bomb = zlib.gzipSync(await makeBomb(zlib.createGzip({ level: 9 })), { level: 9 });
    await expect(read(bomb, ["gzip", "gzip"]).result).rejects.toMatchObject({ code: "too_large" });
  });
});
