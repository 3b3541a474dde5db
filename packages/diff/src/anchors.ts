import type { Box, Changed } from "./box.js";

/** Lengths of the token runs that serve as anchors, tried one after the other in what the longer ones left open. */
export const anchorLengths: readonly number[] = [24, 8, 3, 1];

/**
 * Fixes the runs of `length` tokens that occur exactly once on each side, in their longest common order, as common, and returns the boxes
 * between them. Finds its way over large insertions and moved parts in near-linear time where an exact search is out of reach.
 * Source: Bram Cohen's patience diff, on runs of tokens instead of single lines.
 * @returns undefined when nothing anchors the two sides.
 */
export function splitAtAnchors(a: Int32Array, b: Int32Array, box: Box, length: number, changed: Changed): Box[] | undefined {
  const pairs = uniqueRuns(a, b, box, length);
  const boxes: Box[] = [];
  let aLo = box.aLo;
  let bLo = box.bLo;
  for (const [i0, j0] of pairs) {
    if (i0 < aLo || j0 < bLo) continue;
    boxes.push({ aLo, aHi: i0, bLo, bHi: j0 });
    let i = i0;
    let j = j0;
    while (i < box.aHi && j < box.bHi && a[i] === b[j]) {
      changed.a[i++] = 0;
      changed.b[j++] = 0;
    }
    aLo = i;
    bLo = j;
  }
  if (boxes.length === 0) return undefined;
  boxes.push({ aLo, aHi: box.aHi, bLo, bHi: box.bHi });
  return boxes;
}

/** Start positions of the runs that are unique on both sides, longest rising chain, ascending. */
function uniqueRuns(a: Int32Array, b: Int32Array, box: Box, length: number): [number, number][] {
  const size = box.aHi - box.aLo + (box.bHi - box.bLo);
  const bits = Math.min(24, Math.max(8, Math.ceil(Math.log2(size)) + 2));
  // One slot per hash and no probing: runs that share a slot count as repeated, which costs an anchor now and then, never time.
  const inA = lonelyRuns(a, box.aLo, box.aHi, length, bits);
  const inB = lonelyRuns(b, box.bLo, box.bHi, length, bits);
  const aOf: number[] = [];
  const bOf: number[] = [];
  const candidates: number[] = [];
  for (let slot = 0; slot < inA.length; slot++) if ((inA[slot] ?? 0) > 0 && (inB[slot] ?? 0) > 0) candidates.push(slot);
  candidates.sort((x, y) => (inB[x] ?? 0) - (inB[y] ?? 0));
  for (const slot of candidates) {
    const i = (inA[slot] ?? 0) - 1;
    const j = (inB[slot] ?? 0) - 1;
    let same = 0;
    while (same < length && a[i + same] === b[j + same]) same++;
    if (same < length) continue;
    aOf.push(i);
    bOf.push(j);
  }
  return risingChain(aOf).map((at) => [aOf[at] ?? 0, bOf[at] ?? 0]);
}

/** slot → position + 1 of the only run hashed there, 0 for none, -1 for several. */
function lonelyRuns(tokens: Int32Array, lo: number, hi: number, length: number, bits: number): Int32Array {
  const slots = new Int32Array(1 << bits);
  const base = 0x9e3779b1;
  let leaving = 1;
  for (let k = 0; k < length; k++) leaving = Math.imul(leaving, base);
  let hash = 0;
  for (let i = lo; i < hi; i++) {
    hash = (Math.imul(hash, base) + (tokens[i] ?? 0) + 1) | 0;
    if (i >= lo + length) hash = (hash - Math.imul(leaving, (tokens[i - length] ?? 0) + 1)) | 0;
    if (i + 1 < lo + length) continue;
    const slot = Math.imul(hash ^ (hash >>> 15), 0x85ebca6b) >>> (32 - bits);
    slots[slot] = slots[slot] === 0 ? i - length + 2 : -1;
  }
  return slots;
}

/** Indices of a longest strictly rising subsequence. */
function risingChain(values: readonly number[]): number[] {
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
