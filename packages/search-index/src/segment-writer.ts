import { randomInt } from "node:crypto";
import { constants, zstdCompressSync } from "node:zlib";
import { chunkEnd, frameBytes, type Section } from "./segment.js";
import { pairRow, shortRowBytes, shortRows } from "./short-rows.js";
import { filterRows, trigramRow } from "./trigrams.js";

/*
 * A chunk ends behind a line feed or between ">" and "<" where the piece before says so by its hash: insertions move
 * boundaries nowhere else, and pages that share text share chunks. About every eighth piece ends one.
 */
const endMask = 7;
const chunkSoftMax = 2_048;
const lineFeed = 0x0a;
const less = 0x3c;
const greater = 0x3e;
/** Two thirds of the time of level 9, for 4 % more bytes. */
const level = 6;

/** Collects the documents of one section; memory is that of the distinct text. */
export class SectionWriter {
  private text = Buffer.allocUnsafe(1 << 20);
  private textLength = 0;
  private starts = new Int32Array(1 << 12);
  private hashes = new Int32Array(1 << 12);
  private chunks = 0;
  /** The hashes begin at a random number, so no page can be made whose chunks all want the same place of the table. */
  private readonly seed = randomInt(2 ** 32);
  /** Open addressing: number of a chunk + 1. */
  private table = new Int32Array(1 << 13);
  private sequences = new ByteList();
  private documents = 0;

  /** Bytes of distinct text so far. */
  get size(): number {
    return this.textLength;
  }

  /** Adds the next document. @param bytes see `foldBytes` */
  add(bytes: Uint8Array): void {
    const runs: number[] = [];
    let runStart = -1;
    let runEnd = -1;
    const take = (from: number, to: number, hash: number) => {
      const chunk = this.numberOf(bytes.subarray(from, to), hash);
      if (chunk === runEnd) runEnd += 1;
      else {
        if (runStart !== -1) runs.push(runStart, runEnd);
        runStart = chunk;
        runEnd = chunk + 1;
      }
    };
    let from = 0;
    let hash = this.seed;
    let piece = 0x811c9dc5;
    for (let at = 0; at < bytes.length; at += 1) {
      const byte = bytes[at] ?? 0;
      hash = Math.imul(hash ^ byte, 0x01000193);
      if (byte !== lineFeed && (byte !== greater || bytes[at + 1] !== less)) {
        piece = Math.imul(piece ^ byte, 0x01000193);
        continue;
      }
      const mixed = Math.imul(piece ^ (piece >>> 15), 0x85ebca6b);
      if (((mixed >>> 16) & endMask) === 0 || at - from >= chunkSoftMax) {
        take(from, at + 1, hash);
        from = at + 1;
        hash = this.seed;
      }
      piece = 0x811c9dc5;
    }
    if (from < bytes.length) take(from, bytes.length, hash);
    if (runStart !== -1) runs.push(runStart, runEnd);
    this.documents += 1;
    this.sequences.varint(runs.length / 2);
    let previous = 0;
    for (let run = 0; run < runs.length; run += 2) {
      const start = runs[run] ?? 0;
      const end = runs[run + 1] ?? 0;
      const distance = start - previous;
      this.sequences.varint(distance >= 0 ? distance * 2 : -distance * 2 - 1);
      this.sequences.varint(end - start);
      previous = end;
    }
  }

  finish(): Section {
    const frameStarts: number[] = [];
    const frameChunks: number[] = [];
    for (let chunk = 0, room = 0; chunk < this.chunks; chunk += 1) {
      const start = this.starts[chunk] ?? 0;
      const end = chunk + 1 < this.chunks ? (this.starts[chunk + 1] ?? 0) : this.textLength;
      if (frameStarts.length === 0 || room + end - start > frameBytes) {
        frameStarts.push(start);
        frameChunks.push(chunk);
        room = 0;
      }
      room += end - start;
    }
    frameChunks.push(this.chunks);
    const frameEnds: number[] = [];
    let body = 0;
    const frames = frameStarts.map((start, frame) => {
      const packed = zstdCompressSync(this.text.subarray(start, frameStarts[frame + 1] ?? this.textLength), {
        params: { [constants.ZSTD_c_compressionLevel]: level, [constants.ZSTD_c_contentSizeFlag]: 1 },
      });
      body += packed.length;
      frameEnds.push(body);
      return packed;
    });
    return {
      documents: this.documents,
      chunks: this.chunks,
      textBytes: this.textLength,
      frameEnds,
      frameChunks,
      body: Buffer.concat(frames, body),
      rowBytes: shortRowBytes(frames.length),
      filter: this.filter(frameStarts),
      sequences: zstdCompressSync(this.sequences.bytes(), { params: { [constants.ZSTD_c_compressionLevel]: level } }),
    };
  }

