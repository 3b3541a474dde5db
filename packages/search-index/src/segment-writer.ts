import { randomInt } from "node:crypto";
import { constants, zstdCompressSync } from "node:zlib";
import { ChunkTable } from "./chunk-table.js";
import { filterRows } from "./grams.js";
import { FrameRows } from "./frame-rows.js";
import type { OpenSection } from "./open-segment.js";
import { rowBytesOf, type Section } from "./segment.js";
import { eachChunk } from "./segment-reader.js";
import { SequenceWriter } from "./sequence-writer.js";

/*
 * A chunk ends after a line feed, or between ">" and "<", where the hash of the piece before says so: so an insertion
 * moves boundaries only near it, and pages that share text share chunks. About every eighth piece ends one.
 */
const endMask = 7;
const chunkSoftMax = 2_048;
const lineFeed = 0x0a;
const less = 0x3c;
const greater = 0x3e;
/** The compression level: half of the time of level 9, for 4 % more bytes. */
const level = 5;
/** For sections with less text, which are merged soon: a third of that time, for a quarter more bytes. */
const quick = { level: 3, belowBytes: 2 * 1024 * 1024 };

/** Collects the documents of one section; its memory is that of the distinct text. */
export class SectionWriter {
  private readonly chunks = new ChunkTable();
  private readonly sequences = new SequenceWriter();
  /** The random start of the hashes, so that no page can be crafted whose chunks all want the same place of the table. */
  private readonly seed = randomInt(2 ** 32) | 0;
  /** The hash of the chunk that was found last. */
  private hash = 0;

  /** Adds the next document. @param bytes see `foldBytes` */
  add(bytes: Uint8Array): void {
    for (let from = 0; from < bytes.length;) {
      const to = this.endOfChunk(bytes, from);
      this.sequences.take(this.chunks.numberOf(bytes, from, to, this.hash));
      from = to;
    }
    this.sequences.endDocument();
  }

  /**
   * Adds documents of another section, with the same result as adding them one by one: their chunks are known, so each
   * distinct one is hashed once.
   * @param positions ascending
   */
  addFrom(section: OpenSection, positions: Int32Array): void {
    const { runs, runEnds, frameChunks } = section;
    const numbers = new Int32Array(frameChunks.at(-1) ?? 0).fill(unused);
    const eachRun = (take: (chunk: number) => void, ended?: () => void) => {
      for (const position of positions) {
        for (let run = runEnds[position - 1] ?? 0; run < (runEnds[position] ?? 0); run += 2)
          for (let chunk = runs[run] ?? 0; chunk < (runs[run + 1] ?? 0); chunk += 1) take(chunk);
        ended?.();
      }
    };
    eachRun((chunk) => void (numbers[chunk] = wanted));
    eachChunk(section, (chunk, bytes, from, to) => {
      if (numbers[chunk] === unused) return;
      numbers[chunk] = this.chunks.numberOf(bytes, from, to, this.hashOf(bytes, from, to));
    });
    eachRun(
      (chunk) => this.sequences.take(numbers[chunk] ?? 0),
      () => this.sequences.endDocument(),
    );
  }

  finish(): Section {
    const rows = new FrameRows();
    const frames = [...this.chunks.texts()];
    const rowBytes = rowBytesOf(frames.length);
    const filter = new Uint8Array(filterRows * rowBytes);
    const compression = compressionAt(this.chunks.textBytes < quick.belowBytes ? quick.level : level);
    const frameEnds: number[] = [];
    let end = 0;
    const packed = frames.map(({ text }, frame) => {
      const byte = frame >> 3;
      const bit = 1 << (frame & 7);
      rows.each(text, (row) => {
        const place = row * rowBytes + byte;
        filter[place] = (filter[place] ?? 0) | bit;
      });
      const bytes = zstdCompressSync(text, compression);
      end += bytes.length;
      frameEnds.push(end);
      return bytes;
    });
    return {
      documents: this.sequences.documents,
      chunks: this.chunks.count,
      textBytes: this.chunks.textBytes,
      frameEnds,
      frameChunks: [...frames.map(({ firstChunk }) => firstChunk), this.chunks.count],
      body: Buffer.concat(packed, end),
      rowBytes,
      filter,
      sequences: zstdCompressSync(this.sequences.bytes(), compressionAt(level)),
    };
  }

  /**
   * Finds the end of one chunk. A function of its own, as V8 optimises what is called often, not what runs long.
   * @returns where the chunk ends
   */
  private endOfChunk(bytes: Uint8Array, from: number): number {
    let hash = this.seed;
    let piece = pieceSeed;
    for (let at = from; at < bytes.length; at += 1) {
      const byte = bytes[at] ?? 0;
      hash = Math.imul(hash ^ byte, prime);
      if (byte !== lineFeed && (byte !== greater || bytes[at + 1] !== less)) {
        piece = Math.imul(piece ^ byte, prime);
        continue;
      }
      const mixed = Math.imul(piece ^ (piece >>> 15), 0x85ebca6b);
      if (((mixed >>> 16) & endMask) === 0 || at - from >= chunkSoftMax) {
        this.hash = hash;
        return at + 1;
      }
      piece = pieceSeed;
    }
    this.hash = hash;
    return bytes.length;
  }

  /** Returns the same hash as `endOfChunk` computes. */
  private hashOf(bytes: Uint8Array, from: number, to: number): number {
    let hash = this.seed;
    for (let at = from; at < to; at += 1) hash = Math.imul(hash ^ (bytes[at] ?? 0), prime);
    return hash;
  }
}

function compressionAt(compressionLevel: number) {
  return {
    params: { [constants.ZSTD_c_compressionLevel]: compressionLevel, [constants.ZSTD_c_contentSizeFlag]: 1 },
  };
}

/** FNV-1a. */
const prime = 0x01000193;
const pieceSeed = 0x811c9dc5 | 0;
const unused = -2;
const wanted = -1;
