import { zstdDecompressSync } from "node:zlib";
import { frameBytes, type Section } from "./segment.js";

/** A section opened for searching: the structure of its documents is decoded once, and threads share all of it. */
export interface OpenSection {
  documents: number;
  /** Where each frame ends in `body`. */
  frameEnds: Int32Array;
  /** The number of each frame's first chunk; at the end, the number of chunks. */
  frameChunks: Int32Array;
  body: Uint8Array;
  /** Where the runs of each document end in `runs`. */
  runEnds: Int32Array;
  /** For each run of consecutive chunks its first chunk, and the one after its last. */
  runs: Int32Array;
}

/** @throws Error where the sequences are not those of a section */
export function openSection({
  documents,
  frameEnds,
  frameChunks,
  body,
  sequences,
}: Pick<Section, "documents" | "frameEnds" | "frameChunks" | "body" | "sequences">): OpenSection {
  return {
    documents,
    frameEnds: Int32Array.from(frameEnds),
    frameChunks: Int32Array.from(frameChunks),
    body,
    ...readRuns(documents, sequences),
  };
}

/** @param sequences see `Section` */
export function readRuns(documents: number, sequences: Uint8Array): Pick<OpenSection, "runEnds" | "runs"> {
  const bytes = zstdDecompressSync(sequences);
  // a run takes at least two bytes
  const runs = new Int32Array(bytes.length);
  const runEnds = new Int32Array(documents);
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at++];
      if (byte === undefined) throw new Error("the sequences of a section end too early");
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value >>> 0;
    }
  };
  let to = 0;
  for (let position = 0; position < documents; position += 1) {
    const end = to + varint() * 2;
    let previous = 0;
    while (to < end) {
      const distance = varint();
      const start = previous + ((distance & 1) === 0 ? distance / 2 : -(distance + 1) / 2);
      previous = start + varint();
      runs[to++] = start;
      runs[to++] = previous;
    }
    runEnds[position] = to;
  }
  return { runEnds, runs: runs.slice(0, to) };
}

/** Returns the frame that contains a chunk. */
export function frameOfChunk({ frameChunks }: Pick<OpenSection, "frameChunks">, chunk: number): number {
  let low = 0;
  let high = frameChunks.length - 2;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((frameChunks[middle] ?? 0) <= chunk) low = middle;
    else high = middle - 1;
  }
  return low;
}

/**
 * An upper bound of a frame: a chunk without a place to end is at most one document (10 MiB, folded at most half as long again).
 */
const frameMaxBytes = 64 * 1024 * 1024;

/** Returns the text of a frame, in memory of its own. */
export function readFrame({ body, frameEnds }: Pick<OpenSection, "body" | "frameEnds">, frame: number): Buffer {
  return zstdDecompressSync(body.subarray(frameEnds[frame - 1] ?? 0, frameEnds[frame]), {
    maxOutputLength: frameMaxBytes,
    // in one piece: with the default pieces of 16 KiB, copying takes longer than decompression
    chunkSize: frameBytes,
  });
}

/**
 * Frees the memory of a frame, which nobody may read any more: searches read thousands of frames, and without this each
 * next one would need fresh memory until garbage is collected.
 */
export function freeFrame({ buffer }: Buffer): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength >= frameBytes) buffer.transfer(0);
}
