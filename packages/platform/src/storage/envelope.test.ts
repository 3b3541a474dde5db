import { constants, zstdCompressSync } from "node:zlib";
import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { headerBytes, unwrap, wrap } from "./envelope.js";

const mebibyte = 1024 * 1024;

test("gives back what it was given, in hardly more bytes", async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 3_000 }), fc.integer({ min: 1, max: 60 }), async (bytes, times) => {
      const content = Buffer.concat(Array.from({ length: times }, () => bytes));
      const stored = await wrap(content);
      expect(stored.length).toBeLessThanOrEqual(content.length + headerBytes);
      expect((await unwrap(stored, content.length)).equals(content)).toBe(true);
    }),
    { numRuns: 50 },
  );
});

test("never trusts stored bytes: they are content of the told length, or damaged", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uint8Array({ maxLength: 200 }),
      fc.constantFrom(1, 2, 3),
      fc.nat(400),
      async (payload, coding, size) => {
        const header = Buffer.alloc(headerBytes);
        header.write("WTO", "latin1");
        header[3] = coding;
        header.writeUInt32BE(size, 4);
        const outcome = await unwrap(Buffer.concat([header, payload]), 300).catch((error: unknown) => error);
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
    await expect(unwrap(bomb(claimed), 100 * mebibyte)).rejects.toMatchObject({
      code: "content_damaged",
      message: expect.stringContaining(words),
    });
  });

  test("is read where it is allowed", async () => {
    expect(await unwrap(bomb(200 * mebibyte), 200 * mebibyte)).toHaveLength(200 * mebibyte);
  });
});
