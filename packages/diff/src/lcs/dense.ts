import type { Changed } from "./box.js";
import { type Positions, positionsOf } from "./positions.js";

/** Returns the steps that `keepDense` takes for sides of `n` and `m` tokens: 32 cells of the table at a time, some rows twice. */
export function denseSteps(n: number, m: number): number {
  return 1.5 * m * Math.ceil(n / 32) + n + m;
}

/** Returns the 32-bit words of row storage that `keepDense` holds for sides of `n` and `m` tokens. */
export function rowWords(n: number, m: number): number {
  return 2 * Math.ceil(n / 32) * (Math.ceil(Math.sqrt(m)) + 1);
}

/**
 * Finds the exact common subsequence where many tokens match (few distinct ones, many edits): one bit per cell of the
 * table, so the time is O(n · m / 32) whatever the difference; with few edits only a band of the table is computed. Clears
 * the flags of the kept tokens. Sources: H. Hyyrö, "Bit-parallel LCS-length computation revisited" (2004); rows are kept
 * at checkpoints and recomputed between two of them on the way back, which needs O(n · √m / 32) memory. The band: E.
 * Ukkonen, "Algorithms for approximate string matching" (1985): a path of at most `edits` edits stays near the diagonal,
 * so a result with no more edits than the band was made for is the smallest there is.
 * @param ids the tokens of `a` are 0…ids-1; `b` may hold `ids` for a token that `a` lacks.
 * @param atLeast a known lower bound of the edits.
 * @returns steps taken, at most 1.5 times `denseSteps`.
 */
export function keepDense(a: Int32Array, b: Int32Array, ids: number, changed: Changed, atLeast = 0): number {
  const table = new Table(a, b, ids);
  let steps = 0;
  for (let edits = 2 * atLeast + Math.abs(a.length - b.length) + MIN_EDITS; ; edits *= 4) {
    const isWhole = table.setBand(edits);
    steps += table.forward();
    if (!isWhole && a.length + b.length - 2 * table.common() > edits) continue;
    table.back(changed);
    return steps;
  }
}

/** The least number of edits that a band is made for. */
const MIN_EDITS = 64;
/**
 * The widest band, as a share of the columns; a wider one would save little if it suffices and cost a second pass if it does not.
 */
const MAX_BAND = 0.3;

/**
 * The table of one box. Rows stand for the tokens of `b`, columns for those of `a`; a zero bit means that the subsequence
 * grows by one there.
 */
class Table {
  private readonly words: number;
  private readonly stride: number;
  private readonly rows: Rows;
  /** checkpoints[s]: the row before token s · stride of `b`. */
  private readonly checkpoints: Int32Array;
  /** The last row. A word that the band has left stays as it is. */
  private readonly last: Int32Array;
  /** How far the column may be ahead of the row, and behind it. */
  private ahead = 0;
  private behind = 0;

  constructor(
    private readonly a: Int32Array,
    private readonly b: Int32Array,
    ids: number,
  ) {
    this.words = (a.length + 31) >>> 5;
    this.stride = strideOf(b.length);
    this.rows = new Rows(a, b, this.words, ids);
    this.checkpoints = new Int32Array((Math.floor(b.length / this.stride) + 1) * this.words);
    this.last = new Int32Array(this.words);
  }

  /** Sets a band wide enough for paths of at most `edits` edits. @returns whether it covers the whole table */
  setBand(edits: number): boolean {
    const surplus = this.a.length - this.b.length;
    this.ahead = Math.max(0, (edits + surplus) >> 1);
    this.behind = Math.max(0, (edits - surplus) >> 1);
    const isWhole = this.ahead + this.behind > MAX_BAND * this.a.length;
    if (isWhole) [this.ahead, this.behind] = [this.a.length, this.b.length];
    return isWhole;
  }

