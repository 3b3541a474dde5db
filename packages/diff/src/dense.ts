import type { Changed } from "./box.js";
import { type Positions, positionsOf } from "./positions.js";

/** Steps `keepDense` takes for sides of `n` and `m` tokens: 32 cells of the table at a time, some rows twice. */
export function denseSteps(n: number, m: number): number {
  return 2 * m * Math.ceil(n / 32) + n + m;
}

/**
 * Exact common subsequence where many tokens match (few distinct ones, many edits): one bit per cell of the table, so the time is
 * O(n · m / 32) whatever the difference. Clears the flags of the tokens kept.
 * Sources: H. Hyyrö, "Bit-parallel LCS-length computation revisited" (2004); rows are kept at checkpoints and recomputed between two of
 * them on the way back, which needs O(n · √m / 32) memory.
 * @param ids the tokens of `a` are 0…ids-1; `b` may hold `ids` for a token that `a` lacks.
 */
export function keepDense(a: Int32Array, b: Int32Array, ids: number, changed: Changed): void {
  const words = (a.length + 31) >>> 5;
  const rows = b.length;
  const stride = Math.max(1, Math.ceil(Math.sqrt(rows)));
  const masks = new Masks(positionsOf(a, ids), words, ids);

  // checkpoints[s]: the row before token s · stride of `b`. A zero bit says: here the subsequence grows by one.
  const checkpoints = new Int32Array((Math.floor(rows / stride) + 1) * words);
  const row = new Int32Array(words).fill(-1);
  for (let j = 0; j < rows; j++) {
    if (j % stride === 0) checkpoints.set(row, (j / stride) * words);
    masks.advance(row, 0, words, b[j] ?? 0);
  }

  const slab = new Int32Array((stride + 1) * words);
  let i = a.length;
  for (let from = Math.floor((rows - 1) / stride) * stride; from >= 0 && i > 0; from -= stride) {
    const to = Math.min(rows, from + stride);
    // Carries run upwards only: words above the current column no longer matter.
    const needed = (i + 31) >>> 5;
    const checkpoint = (from / stride) * words;
    slab.set(checkpoints.subarray(checkpoint, checkpoint + needed), 0);
    for (let j = from; j < to; j++) {
      const at = (j - from) * words;
      slab.copyWithin(at + words, at, at + needed);
      masks.advance(slab, at + words, needed, b[j] ?? 0);
    }
    for (let j = to; i > 0 && j > from; ) {
      const word = (i - 1) >>> 5;
      const bit = 1 << ((i - 1) & 31);
      if (((slab[(j - from) * words + word] ?? 0) & bit) !== 0) i--;
      else {
        j--;
        if (((slab[(j - from) * words + word] ?? 0) & bit) === 0) continue;
        i--;
        changed.a[i] = 0;
        changed.b[j] = 0;
      }
    }
  }
}

/** Per token the bits of its positions: made once for frequent tokens, set and wiped again for rare ones. */
class Masks {
  private readonly kept: Int32Array;
  private readonly offset: Int32Array;
  private readonly scratch: Int32Array;

  constructor(
    private readonly positions: Positions,
    words: number,
    private readonly ids: number,
  ) {
    const { start } = positions;
    // At most 8 · 32 tokens can be this frequent, so the masks take at most eight times the memory of the side itself.
    const frequent = Math.max(1, words >>> 3);
    this.offset = new Int32Array(ids).fill(-1);
    let count = 0;
    for (let id = 0; id < ids; id++) if ((start[id + 1] ?? 0) - (start[id] ?? 0) > frequent) this.offset[id] = words * count++;
    this.kept = new Int32Array(count * words);
    this.scratch = new Int32Array(words);
    for (let id = 0; id < ids; id++) {
      const at = this.offset[id] ?? -1;
      if (at >= 0) this.set(this.kept, at, id);
    }
  }

  /** Turns the row at `at` into the next one, for token `id` of `b`; only its first `needed` words. */
  advance(rows: Int32Array, at: number, needed: number, id: number): void {
    if (id >= this.ids) return;
    const { start, list } = this.positions;
    const first = start[id] ?? 0;
    const last = (start[id + 1] ?? 0) - 1;
    const kept = this.offset[id] ?? -1;
    if (kept < 0) this.set(this.scratch, 0, id);
    const mask = kept < 0 ? this.scratch : this.kept;
    const base = kept < 0 ? 0 : kept;
    const lastWord = (list[last] ?? 0) >>> 5;
    let carry = 0;
    for (let w = (list[first] ?? 0) >>> 5; w < needed && (carry !== 0 || w <= lastWord); w++) {
      const row = rows[at + w] ?? 0;
      const hits = row & (mask[base + w] ?? 0);
      const sum = (row + hits + carry) | 0;
      carry = (hits | (row & ~sum)) >>> 31;
      rows[at + w] = sum | (row ^ hits);
    }
    if (kept < 0) for (let p = first; p <= last; p++) this.scratch[(list[p] ?? 0) >>> 5] = 0;
  }

  private set(into: Int32Array, at: number, id: number): void {
    const { start, list } = this.positions;
    for (let p = start[id] ?? 0; p < (start[id + 1] ?? 0); p++) {
      const i = list[p] ?? 0;
      into[at + (i >>> 5)] = (into[at + (i >>> 5)] ?? 0) | (1 << (i & 31));
    }
  }
}
