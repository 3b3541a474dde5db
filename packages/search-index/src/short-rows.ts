/*
 * Rows of a filter for phrases of one or two bytes, which have no trigram: one row for each byte, then rows that pairs
 * of bytes are spread over. They have one bit per frame, because nearly every block has most of the bytes of its frame.
 */

const pairRows = 1 << 14;
export const shortRows = 256 + pairRows;

/** @returns bytes of a row: a bit for each frame, lowest first */
export function shortRowBytes(frames: number): number {
  return Math.ceil(frames / 8);
}

/** The row of two bytes in a row. */
export function pairRow(pair: number): number {
  return 256 + ((Math.imul(pair, 0x9e3779b1) >>> 18) & (pairRows - 1));
}

/** The row that a frame with this text has set; null where trigrams tell more, and for nothing. */
export function shortRowOf(text: Uint8Array): number | null {
  const [first, second] = text;
  if (first === undefined || text.length > 2) return null;
  return second === undefined ? first : pairRow((first << 8) | second);
}

/** Frames that may hold a short phrase. @param row of `shortRowBytes(frames)` */
export function framesOfRow(row: Uint8Array, frames: number): number[] {
  const found: number[] = [];
  for (let frame = 0; frame < frames; frame += 1)
    if (((row[frame >> 3] ?? 0) & (1 << (frame & 7))) !== 0) found.push(frame);
  return found;
}
