import type { Changed } from "./box.js";
import { type Positions, positionsOf } from "./positions.js";

/** Steps `keepDense` takes for sides of `n` and `m` tokens: 32 cells of the table at a time, some rows twice. */
export function denseSteps(n: number, m: number): number {
  return 1.5 * m * Math.ceil(n / 32) + n + m;
}

/** 32-bit words of row storage that `keepDense` holds for sides of `n` and `m` tokens. */
export function rowWords(n: number, m: number): number {
  return 2 * Math.ceil(n / 32) * (Math.ceil(Math.sqrt(m)) + 1);
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
  const stride = strideOf(rows);
  const table = new Rows(a, b, words, ids);

  // checkpoints[s]: the row before token s · stride of `b`. A zero bit says: here the subsequence grows by one.
  const checkpoints = new Int32Array((Math.floor(rows / stride) + 1) * words);
  const row = new Int32Array(words).fill(-1);
  for (let from = 0; from < rows; from += stride) {
    checkpoints.set(row, (from / stride) * words);
    table.advance(row, 0, 0, from, Math.min(rows, from + stride), words);
  }

  const slab = new Int32Array((stride + 1) * words);
  let i = a.length;
  for (let from = Math.floor((rows - 1) / stride) * stride; from >= 0 && i > 0; from -= stride) {
    const to = Math.min(rows, from + stride);
    // Carries run upwards only: words above the current column no longer matter.
    const needed = (i + 31) >>> 5;
    const checkpoint = (from / stride) * words;
    slab.set(checkpoints.subarray(checkpoint, checkpoint + needed), 0);
    table.advance(slab, 0, words, from, to, needed);
    for (let j = to; i > 0 && j > from;) {
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

function strideOf(rows: number): number {
  return Math.max(1, Math.ceil(Math.sqrt(rows)));
}

/** Computes rows of the table, for each token of `b` from the bits of its positions in `a`. */
class Rows {
  private readonly positions: Positions;
  /** Masks one after the other: an empty one, four for the rare tokens at hand, one for each frequent token. */
  private readonly masks: Int32Array;
  private readonly offset: Int32Array;

  constructor(
    a: Int32Array,
    private readonly b: Int32Array,
    private readonly words: number,
    private readonly ids: number,
  ) {
    this.positions = positionsOf(a, ids);
    const { start } = this.positions;
    // At most 8 · 32 tokens can be this frequent, so the masks take at most eight times the memory of the side itself.
    const frequent = Math.max(1, words >>> 3);
    this.offset = new Int32Array(ids);
    let count = 5;
    for (let id = 0; id < ids; id++)
      if ((start[id + 1] ?? 0) - (start[id] ?? 0) > frequent) this.offset[id] = words * count++;
    this.masks = new Int32Array(count * words);
    for (let id = 0; id < ids; id++) {
      const at = this.offset[id] ?? 0;
      if (at > 0) this.setBits(at, id);
    }
  }

  /**
   * Starts from the row at `at` and computes those for the tokens `from…to-1` of `b`, each `step` words behind the one before; with step 0
   * in place. Only the first `needed` words.
   */
  advance(rows: Int32Array, at: number, step: number, from: number, to: number, needed: number): void {
    let row = at;
    let j = from;
    for (; j + 4 <= to; j += 4, row += 4 * step) this.four(rows, row, step, j, needed);
    for (; j < to; j++, row += step) this.one(rows, row, step, j, needed);
  }

  private one(rows: Int32Array, at: number, step: number, j: number, needed: number): void {
    const { masks } = this;
    const base = this.maskOf(j, 0);
    let carry = 0;
    for (let w = 0; w < needed; w++) {
      const row = rows[at + w] ?? 0;
      const hits = row & (masks[base + w] ?? 0);
      const sum = (row + hits + carry) | 0;
      carry = (hits | (row & ~sum)) >>> 31;
      rows[at + step + w] = sum | (row ^ hits);
    }
    this.wipe(j, 0);
  }

  /** Four rows in one pass: their carries do not wait for one another, which more than halves the time. */
  private four(rows: Int32Array, at: number, step: number, j: number, needed: number): void {
    const { masks } = this;
    const base0 = this.maskOf(j, 0);
    const base1 = this.maskOf(j + 1, 1);
    const base2 = this.maskOf(j + 2, 2);
    const base3 = this.maskOf(j + 3, 3);
    let carry0 = 0;
    let carry1 = 0;
    let carry2 = 0;
    let carry3 = 0;
    for (let w = 0; w < needed; w++) {
      let row = rows[at + w] ?? 0;
      let hits = row & (masks[base0 + w] ?? 0);
      let sum = (row + hits + carry0) | 0;
      carry0 = (hits | (row & ~sum)) >>> 31;
      row = sum | (row ^ hits);
      if (step > 0) rows[at + step + w] = row;

      hits = row & (masks[base1 + w] ?? 0);
      sum = (row + hits + carry1) | 0;
      carry1 = (hits | (row & ~sum)) >>> 31;
      row = sum | (row ^ hits);
      if (step > 0) rows[at + 2 * step + w] = row;

      hits = row & (masks[base2 + w] ?? 0);
      sum = (row + hits + carry2) | 0;
      carry2 = (hits | (row & ~sum)) >>> 31;
      row = sum | (row ^ hits);
      if (step > 0) rows[at + 3 * step + w] = row;

      hits = row & (masks[base3 + w] ?? 0);
      sum = (row + hits + carry3) | 0;
      carry3 = (hits | (row & ~sum)) >>> 31;
      rows[at + 4 * step + w] = sum | (row ^ hits);
    }
    for (let slot = 0; slot < 4; slot++) this.wipe(j + slot, slot);
  }

  /** Offset of the mask for token `j` of `b`; one of a rare token is made in the slot given. */
  private maskOf(j: number, slot: number): number {
    const id = this.b[j] ?? 0;
    if (id >= this.ids) return 0;
    const kept = this.offset[id] ?? 0;
    if (kept > 0) return kept;
    const at = (slot + 1) * this.words;
    this.setBits(at, id);
    return at;
  }

  private wipe(j: number, slot: number): void {
    const id = this.b[j] ?? 0;
    if (id >= this.ids || (this.offset[id] ?? 0) > 0) return;
    const { start, list } = this.positions;
    const at = (slot + 1) * this.words;
    for (let p = start[id] ?? 0; p < (start[id + 1] ?? 0); p++) this.masks[at + ((list[p] ?? 0) >>> 5)] = 0;
  }

  private setBits(at: number, id: number): void {
    const { start, list } = this.positions;
    for (let p = start[id] ?? 0; p < (start[id + 1] ?? 0); p++) {
      const i = list[p] ?? 0;
      this.masks[at + (i >>> 5)] = (this.masks[at + (i >>> 5)] ?? 0) | (1 << (i & 31));
    }
  }
}
