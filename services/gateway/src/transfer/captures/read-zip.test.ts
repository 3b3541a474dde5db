import { crc32, deflateRawSync } from "node:zlib";
import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { ChunkReader } from "./chunk-reader.js";
import { readZip } from "./read-zip.js";

/**
 * Makes a ZIP whose files have their lengths after their data, as written by programs that do not know them before (APPNOTE 6.3
 * §4.3.9).
 */
function streamed(files: readonly Buffer[], { packed, isLong }: { packed: boolean; isLong: boolean }): Buffer {
  const parts = files.flatMap((bytes) => {
    const body = packed ? deflateRawSync(bytes) : bytes;
    const head = Buffer.alloc(31, "a");
    head.fill(0, 0, 30).writeUInt32LE(0x04034b50, 0);
    head.writeUInt16LE(8, 6);
    head.writeUInt16LE(packed ? 8 : 0, 8);
    head.writeUInt16LE(1, 26);
    const descriptor = Buffer.alloc(isLong ? 24 : 16);
    descriptor.writeUInt32LE(0x08074b50, 0);
    descriptor.writeUInt32LE(crc32(bytes), 4);
    descriptor.writeUInt32LE(body.length, 8);
    descriptor.writeUInt32LE(bytes.length, isLong ? 16 : 12);
    return [head, body, descriptor];
  });
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  return Buffer.concat([...parts, end]);
}

async function read(archive: Buffer, chunkBytes: number): Promise<{ files: Buffer[]; pieces: number }> {
  async function* chunks() {
    for (let at = 0; at < archive.length; at += chunkBytes) yield archive.subarray(at, at + chunkBytes);
  }
  const files: Buffer[] = [];
  let pieces = 0;
  for await (const entry of readZip(new ChunkReader(chunks()))) {
    const parts: Uint8Array[] = [];
    for await (const part of entry.chunks) parts.push(part);
    pieces += parts.length;
    files.push(Buffer.concat(parts));
  }
  return { files, pieces };
}

const mark = Buffer.from("504b0708", "hex");

test("files end where their descriptors are, however they arrive and whatever in them looks like one", async () => {
  const part = fc.oneof(fc.uint8Array({ min: 1, maxLength: 30 }), fc.constant(mark), fc.constant(mark.subarray(0, 3)));
  const file = fc.array(part, { maxLength: 8 }).map((all) => Buffer.concat(all));
  const form = fc.record({ packed: fc.boolean(), isLong: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(
      fc.array(file, { maxLength: 4 }),
      form,
      fc.integer({ min: 1, max: 70 }),
      async (files, how, by) => {
        expect((await read(streamed(files, how), by)).files).toEqual(files);
      },
    ),
  );
});

test("a file of nothing but marks is passed on in as many pieces as it arrives in", async () => {
  const file = Buffer.alloc(400_000, mark);
  const { files, pieces } = await read(streamed([file], { packed: false, isLong: false }), 10_000);
  expect(files).toEqual([file]);
  expect(pieces).toBeLessThan(100);
});

test.each([
  ["stored", false],
  ["packed", true],
])("the file behind one that a reader leaves early is found: %s", async (_, packed) => {
  const files = [Buffer.alloc(500_000, "first "), Buffer.alloc(100_000, "second ")];
  const archive = streamed(files, { packed, isLong: false });
  async function* chunks() {
    for (let at = 0; at < archive.length; at += 1_000) yield archive.subarray(at, at + 1_000);
  }
  const found: string[] = [];
  for await (const entry of readZip(new ChunkReader(chunks()))) {
    for await (const part of entry.chunks) {
      found.push(Buffer.from(part).toString("latin1", 0, 5));
      break;
    }
  }
  expect(found).toEqual(["first", "secon"]);
});

test("an archive that ends between two files, or goes on with something else, is broken; the files before are read", async () => {
  const files = [Buffer.from("the first"), Buffer.from("the second")];
  const archive = streamed(files, { packed: false, isLong: false });
  const firstBytes = streamed(files.slice(0, 1), { packed: false, isLong: false }).length - 22;
  const names = async (bytes: Buffer): Promise<number> => {
    let found = 0;
    for await (const _ of readZip(new ChunkReader(chunksOf(bytes)))) found += 1;
    return found;
  };
  async function* chunksOf(bytes: Buffer) {
    yield bytes;
  }
  expect(await names(archive)).toBe(2);
  for (const end of [firstBytes, firstBytes + 3, archive.length - 22])
    await expect(names(archive.subarray(0, end))).rejects.toThrow("it ends before its list of files");
  await expect(names(Buffer.concat([archive.subarray(0, firstBytes), Buffer.alloc(50)]))).rejects.toThrow(
    "it has something else where a file should begin",
  );
});
