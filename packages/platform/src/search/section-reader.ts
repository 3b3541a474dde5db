import { zstdDecompressSync } from "node:zlib";
import { chunkEnd, type Section } from "./section.js";

/** What a search reads of a section; `frames` are those that were read, compressed, by their number. */
export interface ReadSection extends Pick<Section, "documents" | "frameChunks" | "sequences"> {
  frames: ReadonlyMap<number, Uint8Array>;
}

/** Documents that hold the phrase, by position, and how often. */
export interface DocumentMatches {
  positions: Int32Array;
  counts: Int32Array;
}

/** A frame as text: `ends` are the places of the bytes that end its chunks. */
interface OpenFrame {
  bytes: Buffer;
  firstChunk: number;
  ends: Int32Array;
}

const framesOpenMax = 256;
/** No frame is longer: a chunk without a place to end is at most one document (10 MiB, folded at most half as long again). */
const frameMaxBytes = 64 * 1024 * 1024;

/**
 * Counts a phrase in the documents of a section; matches do not overlap.
 * @param needle of which no part lies across the end of a chunk (see `makeNeedle`)
 */
export function countInChunks(section: ReadSection, needle: Uint8Array): DocumentMatches {
  const chunks = section.frameChunks.at(-1) ?? 0;
  // matches in all chunks before: what a run holds is the difference of two
  const before = new Int32Array(chunks + 1);
  let any = false;
  for (const [number, frame] of section.frames) {
    const bytes = openFrame(frame);
    if (countPerChunk(bytes, needle, section.frameChunks[number] ?? 0, before)) any = true;
  }
  if (!any) return none;
  for (let chunk = 0; chunk < chunks; chunk += 1) before[chunk + 1] = (before[chunk + 1] ?? 0) + (before[chunk] ?? 0);
  const matches = new MatchList(section.documents);
  eachDocument(section, (position, runs) => {
    let count = 0;
    for (let run = 0; run < runs.length; run += 2)
      count += (before[runs[run + 1] ?? 0] ?? 0) - (before[runs[run] ?? 0] ?? 0);
    if (count > 0) matches.add(position, count);
  });
  return matches.done();
}

/** Counts a phrase in whole documents. All frames must have been read; only documents of which a part is in `near` are looked at. */
export function countInDocuments(
  section: ReadSection,
  needle: Uint8Array,
  near: ReadonlySet<number> | null,
): DocumentMatches {
  const matches = new MatchList(section.documents);
  eachWholeDocument(section, near, (position, bytes) => {
    let count = 0;
    for (let at = bytes.indexOf(needle); at !== -1; at = bytes.indexOf(needle, at + needle.length)) count += 1;
    if (count > 0) matches.add(position, count);
  });
  return matches.done();
}

/** Calls back with the text of every document, valid until it returns. */
export function eachWholeDocument(
  section: ReadSection,
  near: ReadonlySet<number> | null,
  take: (position: number, bytes: Buffer) => void,
): void {
  const open = new Map<number, OpenFrame>();
  const frameOf = (chunk: number): number => {
    let low = 0;
    let high = section.frameChunks.length - 2;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((section.frameChunks[middle] ?? 0) <= chunk) low = middle;
      else high = middle - 1;
    }
    return low;
  };
  const opened = (number: number): OpenFrame => {
    const known = open.get(number);
    if (known !== undefined) return known;
    const frame = section.frames.get(number);
    if (frame === undefined) throw new Error(`frame ${number} of a section was not read`);
    const bytes = openFrame(frame);
    const firstChunk = section.frameChunks[number] ?? 0;
    const ends = new Int32Array((section.frameChunks[number + 1] ?? 0) - firstChunk);
    for (let chunk = 0, at = 0; chunk < ends.length; chunk += 1) {
      at = bytes.indexOf(chunkEnd, at);
      ends[chunk] = at;
      at += 1;
    }
    const [oldest] = open.keys();
    if (open.size >= framesOpenMax && oldest !== undefined) open.delete(oldest);
    const made = { bytes, firstChunk, ends };
    open.set(number, made);
    return made;
  };
  let whole: Buffer = Buffer.allocUnsafe(1 << 16);
  eachDocument(section, (position, runs) => {
    if (near !== null && !touches(runs, near, frameOf)) return;
    let length = 0;
    for (let run = 0; run < runs.length; run += 2) {
      const end = runs[run + 1] ?? 0;
      for (let chunk = runs[run] ?? 0; chunk < end; chunk += 1) {
        const frame = opened(frameOf(chunk));
        const local = chunk - frame.firstChunk;
        const from = local === 0 ? 0 : (frame.ends[local - 1] ?? 0) + 1;
        const to = frame.ends[local] ?? 0;
        if (length + to - from > whole.length) {
          const larger = Buffer.allocUnsafe((length + to - from) * 2);
          whole.copy(larger, 0, 0, length);
          whole = larger;
        }
        frame.bytes.copy(whole, length, from, to);
        length += to - from;
      }
    }
    take(position, whole.subarray(0, length));
  });
}

