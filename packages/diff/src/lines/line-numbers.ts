import { Scratch } from "../lcs/scratch.js";

/** The lines with the same hash that the table tells apart; more of them go to a map, so that no text makes this slow. */
const TWINS = 8;
/** The places of the table that are tried for a line; a page can be crafted so that all of its lines want the same ones. */
const REACH = 64;
/** The units of a line that its hash covers: all of a short one; of a longer one its beginning, its end and some in between. */
const SAMPLE = 24;
/** Strings up to this length are compared unit by unit, longer ones as slices, which engines compare many units at a time. */
const SHORT = 24;

const scratch = {
  table: new Scratch(),
  hashes: new Scratch(),
  starts: new Scratch(),
  ends: new Scratch(),
  after: new Scratch(),
};

/**
 * Numbers lines from 0, equal lines equally. Instead of a map of strings, whose every look-up creates and hashes a string,
 * it uses a table with open addressing over a hash of a few units; candidates are compared with the line itself. Only one
 * instance at a time: they share their tables.
 */
export abstract class LineNumbers<Text> {
  private mask: number;
  private table: Int32Array;
  private hashes: Int32Array;
  private starts: Int32Array;
  private ends: Int32Array;
  private readonly crowded = new Map<string, number>();
  /** Numbers from this one on belong to lines of `b`. */
  private firstOfB = Number.MAX_SAFE_INTEGER;
  private count = 0;

  /** @param lines the approximate number of lines of both texts; the table grows if there are more */
  constructor(
    protected readonly a: Text,
    protected readonly b: Text,
    lines: number,
  ) {
    let size = 64;
    while (size < 2 * lines) size *= 2;
    this.mask = size - 1;
    this.table = scratch.table.zeros(size);
    this.hashes = scratch.hashes.take(size / 2);
    this.starts = scratch.starts.take(size / 2);
    this.ends = scratch.ends.take(size / 2);
  }

  /** Returns a hash of the line from `start` to `end`, equal for equal lines. */
  protected abstract hashOf(text: Text, start: number, end: number): number;
  /** Whether `length` units (UTF-16 units or bytes) of one text from `from` equal those of another from `start`. */
  protected abstract isSame(own: Text, from: number, text: Text, start: number, length: number): boolean;
  /** Returns the units from `start` to `end` as a key of a map. */
  protected abstract keyOf(text: Text, start: number, end: number): string;

  /** The number of distinct lines. */
  get size(): number {
    return this.count;
  }

  /** Returns the numbers of the lines `from…to-1` of `a`; must be called before those of `b` are numbered. */
  ofA(lineStarts: Int32Array, from: number, to: number): Int32Array {
    const tokens = new Int32Array(to - from);
    for (let line = from; line < to; line++)
      tokens[line - from] = this.numberOf(this.a, lineStarts[line] ?? 0, lineStarts[line + 1] ?? 0);
    this.firstOfB = this.count;
    return tokens;
  }

  /** Returns for each number in `a` the index after its last line there; 0 for none. Valid until the next call. */
  protected linesAfter(aTokens: Int32Array): Int32Array {
    const after = scratch.after.zeros(this.count);
    for (let line = 0; line < aTokens.length; line++) after[aTokens[line] ?? 0] = line + 1;
    return after;
  }

  protected numberOf(text: Text, start: number, end: number): number {
    const hash = this.hashOf(text, start, end);
    const { mask } = this;
    const step = stepOf(hash);
    let slot = firstSlot(hash, mask);
    let isCrowded = true;
    for (let reached = 0, twins = 0; reached < REACH && twins < TWINS; reached++) {
      const known = (this.table[slot] ?? 0) - 1;
      if (known < 0) {
        isCrowded = false;
        break;
      }
      if (this.hashes[known] === hash) {
        if (this.isLine(known, text, start, end)) return known;
        twins++;
      }
      slot = (slot + step) & mask;
    }
    const known = isCrowded ? this.crowded.get(this.keyOf(text, start, end)) : undefined;
    if (known !== undefined) return known;
    if (2 * this.count > mask) this.grow();
    const number = this.count++;
    this.hashes[number] = hash;
    this.starts[number] = start;
    this.ends[number] = end;
    this.place(number);
    return number;
  }

