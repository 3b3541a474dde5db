import { createHash, randomBytes } from "node:crypto";
import { constants, zstdCompressSync } from "node:zlib";
import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { headerBytes, isFitAsBase, openEnvelope, unwrap, wrap } from "./envelope.js";

const read = async (stored: Buffer, maxBytes: number, base: Buffer | null = null) =>
  unwrap(openEnvelope(stored, maxBytes), base);

const mebibyte = 1024 * 1024;

test("gives back what it was given, in hardly more bytes", async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 3_000 }), fc.integer({ min: 1, max: 60 }), async (bytes, times) => {
      const content = Buffer.concat(Array.from({ length: times }, () => bytes));
      const stored = await wrap(content);
      expect(stored.length).toBeLessThanOrEqual(content.length + headerBytes);
      expect((await read(stored, content.length)).equals(content)).toBe(true);
    }),
    { numRuns: 50 },
  );
});

test("never trusts stored bytes: they are content of the told length, or damaged", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uint8Array({ maxLength: 200 }),
      fc.constantFrom(1, 2, 3, 4, 5),
      fc.nat(400),
      async (payload, coding, size) => {
        const header = Buffer.alloc(8);
        const base = coding > 2 ? Buffer.from("a page ".repeat(20)) : null;
        header.write("WTO", "latin1");
        header[3] = coding;
        header.writeUInt32BE(size, 4);
        const outcome = await read(Buffer.concat([header, payload]), 300, base).catch((error: unknown) => error);
        if (Buffer.isBuffer(outcome)) expect(outcome.length).toBe(size);
        else expect(outcome).toMatchObject({ code: "content_damaged" });
      },
    ),
  );
});

describe("a small object that unpacks to a large one", () => {
  const bomb = (claimed: number) => {
    const header = Buffer.from("WTO\u0002\0\0\0\0", "latin1");
    header.writeUInt32BE(claimed, 4);
    return Buffer.concat([
      header,
      zstdCompressSync(Buffer.alloc(200 * mebibyte), { params: { [constants.ZSTD_c_compressionLevel]: 1 } }),
    ]);
  };

  test.each([
    ["tells its length", 200 * mebibyte, "allowed"],
    ["lies about it", 1_000, "cannot be read"],
    ["lies about it, above what is done at once", mebibyte, "cannot be read"],
    ["claims to be empty", 0, "cannot be read"],
  ])("is refused when it %s", async (_name, claimed, words) => {
    await expect(read(bomb(claimed), 100 * mebibyte)).rejects.toMatchObject({
      code: "content_damaged",
      message: expect.stringContaining(words),
    });
  });

  test("is read where it is allowed", async () => {
    expect(await read(bomb(200 * mebibyte), 200 * mebibyte)).toHaveLength(200 * mebibyte);
  });
});

describe("content compressed against other content", () => {
  const hash = Buffer.alloc(32, 7);
  /** Text that has nothing in common with that of another seed. */
  const page = (seed: number, length: number) => {
    const words = Array.from({ length: Math.ceil(length / 9) }, (_, index) =>
      createHash("sha256").update(`${seed}:${index}`).digest("hex").slice(0, 9),
    );
    return Buffer.from(words.join("").slice(0, length));
  };

  test.each([
    ["a small page", 10_000],
    ["a page above what is done at once", 300_000],
    ["a page of 10 MiB", 10 * mebibyte],
  ])(
    "%s with a line changed takes next to nothing, and comes back",
    async (_name, length) => {
      const bytes = page(1, length);
      const next = Buffer.concat([
        bytes.subarray(0, length / 2),
        Buffer.from("<p>new</p>"),
        bytes.subarray(length / 2),
      ]);
      for (const kind of ["version", "dictionary"] as const) {
        const stored = await wrap(next, { hash, kind, bytes });
        expect(stored.length).toBeLessThan(length / 100 + 200);
        expect(openEnvelope(stored, next.length).base).toEqual({ hash, kind });
        expect((await read(stored, next.length, bytes)).equals(next)).toBe(true);
      }
    },
    120_000,
  );

  test("stands alone where a base would not make it shorter", async () => {
    const noise = randomBytes(5_000);
    const stored = await wrap(noise, { hash, kind: "version", bytes: page(1, 5_000) });
    expect(openEnvelope(stored, 5_000).base).toBeNull();
    expect((await read(stored, 5_000)).equals(noise)).toBe(true);
  });

  test("is not read against other bytes than those it was compressed against", async () => {
    const bytes = page(1, 20_000);
    const stored = await wrap(Buffer.concat([bytes, Buffer.from("!")]), { hash, kind: "version", bytes });
    for (const wrong of [page(2, 20_000), bytes.subarray(1), null]) {
      const outcome = await read(stored, 30_000, wrong).catch((error: unknown) => error);
      // zstd itself does not notice every wrong base: the store's check of the hash does
      if (Buffer.isBuffer(outcome)) expect(outcome.equals(Buffer.concat([bytes, Buffer.from("!")]))).toBe(false);
      else expect(outcome).toMatchObject({ code: "content_damaged" });
    }
  });

  test("gives back anything against anything fit", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ minLength: 64, maxLength: 3_000 }),
        fc.uint8Array({ maxLength: 3_000 }),
        async (a, b) => {
          const bytes = Buffer.concat([a, a, b]);
          const content = Buffer.concat([b, a]);
          fc.pre(isFitAsBase(bytes));
          const stored = await wrap(content, { hash, kind: "version", bytes });
          const needsBase = openEnvelope(stored, content.length).base !== null;
          expect((await read(stored, content.length, needsBase ? bytes : null)).equals(content)).toBe(true);
        },
      ),
      { numRuns: 100 },
    );
  });

  test("bytes that begin like a trained dictionary are no base: zstd would read them as one", async () => {
    const hostile = Buffer.concat([Buffer.of(0x37, 0xa4, 0x30, 0xec), page(1, 5_000)]);
    expect(isFitAsBase(hostile)).toBe(false);
    expect(isFitAsBase(page(1, 5_000))).toBe(true);
    expect(isFitAsBase(Buffer.from("short"))).toBe(false);
    // the positive control: what happens with such a base
    await expect(wrap(page(2, 5_000), { hash, kind: "version", bytes: hostile })).rejects.toThrow(
      /dictionary|zstd|memory/i,
    );
  });

  test("a header that ends within the base's hash is damage", () => {
    expect(() => openEnvelope(Buffer.from("WTO\u0003\0\0\0\u0005short", "latin1"), 100)).toThrow(
      expect.objectContaining({ code: "content_damaged" }),
    );
  });
});
