/*
 * The rows of a filter: runs of one to eight bytes ("grams") that a text has, each length spread over rows of its own. Short ones answer
 * short phrases. Long ones rule out frames that have all pieces of a phrase, but at different places: of three-byte grams alone, half
 * of the frames of a documentation seem to have any two words.
 */

const pairBits = 13;
const trigramBits = 14;
const quadBits = 15;
const octetBits = 16;

const pairs = 256;
const trigrams = pairs + (1 << pairBits);
const quads = trigrams + (1 << trigramBits);
const octets = quads + (1 << quadBits);
/** The number of rows of a filter. */
export const filterRows = octets + (1 << octetBits);

const spread = 0x9e3779b1;
const mix = 0x85ebca6b;

/** Returns the row of two consecutive bytes; the row of a single byte is the byte. @param pair big-endian, as all grams here */
export function pairRow(pair: number): number {
  return pairs + (Math.imul(pair, spread) >>> (32 - pairBits));
}

/** Returns the row of three consecutive bytes. */
export function trigramRow(trigram: number): number {
  return trigrams + (Math.imul(trigram, spread) >>> (32 - trigramBits));
}

/** Returns the row of four consecutive bytes. */
export function quadRow(quad: number): number {
  return quads + (Math.imul(quad, mix) >>> (32 - quadBits));
}

/** Returns the row of eight consecutive bytes. @param first the first four @param last the last four */
export function octetRow(first: number, last: number): number {
  return octets + (Math.imul(Math.imul(last, spread) ^ first, mix) >>> (32 - octetBits));
}

/** The most rows of one length that are asked for: each costs a read, and more of them rule out hardly anything more. */
const askedMax = 12;

/** Returns rows that every frame with this text has set, at most 24; none for an empty text. */
export function rowsOf(text: Uint8Array): number[] {
  const [first = 0, second = 0, third = 0] = text;
  if (text.length === 0) return [];
  if (text.length === 1) return [first];
  if (text.length === 2) return [pairRow((first << 8) | second)];
  if (text.length === 3) return [trigramRow((first << 16) | (second << 8) | third)];
  const { buffer, byteOffset, length } = text;
  const view = new DataView(buffer, byteOffset, length);
  const quadAt = (at: number) => view.getInt32(at);
  return [
    ...new Set([
      ...spreadOver(length - 3).map((at) => quadRow(quadAt(at))),
      ...spreadOver(length - 7).map((at) => octetRow(quadAt(at), quadAt(at + 4))),
    ]),
  ];
}

/**
 * Returns places from 0 up to `places` − 1, at most `askedMax`, the first and the last included, evenly spread, as
 * neighbours say nearly the same.
 */
function spreadOver(places: number): number[] {
  const count = Math.min(Math.max(places, 0), askedMax);
  return Array.from({ length: count }, (_, at) => (count === 1 ? 0 : Math.floor((at * (places - 1)) / (count - 1))));
}