  private filter(frameStarts: readonly number[]): Uint8Array {
    const rowBytes = shortRowBytes(frameStarts.length);
    const filter = new Uint8Array((filterRows + shortRows) * rowBytes);
    // rows of a frame are collected first: each is met many times, and they lie far apart in the filter
    const isMet = new Uint8Array(filterRows + shortRows);
    const met = new Uint32Array(filterRows + shortRows);
    for (const [frame, start] of frameStarts.entries()) {
      const rows = this.gatherRows(start, frameStarts[frame + 1] ?? this.textLength, { isMet, met });
      const byte = frame >> 3;
      const bit = 1 << (frame & 7);
      for (let at = 0; at < rows; at += 1) {
        const row = met[at] ?? 0;
        isMet[row] = 0;
        const place = row * rowBytes + byte;
        filter[place] = (filter[place] ?? 0) | bit;
      }
    }
    return filter;
  }

  /** @returns how many rows of the filter this text has, which are in `met` */
  private gatherRows(from: number, to: number, { isMet, met }: { isMet: Uint8Array; met: Uint32Array }): number {
    const { text } = this;
    let rows = 0;
    const meet = (row: number): void => {
      if (isMet[row] !== 0) return;
      isMet[row] = 1;
      met[rows++] = row;
    };
    for (let at = from, trigram = 0, seen = 0; at < to; at += 1) {
      const byte = text[at] ?? 0;
      if (byte === chunkEnd) {
        seen = 0;
        continue;
      }
      seen += 1;
      trigram = ((trigram << 8) | byte) & 0xffffff;
      meet(filterRows + byte);
      if (seen > 2) meet(trigramRow(trigram));
      if (seen > 1) meet(filterRows + pairRow(trigram & 0xffff));
    }
    return rows;
  }

  private numberOf(chunk: Uint8Array, hash: number): number {
    if (this.chunks * 2 > this.table.length) this.growTable();
    const mask = this.table.length - 1;
    for (let slot = mixSlot(hash) & mask; ; slot = (slot + 1) & mask) {
      const known = (this.table[slot] ?? 0) - 1;
      if (known === -1) {
        this.table[slot] = this.chunks + 1;
        return this.append(chunk, hash);
      }
      if (this.hashes[known] === hash && this.isChunk(known, chunk)) return known;
    }
  }

  private isChunk(known: number, chunk: Uint8Array): boolean {
    const start = this.starts[known] ?? 0;
    const end = (known + 1 < this.chunks ? (this.starts[known + 1] ?? 0) : this.textLength) - 1;
    return end - start === chunk.length && this.text.compare(chunk, 0, chunk.length, start, end) === 0;
  }

  private append(chunk: Uint8Array, hash: number): number {
    const needed = this.textLength + chunk.length + 1;
    if (needed > this.text.length) {
      const larger = Buffer.allocUnsafe(Math.max(needed, this.text.length * 2));
      this.text.copy(larger, 0, 0, this.textLength);
      this.text = larger;
    }
    if (this.chunks === this.starts.length) {
      this.starts = doubled(this.starts);
      this.hashes = doubled(this.hashes);
    }
    this.starts[this.chunks] = this.textLength;
    this.hashes[this.chunks] = hash;
    this.text.set(chunk, this.textLength);
    this.text[needed - 1] = chunkEnd;
    this.textLength = needed;
    return this.chunks++;
  }

  private growTable(): void {
    const table = new Int32Array(this.table.length * 2);
    const mask = table.length - 1;
    for (let chunk = 0; chunk < this.chunks; chunk += 1) {
      let slot = mixSlot(this.hashes[chunk] ?? 0) & mask;
      while (table[slot] !== 0) slot = (slot + 1) & mask;
      table[slot] = chunk + 1;
    }
    this.table = table;
  }
}

function mixSlot(hash: number): number {
  return Math.imul(hash ^ (hash >>> 16), 0x7feb352d) >>> 4;
}

function doubled(list: Int32Array): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(list.length * 2);
  larger.set(list);
  return larger;
}

/** A growing list of bytes, written as numbers one after the other. */
class ByteList {
  private list = new Uint8Array(1 << 12);
  private length = 0;

  /** @param value not negative, below 2^31 */
  varint(value: number): void {
    if (this.length + 5 > this.list.length) {
      const larger = new Uint8Array(this.list.length * 2);
      larger.set(this.list);
      this.list = larger;
    }
    let rest = value;
    while (rest > 0x7f) {
      this.list[this.length++] = (rest & 0x7f) | 0x80;
      rest >>>= 7;
    }
    this.list[this.length++] = rest;
  }

  bytes(): Uint8Array {
    return this.list.subarray(0, this.length);
  }
}