  /** Computes all rows. @returns steps taken */
  forward(): number {
    const { last, stride, words, b } = this;
    let steps = this.a.length + b.length;
    last.fill(-1);
    for (let from = 0; from < b.length; from += stride) {
      const to = Math.min(b.length, from + stride);
      this.checkpoints.set(last, (from / stride) * words);
      const [low, high] = [this.lowOf(from), this.highOf(to)];
      this.rows.advance(last, 0, 0, from, to, low, high);
      steps += 1.5 * (to - from) * (high - low);
    }
    return steps;
  }

  /** Returns the length of the common subsequence, after `forward`. */
  common(): number {
    let count = 0;
    for (let i = 0; i < this.a.length; i++) count += 1 ^ (((this.last[i >>> 5] ?? 0) >>> (i & 31)) & 1);
    return count;
  }

  /** Walks back from the last cell and clears the flags of the tokens kept. */
  back(changed: Changed): void {
    const { last, stride, words, b } = this;
    const slab = new Int32Array((stride + 1) * words);
    let i = this.a.length;
    for (let from = Math.floor((b.length - 1) / stride) * stride; from >= 0 && i > 0; from -= stride) {
      const to = Math.min(b.length, from + stride);
      const low = this.lowOf(from);
      // Right of the band nothing is common. Carries run upwards only: words above the current column no longer matter.
      i = Math.min(i, this.highOf(to) << 5);
      const needed = (i + 31) >>> 5;
      const checkpoint = (from / stride) * words;
      slab.set(this.checkpoints.subarray(checkpoint + low, checkpoint + needed), low);
      this.rows.advance(slab, 0, words, from, to, low, needed);
      for (let j = to; i > 0 && j > from;) {
        const word = (i - 1) >>> 5;
        const bit = 1 << ((i - 1) & 31);
        const row = (word < low ? last[word] : slab[(j - from) * words + word]) ?? 0;
        if ((row & bit) !== 0) i--;
        else {
          j--;
          const above = (word < low ? last[word] : slab[(j - from) * words + word]) ?? 0;
          if ((above & bit) === 0) continue;
          i--;
          changed.a[i] = 0;
          changed.b[j] = 0;
        }
      }
    }
  }

  /** Returns the first word of the band in the rows from `from` on. */
  private lowOf(from: number): number {
    return Math.max(0, from - this.behind) >>> 5;
  }

  /** Returns one after the last word of the band in the rows before `to`. */
  private highOf(to: number): number {
    return (Math.min(this.a.length, to + this.ahead) + 31) >>> 5;
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
   * Starts from the row at `at` and computes those for the tokens `from…to-1` of `b`, each `step` words after the one
   * before; with step 0 in place. Computes only the words `low…high-1`; the words above must still be those before the
   * first row.
   */
  advance(rows: Int32Array, at: number, step: number, from: number, to: number, low: number, high: number): void {
    let row = at;
    let j = from;
    for (; j + 4 <= to; j += 4, row += 4 * step) this.four(rows, row, step, j, low, high);
    for (; j < to; j++, row += step) this.one(rows, row, step, j, low, high);
  }

  private one(rows: Int32Array, at: number, step: number, j: number, low: number, high: number): void {
    const { masks } = this;
    const base = this.maskOf(j, 0);
    let carry = 0;
    for (let w = low; w < high; w++) {
      const row = rows[at + w] ?? 0;
      const hits = row & (masks[base + w] ?? 0);
      const sum = (row + hits + carry) | 0;
      carry = (hits | (row & ~sum)) >>> 31;
      rows[at + step + w] = sum | (row ^ hits);
    }
    this.wipe(j, 0);
  }

  /** Four rows in one pass: their carries do not wait for one another, which more than halves the time. */
  private four(rows: Int32Array, at: number, step: number, j: number, low: number, high: number): void {
    const { masks } = this;
    const base0 = this.maskOf(j, 0);
    const base1 = this.maskOf(j + 1, 1);
    const base2 = this.maskOf(j + 2, 2);
    const base3 = this.maskOf(j + 3, 3);
    let carry0 = 0;
    let carry1 = 0;
    let carry2 = 0;
    let carry3 = 0;
    for (let w = low; w < high; w++) {
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

  /** Returns the offset of the mask for token `j` of `b`; the mask of a rare token is made in the given slot. */
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
