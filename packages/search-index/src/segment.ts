/**
 * The searchable text of a pack's documents in one scope, immutable. Documents are sequences of chunks; equal chunks are
 * stored once. Chunks are stored one after the other, each ended by the byte 0xFF (which UTF-8 never uses), in frames of
 * about 256 KiB, each compressed separately (zstd), so that a search reads only those that may contain its phrase.
 */
export interface Section {
  /** The number of documents; their positions are 0 … documents − 1. */
  documents: number;
  chunks: number;
  /** Bytes of the distinct text. */
  textBytes: number;
  /** Where each frame ends in `body`. */
  frameEnds: number[];
  /** The number of each frame's first chunk; at the end, the number of chunks. */
  frameChunks: number[];
  body: Uint8Array;
  /** Bytes of one row of the filter: a bit for each frame, lowest first. */
  rowBytes: number;
  /** One row after the other (see `grams.ts`): a bit is set where the frame contains a gram of that row. */
  filter: Uint8Array;
  /**
   * Varints, compressed by zstd: for each document the number of runs of consecutive chunks, then for each run the zigzag
   * distance of its first chunk from the end of the run before, and its length.
   */
  sequences: Uint8Array;
}

export const frameBytes = 256 * 1024;
/** The byte that ends a chunk. */
export const chunkEnd = 0xff;

/** Returns the bytes of a filter row. */
export function rowBytesOf(frames: number): number {
  return Math.ceil(frames / 8);
}

/**
 * Returns the frames that may contain a phrase, by the rows of its grams. @param rows one or several of `rowBytes`, one
 * after the other
 */
export function candidateFrames(rows: Uint8Array, rowBytes: number, frames: number): number[] {
  const set = Uint8Array.from(rows.subarray(0, rowBytes));
  for (let row = rowBytes; row < rows.length; row += rowBytes)
    for (let at = 0; at < rowBytes; at += 1) set[at] = (set[at] ?? 0) & (rows[row + at] ?? 0);
  const found: number[] = [];
  for (let frame = 0; frame < frames; frame += 1)
    if (((set[frame >> 3] ?? 0) & (1 << (frame & 7))) !== 0) found.push(frame);
  return found;
}