  /** Doubles the number of places; the place of each line follows from its hash. */
  private grow(): void {
    const size = 2 * (this.mask + 1);
    this.mask = size - 1;
    this.table = new Int32Array(size);
    this.crowded.clear();
    for (let number = 0; number < this.count; number++) this.place(number);
    this.hashes = longer(this.hashes, size / 2);
    this.starts = longer(this.starts, size / 2);
    this.ends = longer(this.ends, size / 2);
  }

  /** Stores a line where `numberOf` will find it. */
  private place(number: number): void {
    const hash = this.hashes[number] ?? 0;
    const step = stepOf(hash);
    let slot = firstSlot(hash, this.mask);
    for (let reached = 0, twins = 0; reached < REACH && twins < TWINS; reached++) {
      const other = (this.table[slot] ?? 0) - 1;
      if (other < 0) {
        this.table[slot] = number + 1;
        return;
      }
      if (this.hashes[other] === hash) twins++;
      slot = (slot + step) & this.mask;
    }
    const text = number < this.firstOfB ? this.a : this.b;
    this.crowded.set(this.keyOf(text, this.starts[number] ?? 0, this.ends[number] ?? 0), number);
  }

  protected isLine(number: number, text: Text, start: number, end: number): boolean {
    const from = this.starts[number] ?? 0;
    const length = end - start;
    if ((this.ends[number] ?? 0) - from !== length) return false;
    return this.isSame(number < this.firstOfB ? this.a : this.b, from, text, start, length);
  }
}

const firstSlot = (hash: number, mask: number): number => (hash ^ (hash >>> 15)) & mask;

/** The distance to the next place: lines that share the first place hardly share the second. */
const stepOf = (hash: number): number => (hash >>> 16) | 1;

/** Returns the same entries with room for `size`. */
export function longer(from: Int32Array, size: number): Int32Array {
  if (from.length >= size) return from;
  const to = new Int32Array(size);
  to.set(from);
  return to;
}

/** Spreads a hash over all its bits. */
export const scramble = (hash: number): number => Math.imul(hash ^ (hash >>> 16), 0x45d9f3b);

/** Numbers lines of strings. */
export class TextLineNumbers extends LineNumbers<string> {
  /**
   * Returns the numbers of the lines `from…to-1` of `b`. The line after a matching line is mostly the same in `a` and `b`,
   * so that one is tried first.
   */
  ofOther(lineStarts: Int32Array, from: number, to: number, aTokens: Int32Array): Int32Array {
    const tokens = new Int32Array(to - from);
    const known = this.size;
    const after = this.linesAfter(aTokens);
    let next = 0;
    for (let line = from; line < to; line++) {
      const start = lineStarts[line] ?? 0;
      const end = lineStarts[line + 1] ?? 0;
      let number = next < aTokens.length ? (aTokens[next] ?? -1) : -1;
      if (number >= 0 && this.isLine(number, this.b, start, end)) next++;
      else {
        number = this.numberOf(this.b, start, end);
        next = number < known ? (after[number] ?? 0) : next;
      }
      tokens[line - from] = number;
    }
    return tokens;
  }

  protected override hashOf(text: string, start: number, end: number): number {
    const length = end - start;
    let hash = length;
    if (length <= SAMPLE) {
      for (let at = start; at < end; at++) hash = Math.imul(hash, 31) + text.charCodeAt(at);
      return scramble(hash);
    }
    for (let at = start; at < start + 6; at++) hash = Math.imul(hash, 31) + text.charCodeAt(at);
    const step = length / 8;
    for (let part = 1; part < 8; part++) hash = Math.imul(hash, 31) + text.charCodeAt(start + Math.floor(part * step));
    for (let at = end - 11; at < end; at++) hash = Math.imul(hash, 31) + text.charCodeAt(at);
    return scramble(hash);
  }

  protected override isSame(own: string, from: number, text: string, start: number, length: number): boolean {
    if (length > SHORT) return own.slice(from, from + length) === text.slice(start, start + length);
    for (let index = 0; index < length; index++)
      if (own.charCodeAt(from + index) !== text.charCodeAt(start + index)) return false;
    return true;
  }

  protected override keyOf(text: string, start: number, end: number): string {
    return text.slice(start, end);
  }
}
