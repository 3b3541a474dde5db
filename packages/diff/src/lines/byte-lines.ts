import { LineNumbers, longer, scramble } from "./line-numbers.js";

const newline = 10;

/** The lines of two texts between their common ends; `ids`: numbers are 0…ids-1, equal for equal lines. */
export interface ByteLines {
  readonly aTokens: Int32Array;
  readonly bTokens: Int32Array;
  readonly ids: number;
}

/**
 * Numbers the lines of two texts in an encoding in which the byte 10 is always "\n". Whole lines that both have at either
 * end are left out.
 */
export function byteLines(textA: Uint8Array, textB: Uint8Array): ByteLines {
  const a = asBuffer(textA);
  const b = asBuffer(textB);
  const shorter = Math.min(a.length, b.length);
  const head = commonBeginning(a, b, shorter);
  const from = head === 0 ? 0 : a.lastIndexOf(newline, head - 1) + 1;
  const tail = commonEnd(a, b, shorter - from);
  // A line starts after a newline that both have; right where the common end begins, only one of them might.
  const first = a.indexOf(newline, a.length - tail);
  const after = first < 0 ? 0 : a.length - first - 1;
  const aStarts = lineStarts(a, from, a.length - after);
  const numbers = new ByteLineNumbers(a, b, aStarts.length);
  const aTokens = numbers.ofA(aStarts, 0, aStarts.length - 1);
  const bTokens = numbers.ofB(from, b.length - after, aStarts, aTokens);
  return { aTokens, bTokens, ids: numbers.size };
}

/**
 * The bytes of a line that its hash covers: all of a short one; of a longer one its beginning, its end and some groups of
 * four in between.
 */
const sample = { whole: 40, beginning: 8, between: 6, end: 12 };
const mixed = (hash: number, bytes: number): number => Math.imul(hash ^ bytes, 0x5bd1e995) ^ (hash >>> 13);
/** The numbers of bytes that are compared by one native call. */
const stretches = [4096, 512];
/** The bytes that are compared four at a time before a native call pays off. */
const near = 64;

export class ByteLineNumbers extends LineNumbers<Buffer> {
  private readonly viewA = viewOf(this.a);
  private readonly viewB = viewOf(this.b);

  protected override hashOf(bytes: Buffer, start: number, end: number): number {
    const view = bytes === this.a ? this.viewA : this.viewB;
    const length = end - start;
    let hash = length;
    if (length <= sample.whole) {
      let at = start;
      for (; at <= end - 4; at += 4) hash = mixed(hash, view.getInt32(at, true));
      for (; at < end; at++) hash = mixed(hash, bytes[at] ?? 0);
      return scramble(hash);
    }
    for (let at = start; at < start + sample.beginning; at += 4) hash = mixed(hash, view.getInt32(at, true));
    const step = (length - sample.beginning - sample.end) / sample.between;
    for (let part = 0; part < sample.between; part++)
      hash = mixed(hash, view.getInt32(start + sample.beginning + ((part * step) | 0), true));
    for (let at = end - sample.end; at < end; at += 4) hash = mixed(hash, view.getInt32(at, true));
    return scramble(hash);
  }

  protected override isSame(own: Buffer, from: number, bytes: Buffer, start: number, length: number): boolean {
    const ownView = own === this.a ? this.viewA : this.viewB;
    const view = bytes === this.a ? this.viewA : this.viewB;
    let index = 0;
    // four bytes at a time; a DataView reads from any address, aligned or not
    for (; index <= length - 4; index += 4)
      if (ownView.getInt32(from + index, true) !== view.getInt32(start + index, true)) return false;
    for (; index < length; index++) if (own[from + index] !== bytes[start + index]) return false;
    return true;
  }

  protected override keyOf(bytes: Buffer, start: number, end: number): string {
    return bytes.toString("latin1", start, end);
  }

