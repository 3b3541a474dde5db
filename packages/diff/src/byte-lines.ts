import { LineNumbers, scramble } from "./line-numbers.js";

const newline = 10;

/** Lines of two texts between what both have at either end; `ids`: numbers are 0…ids-1, equal for equal lines. */
export interface ByteLines {
  readonly aTokens: Int32Array;
  readonly bTokens: Int32Array;
  readonly ids: number;
}

/** Numbers the lines of two texts of which "\n" is the byte 10 and nothing else is. Whole lines that both have at either end are left out. */
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
  const bStarts = lineStarts(b, from, b.length - after);
  const numbers = new ByteLineNumbers(a, b, aStarts.length + bStarts.length - 2);
  const aTokens = numbers.ofA(aStarts, 0, aStarts.length - 1);
  const bTokens = numbers.ofOther(bStarts, 0, bStarts.length - 1, aTokens);
  return { aTokens, bTokens, ids: numbers.size };
}

/** Bytes of a line that its hash looks at: all of a short one; of a longer one its beginning, its end and some between. */
const sample = { whole: 32, beginning: 6, between: 16, end: 11 };
/** Bytes that are compared at once, by the machine's own means, while looking for common ends. */
const stretches = [4096, 512];

export class ByteLineNumbers extends LineNumbers<Buffer> {
  private readonly viewA = viewOf(this.a);
  private readonly viewB = viewOf(this.b);

  protected override hashOf(bytes: Buffer, start: number, end: number): number {
    const length = end - start;
    let hash = length;
    if (length <= sample.whole) {
      for (let at = start; at < end; at++) hash = Math.imul(hash, 31) + (bytes[at] ?? 0);
      return scramble(hash);
    }
    for (let at = start; at < start + sample.beginning; at++) hash = Math.imul(hash, 31) + (bytes[at] ?? 0);
    const step = (length - sample.beginning - sample.end) / sample.between;
    for (let part = 0; part < sample.between; part++)
      hash = Math.imul(hash, 31) + (bytes[start + sample.beginning + Math.floor(part * step)] ?? 0);
    for (let at = end - sample.end; at < end; at++) hash = Math.imul(hash, 31) + (bytes[at] ?? 0);
    return scramble(hash);
  }

  protected override isSame(own: Buffer, from: number, bytes: Buffer, start: number, length: number): boolean {
    const ownView = own === this.a ? this.viewA : this.viewB;
    const view = bytes === this.a ? this.viewA : this.viewB;
    let index = 0;
    // four bytes at a time; the views read where bytes lie, on any address
    for (; index <= length - 4; index += 4)
      if (ownView.getInt32(from + index, true) !== view.getInt32(start + index, true)) return false;
    for (; index < length; index++) if (own[from + index] !== bytes[start + index]) return false;
    return true;
  }

  protected override keyOf(bytes: Buffer, start: number, end: number): string {
    return bytes.toString("latin1", start, end);
  }
}

const viewOf = ({ buffer, byteOffset, length }: Buffer): DataView => new DataView(buffer, byteOffset, length);

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}

/** Offsets of the lines between `from`, where one starts, and `to`, and after them `to`. */
function lineStarts(bytes: Buffer, from: number, to: number): Int32Array {
  let starts = new Int32Array(64 + ((to - from) >> 5));
  let count = 0;
  for (let start = from; start < to;) {
    if (count + 2 > starts.length) {
      const more = new Int32Array(starts.length * 2);
      more.set(starts);
      starts = more;
    }
    starts[count++] = start;
    const end = bytes.indexOf(newline, start);
    start = end < 0 || end >= to ? to : end + 1;
  }
  starts[count++] = to;
  return starts.subarray(0, count);
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
