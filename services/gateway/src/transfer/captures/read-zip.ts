import { crc32, createInflateRaw } from "node:zlib";
import type { ChunkReader } from "./chunk-reader.js";
import { unpacked } from "./unpacked.js";

/** A file in a ZIP archive. What of its chunks is not read before the next file is asked for is dropped. */
export interface ZipEntry {
  name: string;
  chunks: AsyncIterable<Uint8Array>;
}

/** Thrown where a file stops being a ZIP; the entries before that are valid. */
export class BrokenZip extends Error {}

const localMagic = 0x04034b50;
/** Signatures of what can follow the last file: the central directory, what is written in front of it, or an end record where it is empty. */
const endMagics: ReadonlySet<number> = new Set([0x02014b50, 0x08064b50, 0x06064b50, 0x06054b50]);
/** Signatures of what can follow a file. */
const nextMagics: ReadonlySet<number> = new Set([localMagic, ...endMagics]);
const descriptorMagic = Buffer.from("504b0708", "hex");
const localBytes = 30;
const nameMaxBytes = 4_096;
const hasDescriptor = 0x0008;
const isEncrypted = 0x0001;
const methods = { stored: 0, deflated: 8 };
/** Length of a long descriptor: signature, CRC, and both sizes in 8 bytes each. */
const descriptorBytes = 24;
/** Length of a short descriptor: signature, CRC, and both sizes in 4 bytes each. */
const shortDescriptorBytes = 16;

/**
 * Reads a ZIP archive (APPNOTE 6.3) from its beginning, without the central directory at its end, so that nothing has to be kept. A
 * file whose length is written only after its data ends where a descriptor matches the CRC and the length of the bytes read so far.
 * For compressed files only the length is compared, because the CRC is that of the decompressed data.
 * @throws BrokenZip where it is damaged, encrypted, or ends before the central directory, which follows the last file
 */
export async function* readZip(file: ChunkReader): AsyncGenerator<ZipEntry> {
  for (;;) {
    const head = await file.peek(localBytes);
    if (head.length < 4) throw new BrokenZip("it ends before its list of files");
    if (endMagics.has(head.readUInt32LE(0))) return;
    if (head.readUInt32LE(0) !== localMagic) throw new BrokenZip("it has something else where a file should begin");
    if (head.length < localBytes) throw new BrokenZip("it ends within the header of a file");
    const flags = head.readUInt16LE(6);
    const method = head.readUInt16LE(8);
    const nameBytes = head.readUInt16LE(26);
    const extraBytes = head.readUInt16LE(28);
    const size = head.readUInt32LE(18);
    if (nameBytes > nameMaxBytes) throw new BrokenZip("it has a file with a name of more than 4 KiB");
    file.drop(localBytes);
    const name = (await file.read(nameBytes)).toString("utf8");
    const extra = await file.read(extraBytes);
    if ((flags & isEncrypted) !== 0) throw new BrokenZip(`“${name.slice(0, 80)}” in it is encrypted`);
    if (method !== methods.stored && method !== methods.deflated)
      throw new BrokenZip(`“${name.slice(0, 80)}” in it is packed in a way that is not read (${method})`);
    const isStored = method === methods.stored;
    const isOpen = (flags & hasDescriptor) !== 0 && (size === 0 || size === 0xffffffff);
    const raw = isOpen ? untilDescriptor(file, isStored) : exactly(file, size === 0xffffffff ? longSize(extra) : size);
    const chunks = keptOpen(raw);
    yield { name, chunks: isStored ? chunks : unpacked(chunks, createInflateRaw()) };
    for await (const _ of raw);
    if (!isOpen && (flags & hasDescriptor) !== 0) await skipDescriptor(file);
  }
}

/** Passes chunks on to a reader who may leave early, as one does who meets damage: the rest can still be read. */
function keptOpen(chunks: AsyncGenerator<Uint8Array>): AsyncIterable<Uint8Array> {
  return { [Symbol.asyncIterator]: () => ({ next: () => chunks.next() }) };
}

async function* exactly(file: ChunkReader, size: number): AsyncGenerator<Uint8Array> {
  let read = 0;
  for await (const part of file.stream(size)) {
    read += part.length;
    yield part;
  }
  if (read < size) throw new BrokenZip("it ends within a file");
}

/** The length of a compressed file of 4 GiB or more (ZIP64). */
function longSize(extra: Buffer): number {
  for (let at = 0; at + 4 <= extra.length;) {
    const id = extra.readUInt16LE(at);
    const length = extra.readUInt16LE(at + 2);
    if (id === 1 && length >= 16 && at + 20 <= extra.length) return Number(extra.readBigUInt64LE(at + 12));
    at += 4 + length;
  }
  throw new BrokenZip("it does not say how long a file is");
}

async function* untilDescriptor(file: ChunkReader, isStored: boolean): AsyncGenerator<Uint8Array> {
  let crc = 0;
  let size = 0;
  for (;;) {
    if ((await file.peek(descriptorBytes)).length < shortDescriptorBytes) throw new BrokenZip("it ends within a file");
    const arrived = await file.arrived();
    // a descriptor that begins behind this position may not have arrived completely
    const last = Math.max(0, arrived.length - descriptorBytes);
    let seen = 0;
    const see = (end: number): void => {
      if (isStored) crc = crc32(arrived.subarray(seen, end), crc);
      size += end - seen;
      seen = end;
    };
    for (let at = arrived.indexOf(descriptorMagic); at !== -1 && at <= last;) {
      see(at);
      const length = descriptorLength(arrived.subarray(at, at + descriptorBytes), isStored ? crc : null, size);
      if (length !== 0) {
        if (at > 0) yield file.drop(at);
        file.drop(length);
        return;
      }
      at = arrived.indexOf(descriptorMagic, at + 1);
    }
    see(last + 1);
    yield file.drop(last + 1);
  }
}

/** The length of the descriptor at the beginning of the bytes; 0 where they only look like one. */
function descriptorLength(bytes: Buffer, crc: number | null, size: number): number {
  if (crc !== null && bytes.readUInt32LE(4) !== crc) return 0;
  // for an empty file the short form also reads as a long one, so the signature of what follows decides
  const isShort = bytes.length < descriptorBytes || nextMagics.has(bytes.readUInt32LE(shortDescriptorBytes));
  if (!isShort && Number(bytes.readBigUInt64LE(8)) === size) return descriptorBytes;
  return bytes.readUInt32LE(8) === size % 2 ** 32 ? shortDescriptorBytes : 0;
}

async function skipDescriptor(file: ChunkReader): Promise<void> {
  const there = await file.peek(4);
  await file.skip(there.equals(descriptorMagic) ? 16 : 12);
}
