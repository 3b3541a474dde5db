import type { Changed } from "./box.js";
import { positionsOf } from "./positions.js";

/**
 * Finds the exact common subsequence where few tokens match, in time O((matches + tokens) log tokens), whatever the number
 * of edits. Moved blocks of distinct lines, the worst case of Myers, cost it nothing extra. Clears the flags of the kept
 * tokens.
 * @param ids the tokens of `a` are 0…ids-1; `b` may hold `ids` for a token that `a` lacks.
 */
export function keepSparse(a: Int32Array, b: Int32Array, ids: number, changed: Changed): void {
  const { start, list } = positionsOf(a, ids);
  const longest = Math.min(a.length, b.length);
  // ends[k]: smallest index in `a` at which a common subsequence of length k + 1 ends; tip[k]: the match it ends with.
  const ends = new Int32Array(longest);
  const tip = new Int32Array(longest);
  const chain = new Matches(b.length);
  let length = 0;
  for (let j = 0; j < b.length; j++) {
    const id = b[j] ?? 0;
    if (id >= ids) continue;
    const first = start[id] ?? 0;
    let upper = length;
    // Descending, so that one token of `b` never follows itself.
    for (let p = (start[id + 1] ?? 0) - 1; p >= first; p--) {
      const i = list[p] ?? 0;
      let low = 0;
      let high = upper;
      while (low < high) {
        const middle = (low + high) >> 1;
        if ((ends[middle] ?? 0) < i) low = middle + 1;
        else high = middle;
      }
      upper = low;
      if (low < length && ends[low] === i) continue;
      ends[low] = i;
      tip[low] = chain.add(i, j, low > 0 ? (tip[low - 1] ?? -1) : -1);
      if (low === length) length++;
    }
  }
  for (let at = length > 0 ? (tip[length - 1] ?? -1) : -1; at >= 0; at = chain.before[at] ?? -1) {
    changed.a[chain.a[at] ?? 0] = 0;
    changed.b[chain.b[at] ?? 0] = 0;
  }
}

/** A growing list of matches, each linked to the one before it. */
class Matches {
  a: Int32Array;
  b: Int32Array;
  before: Int32Array;
  private count = 0;

  constructor(capacity: number) {
    this.a = new Int32Array(capacity);
    this.b = new Int32Array(capacity);
    this.before = new Int32Array(capacity);
  }

  add(i: number, j: number, before: number): number {
    const at = this.count++;
    if (at === this.a.length) {
      this.a = doubled(this.a);
      this.b = doubled(this.b);
      this.before = doubled(this.before);
    }
    this.a[at] = i;
    this.b[at] = j;
    this.before[at] = before;
    return at;
  }
}

function doubled(from: Int32Array): Int32Array {
  const to = new Int32Array(Math.max(16, from.length * 2));
  to.set(from);
  return to;
}
