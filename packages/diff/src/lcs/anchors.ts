import type { Box, Changed } from "./box.js";

/** Lengths of the token runs that serve as anchors, the shorter ones tried in the gaps that the longer ones leave. */
export const anchorLengths: readonly number[] = [24, 8, 3, 1];

/** The most runs that are examined in one box; log₂ of it bounds the tables, which should stay in the processor's cache. */
const SAMPLES = 1 << 16;

/**
 * From this many common runs on, the share of them that is in order tells whether blocks were moved all over the text: of
 * shorter runs, no more would be in order.
 */
const MANY_RUNS = 512;
const MIN_IN_ORDER = 0.1;

/**
 * Marks the runs of `length` tokens that occur exactly once on each side, in their longest common order, as common, and
 * returns the boxes between them. Bridges large insertions and moved parts in near-linear time where an exact search is
 * out of reach. Source: Bram Cohen's patience diff, on runs of tokens instead of single lines.
 * @param enough the number of tokens that the anchors must cover; with fewer, the result would depend on chance.
 * @returns the boxes that the anchors do not cover, "scrambled" where shorter anchors would not cover enough either, "few"
 * where they might
 */
export function splitAtAnchors(
  a: Int32Array,
  b: Int32Array,
  box: Box,
  length: number,
  enough: number,
  changed: Changed,
): Box[] | "few" | "scrambled" {
  const [aOf, bOf] = uniqueRuns(a, b, box, length);
  const chain = risingChain(aOf);
  if (aOf.length >= MANY_RUNS && chain.length < aOf.length * MIN_IN_ORDER) return "scrambled";
  const boxes: Box[] = [];
  let aLo = box.aLo;
  let bLo = box.bLo;
  let covered = 0;
  for (const at of chain) {
    let i = aOf[at] ?? 0;
    let j = bOf[at] ?? 0;
    if (i < aLo || j < bLo) continue;
    let iEnd = i;
    let jEnd = j;
    while (iEnd < box.aHi && jEnd < box.bHi && a[iEnd] === b[jEnd]) {
      iEnd++;
      jEnd++;
    }
    while (i > aLo && j > bLo && a[i - 1] === b[j - 1]) {
      i--;
      j--;
    }
    boxes.push({ aLo, aHi: i, bLo, bHi: j });
    covered += iEnd - i;
    aLo = iEnd;
    bLo = jEnd;
  }
  if (covered < enough || boxes.length === 0) return "few";
  boxes.push({ aLo, aHi: box.aHi, bLo, bHi: box.bHi });
  for (let at = 0; at + 1 < boxes.length; at++) {
    const [gap, next] = [boxes[at], boxes[at + 1]];
    if (gap === undefined || next === undefined) break;
    changed.a.fill(0, gap.aHi, next.aLo);
    changed.b.fill(0, gap.bHi, next.bLo);
  }
  return boxes;
}

/** Returns the start positions on both sides of the runs that are unique on each, ascending on the second side. */
function uniqueRuns(a: Int32Array, b: Int32Array, box: Box, length: number): [number[], number[]] {
  const size = box.aHi - box.aLo + (box.bHi - box.bLo);
  // In long sequences every 2ⁿ-th run is enough, chosen by its hash and therefore the same on both sides.
  const skipBits = Math.max(0, Math.ceil(Math.log2(size / SAMPLES)));
  const bits = Math.max(8, Math.ceil(Math.log2(size)) - skipBits + 2);
  // One slot per hash without probing: runs that share a slot count as repeated, which sometimes costs an anchor, but never time.
  const inA = lonelyRuns(a, box.aLo, box.aHi, length, bits, skipBits);
  const inB = lonelyRuns(b, box.bLo, box.bHi, length, bits, skipBits);
  const both: number[] = [];
  for (let slot = 0; slot < inA.length; slot++) if ((inA[slot] ?? 0) > 0 && (inB[slot] ?? 0) > 0) both.push(slot);
  // Sorted as numbers: position on the second side, then slot.
  const order = Float64Array.from(both, (slot) => (inB[slot] ?? 0) * 2 ** 26 + slot).sort();
  const aOf: number[] = [];
  const bOf: number[] = [];
  for (const key of order) {
    const i = (inA[key % 2 ** 26] ?? 0) - 1;
    const j = Math.floor(key / 2 ** 26) - 1;
    let same = 0;
    while (same < length && a[i + same] === b[j + same]) same++;
    if (same < length) continue;
    aOf.push(i);
    bOf.push(j);
  }
  return [aOf, bOf];
}

/**
 * Maps slot → position + 1 of the only run hashed there, 0 for none, -1 for several. Only one run in 2^`skipBits` is examined.
 */
function lonelyRuns(
  tokens: Int32Array,
  lo: number,
  hi: number,
  length: number,
  bits: number,
  skipBits: number,
): Int32Array {
  const slots = new Int32Array(1 << bits);
  const skip = (1 << skipBits) - 1;
  const base = 0x9e3779b1;
  let leaving = 1;
  for (let k = 0; k < length; k++) leaving = Math.imul(leaving, base);
  let hash = 0;
  for (let i = lo; i < hi; i++) {
    hash = (Math.imul(hash, base) + (tokens[i] ?? 0) + 1) | 0;
    if (i >= lo + length) hash = (hash - Math.imul(leaving, (tokens[i - length] ?? 0) + 1)) | 0;
    if (i + 1 < lo + length) continue;
    const mixed = Math.imul(hash ^ (hash >>> 15), 0x85ebca6b);
    if (((mixed >>> 3) & skip) !== 0) continue;
    const slot = mixed >>> (32 - bits);
    slots[slot] = slots[slot] === 0 ? i - length + 2 : -1;
  }
  return slots;
}

/** Returns the indices of a longest strictly rising subsequence. */
export function risingChain(values: readonly number[]): number[] {
  const tips: number[] = [];
  const before = new Int32Array(values.length);
  values.forEach((value, at) => {
    let low = 0;
    let high = tips.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((values[tips[middle] ?? 0] ?? 0) < value) low = middle + 1;
      else high = middle;
    }
    before[at] = low > 0 ? (tips[low - 1] ?? 0) : -1;
    tips[low] = at;
  });
  const chain: number[] = [];
  for (let at = tips.at(-1) ?? -1; at >= 0; at = before[at] ?? -1) chain.push(at);
  return chain.reverse();
}