  /**
   * Returns the numbers of the lines of `b` from one offset to another. The line after a matching line is mostly the same
   * in `a` and `b`, and both are compared many bytes at a time: ends of lines in `b` are only searched where they differ.
   * @param aStarts the offsets of the lines of `aTokens`, and the end of the last one
   */
  ofB(from: number, to: number, aStarts: Int32Array, aTokens: Int32Array): Int32Array {
    const { a, b } = this;
    const aLines = aTokens.length;
    const aTo = aStarts[aLines] ?? 0;
    const known = this.size;
    const after = this.linesAfter(aTokens);
    let tokens: Int32Array = new Int32Array(64 + aLines + (aLines >> 3));
    let count = 0;
    let next = 0;
    for (let at = from; at < to;) {
      const start = aStarts[next] ?? aTo;
      const same = this.commonLength(start, at, Math.min(aTo - start, to - at));
      // a last line that only one text ends with a newline is a different line
      const isWhole = start + same < aTo || at + same === to || a[aTo - 1] === newline;
      const last = isWhole ? aLines : aLines - 1;
      const first = next;
      while (next < last && (aStarts[next + 1] ?? 0) <= start + same) next++;
      const lines = next - first;
      if (count + lines >= tokens.length) tokens = longer(tokens, 2 * (count + lines));
      if (lines > 0) {
        tokens.set(aTokens.subarray(first, next), count);
        count += lines;
        at += (aStarts[next] ?? 0) - start;
        continue;
      }
      const end = endOfLine(b, at, to);
      const number = this.numberOf(b, at, end);
      if (number < known) next = after[number] ?? 0;
      tokens[count++] = number;
      at = end;
    }
    return tokens.subarray(0, count);
  }

  /** Returns how many bytes are equal in `a` from `x` and in `b` from `y`, at most `limit`. */
  private commonLength(x: number, y: number, limit: number): number {
    const { a, b, viewA, viewB } = this;
    let length = 0;
    const soon = Math.min(limit, near) - 3;
    while (length < soon && viewA.getInt32(x + length, true) === viewB.getInt32(y + length, true)) length += 4;
    if (length >= soon) {
      for (const stretch of stretches)
        while (
          length + stretch <= limit &&
          a.compare(b, y + length, y + length + stretch, x + length, x + length + stretch) === 0
        )
          length += stretch;
      while (length < limit - 3 && viewA.getInt32(x + length, true) === viewB.getInt32(y + length, true)) length += 4;
    }
    while (length < limit && a[x + length] === b[y + length]) length++;
    return length;
  }
}

const viewOf = ({ buffer, byteOffset, length }: Buffer): DataView => new DataView(buffer, byteOffset, length);

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}

/** Returns the offsets of the lines between `from`, where one starts, and `to`, followed by `to`. */
function lineStarts(bytes: Buffer, from: number, to: number): Int32Array {
  let starts: Int32Array = new Int32Array(64 + ((to - from) >> 5));
  let count = 0;
  for (let start = from; start < to;) {
    if (count + 2 > starts.length) starts = longer(starts, starts.length * 2);
    starts[count++] = start;
    start = endOfLine(bytes, start, to);
  }
  starts[count++] = to;
  return starts.subarray(0, count);
}

/** Returns where the line that starts at `start` ends, its newline included. */
function endOfLine(bytes: Buffer, start: number, to: number): number {
  const end = bytes.indexOf(newline, start);
  return end < 0 || end >= to ? to : end + 1;
}

function commonBeginning(a: Buffer, b: Buffer, limit: number): number {
  let length = 0;
  for (const stretch of stretches)
    while (length + stretch <= limit && a.compare(b, length, length + stretch, length, length + stretch) === 0)
      length += stretch;
  while (length < limit && a[length] === b[length]) length++;
  return length;
}

function commonEnd(a: Buffer, b: Buffer, limit: number): number {
  let aEnd = a.length;
  let bEnd = b.length;
  const first = aEnd - limit;
  for (const stretch of stretches)
    while (aEnd - stretch >= first && a.compare(b, bEnd - stretch, bEnd, aEnd - stretch, aEnd) === 0) {
      aEnd -= stretch;
      bEnd -= stretch;
    }
  while (aEnd > first && a[aEnd - 1] === b[bEnd - 1]) {
    aEnd--;
    bEnd--;
  }
  return a.length - aEnd;
}
