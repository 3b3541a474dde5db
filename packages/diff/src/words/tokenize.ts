import { characterEnd, kindAt, kindOf } from "./characters.js";

/**
 * The unit that a text is cut into: tags and the text between them, words (and single symbols, and runs of white space),
 * or characters.
 */
export type Unit = "tags" | "words" | "chars";

/**
 * Returns the end of the token that starts at `index`; the same text always gives the same tokens. Never inside a surrogate pair.
 */
export function tokenEnd(unit: Unit, text: string, index: number, limit: number): number {
  if (unit === "chars") return characterEnd(text, index, limit);
  return unit === "words" ? wordEnd(text, index, limit) : tagEnd(text, index, limit);
}

function wordEnd(text: string, index: number, limit: number): number {
  const kind = kindAt(text, index);
  let end = index + 1;
  if (kind === kindOf.word) {
    while (end < limit) {
      const next = kindAt(text, end);
      if (next !== kindOf.word && next !== kindOf.extend) break;
      end++;
    }
    return end;
  }
  if (kind === kindOf.space) {
    while (end < limit && kindAt(text, end) === kindOf.space) end++;
    return end;
  }
  return kind === kindOf.newline ? end : characterEnd(text, index, limit);
}

/** Returns the end of a tag, which is its ">", or of a text, which is the next tag; a "<" that opens no tag is text. */
function tagEnd(text: string, index: number, limit: number): number {
  if (opensTag(text, index)) {
    const close = text.indexOf(">", index);
    return close < 0 || close >= limit ? limit : close + 1;
  }
  let open = text.indexOf("<", index + 1);
  while (open >= 0 && open < limit && !opensTag(text, open)) open = text.indexOf("<", open + 1);
  return open < 0 || open >= limit ? limit : open;
}

function opensTag(text: string, index: number): boolean {
  if (text.charCodeAt(index) !== 60) return false;
  const next = text.charCodeAt(index + 1) | 32;
  // a–z in either case, "/" (or its twin with bit 5 set, which is itself), "!" and "?".
  return (next >= 97 && next <= 122) || next === 47 || next === 33 || next === 63;
}

/** The tokens of one stretch of text: equal numbers for equal tokens, and the offset at which each ends. */
export interface Tokens {
  readonly ids: Int32Array;
  readonly ends: Int32Array;
}

/** Token buffers larger than this are released. */
const KEPT = 1 << 18;

/** Numbers tokens from 0, the same for both sides of one region. Reused from region to region by `reset`. */
export class TokenNumbers {
  private readonly single = new Int32Array(65_536);
  private readonly longer = new Map<string, number>();
  private readonly used: number[] = [];
  private readonly buffers: { readonly [side in "a" | "b"]: { ids: Int32Array; ends: Int32Array } } = {
    a: { ids: new Int32Array(256), ends: new Int32Array(256) },
    b: { ids: new Int32Array(256), ends: new Int32Array(256) },
  };
  count = 0;

  /** Forgets all tokens. */
  reset(): void {
    for (const unit of this.used) this.single[unit] = 0;
    this.used.length = 0;
    this.longer.clear();
    this.count = 0;
  }

  /** Forgets all tokens and releases the memory of a large region. */
  release(): void {
    this.reset();
    for (const side of [this.buffers.a, this.buffers.b]) {
      if (side.ids.length <= KEPT) continue;
      side.ids = new Int32Array(256);
      side.ends = new Int32Array(256);
    }
  }

  /**
   * Cuts `text` from `from` to `to` into tokens.
   * @param side the result is valid until the next call for the same side.
   * @returns undefined when there are more than `most`.
   */
  tokenize(side: "a" | "b", unit: Unit, text: string, from: number, to: number, most: number): Tokens | undefined {
    const buffers = this.buffers[side];
    let { ids, ends } = buffers;
    let count = 0;
    for (let at = from; at < to;) {
      if (count >= most) return undefined;
      if (count === ids.length) {
        ids = grown(ids);
        ends = grown(ends);
      }
      const end = tokenEnd(unit, text, at, to);
      ids[count] = this.numberOf(text, at, end);
      ends[count++] = end;
      at = end;
    }
    buffers.ids = ids;
    buffers.ends = ends;
    return { ids: ids.subarray(0, count), ends: ends.subarray(0, count) };
  }

  private numberOf(text: string, from: number, to: number): number {
    if (to - from === 1) {
      const unit = text.charCodeAt(from);
      const known = this.single[unit] ?? 0;
      if (known > 0) return known - 1;
      this.used.push(unit);
      this.single[unit] = ++this.count;
      return this.count - 1;
    }
    const key = text.slice(from, to);
    const known = this.longer.get(key);
    if (known !== undefined) return known;
    this.longer.set(key, this.count);
    return this.count++;
  }
}

function grown(from: Int32Array): Int32Array {
  const to = new Int32Array(from.length * 2);
  to.set(from);
  return to;
}

/** Counts the tokens of a stretch of text; of words, those that are not white space. */
export function countTokens(unit: Unit, text: string, from: number, to: number): number {
  let count = 0;
  for (let at = from; at < to;) {
    const end = tokenEnd(unit, text, at, to);
    if (unit !== "words" || !isBlank(text, at)) count++;
    at = end;
  }
  return count;
}

/** Whether a word token that starts here is white space. */
export function isBlank(text: string, index: number): boolean {
  const kind = kindAt(text, index);
  return kind === kindOf.space || kind === kindOf.newline;
}
