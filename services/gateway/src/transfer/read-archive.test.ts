import { createHash } from "node:crypto";
import { expect, test } from "@jest/globals";
import { AppError } from "@web-tester/contracts/errors";
import { pack } from "tar-stream";
import { heapMiB } from "./captures/test-heap.js";
import { readArchive } from "./read-archive.js";

const page = Buffer.from("<p>a page\n".repeat(70));
const blob = `blobs/${createHash("sha256").update(page).digest("hex")}`;
const records = '{"testObjects": []}\n';

/** Makes an archive in the same way as Export. */
async function archiveOf(entries: readonly [name: string, content: string | Buffer][]): Promise<Buffer> {
  const archive = pack();
  for (const [name, content] of entries) archive.entry({ name, mtime: new Date(0) }, content);
  archive.finalize();
  const parts: Buffer[] = [];
  for await (const part of archive) if (part instanceof Uint8Array) parts.push(Buffer.from(part));
  return Buffer.concat(parts);
}

/** Reads an archive, and returns its parts, or the words of its refusal; other errors are thrown. */
async function read(file: Uint8Array, chunkBytes = 300): Promise<string> {
  async function* chunks() {
    for (let at = 0; at < file.length; at += chunkBytes) yield file.subarray(at, at + chunkBytes);
  }
  const found: string[] = [];
  try {
    for await (const part of readArchive(chunks())) {
      const parts: Uint8Array[] = part.kind === "blob" ? [part.bytes] : [];
      if (part.kind === "records") for await (const chunk of part.chunks) parts.push(chunk);
      found.push(`${part.kind} ${Buffer.concat(parts).length}`);
    }
    return found.join(", ");
  } catch (error) {
    if (error instanceof AppError && error.code === "invalid_json") return error.message;
    throw error;
  }
}

test("a file whose bytes arrive one by one is not kept byte by byte", async () => {
  const bytes = Buffer.alloc(200_000, "<p>a page\n");
  const name = `blobs/${createHash("sha256").update(bytes).digest("hex")}`;
  const file = await archiveOf([
    [name, bytes],
    ["records-1.json", records],
  ]);
  const before = heapMiB();
  let grown = Infinity;
  async function* byOne() {
    for (let at = 0; at < file.length; at++) {
      if (at === bytes.length) grown = heapMiB() - before;
      yield Buffer.from(file.subarray(at, at + 1));
    }
  }
  const hashes: string[] = [];
  for await (const part of readArchive(byOne())) {
    if (part.kind === "blob") hashes.push(`blobs/${createHash("sha256").update(part.bytes).digest("hex")}`);
    else for await (const _ of part.chunks);
  }
  expect(hashes).toEqual([name]);
  expect(grown).toBeLessThan(10);
}, 60_000);

test("an archive that is cut off anywhere is refused in words, also between two of its files", async () => {
  const file = await archiveOf([
    [blob, page],
    ["records-1.json", records],
    ["records-2.json", records],
  ]);
  expect(await read(file)).toBe(`blob ${page.length}, records 20, records 20`);
  const cuts = Array.from({ length: file.length }, (_, cut) => cut);
  for (const cut of cuts.filter((at) => at % 512 < 3 || at % 512 > 509 || at % 37 === 0))
    expect([cut, await read(file.subarray(0, cut))]).toEqual([
      cut,
      expect.stringMatching(/^Invalid archive: it (ends before it is complete|holds no records).+Nothing was imported/),
    ]);
});

test("what other programs put behind the end does no harm", async () => {
  const file = await archiveOf([["records-1.json", records]]);
  expect(await read(Buffer.concat([file, Buffer.alloc(8_192)]))).toBe("records 20");
});

test("an upload that breaks off says so, whatever was being read", async () => {
  const file = await archiveOf([
    [blob, page],
    ["records-1.json", records],
  ]);
  const brokenOff = new AppError("invalid_json", "The upload broke off");
  for (const cut of [100, 512, 700, 1_536, 2_050, 2_600]) {
    async function* chunks() {
      yield file.subarray(0, cut);
      await Promise.resolve();
      throw brokenOff;
    }
    const reading = (async () => {
      for await (const part of readArchive(chunks()))
        if (part.kind === "records") for await (const chunk of part.chunks) expect(chunk.length).toBeGreaterThan(0);
    })();
    await expect(reading).rejects.toBe(brokenOff);
  }
});