function touches(runs: readonly number[], near: ReadonlySet<number>, frameOf: (chunk: number) => number): boolean {
  for (let run = 0; run < runs.length; run += 2) {
    const last = frameOf((runs[run + 1] ?? 0) - 1);
    for (let frame = frameOf(runs[run] ?? 0); frame <= last; frame += 1) if (near.has(frame)) return true;
  }
  return false;
}

function openFrame(frame: Uint8Array): Buffer {
  return zstdDecompressSync(frame, { maxOutputLength: frameMaxBytes });
}

/** Adds each chunk's matches at its place behind (`before[chunk + 1]`). @returns whether there were any */
function countPerChunk(bytes: Buffer, needle: Uint8Array, firstChunk: number, before: Int32Array): boolean {
  let at = bytes.indexOf(needle);
  if (at === -1) return false;
  let chunk = firstChunk + 1;
  let end = bytes.indexOf(chunkEnd);
  const first = needle[0] ?? 0;
  const second = needle[1] ?? 0;
  const { length } = needle;
  if (length <= 2) {
    // so short a phrase is found so often that finding each by a call of its own would cost more than looking at every byte
    for (let place = 0, count = 0; place < bytes.length; place += 1) {
      const byte = bytes[place] ?? 0;
      if (byte === first && (length === 1 || bytes[place + 1] === second)) {
        count += 1;
        place += length - 1;
      } else if (byte === chunkEnd) {
        before[chunk++] = count;
        count = 0;
      }
    }
    return true;
  }
  while (at !== -1) {
    while (end < at) {
      chunk += 1;
      end = bytes.indexOf(chunkEnd, end + 1);
    }
    before[chunk] = (before[chunk] ?? 0) + 1;
    at = bytes.indexOf(needle, at + length);
  }
  return true;
}

/** @param take `runs`: first chunk and chunk behind the last, of each run; valid until it returns */
function eachDocument(section: ReadSection, take: (position: number, runs: readonly number[]) => void): void {
  const bytes = zstdDecompressSync(section.sequences);
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at++] ?? 0;
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value >>> 0;
    }
  };
  const runs: number[] = [];
  for (let position = 0; position < section.documents; position += 1) {
    runs.length = varint() * 2;
    let previous = 0;
    for (let run = 0; run < runs.length; run += 2) {
      const distance = varint();
      const start = previous + ((distance & 1) === 0 ? distance / 2 : -(distance + 1) / 2);
      previous = start + varint();
      runs[run] = start;
      runs[run + 1] = previous;
    }
    take(position, runs);
  }
}

class MatchList {
  private readonly positions: Int32Array;
  private readonly counts: Int32Array;
  private length = 0;

  constructor(max: number) {
    this.positions = new Int32Array(max);
    this.counts = new Int32Array(max);
  }

  add(position: number, count: number): void {
    this.positions[this.length] = position;
    this.counts[this.length++] = count;
  }

  done(): DocumentMatches {
    return { positions: this.positions.slice(0, this.length), counts: this.counts.slice(0, this.length) };
  }
}

const none: DocumentMatches = { positions: new Int32Array(0), counts: new Int32Array(0) };
