/*
 * Unicode simple case folding (CaseFolding.txt, status C and S), the rule of regular expressions with the flags `iu` and of
 * most search tools: code point by code point and without a locale. "ß" is "ẞ" and not "ss"; the Turkish "ı" and "İ" are
 * letters of their own; "ſ" is "s", the Kelvin sign is "k". Before that, texts are composed (Unicode NFC): a letter followed by an accent is
 * the letter with that accent.
 */

const lastOfPlaneZero = 0xffff;
/** The last code point that is examined: no letter above it has case (Adlam ends at U+1E943). */
const lastWithCase = 0x1efff;
/** Letters whose upper case consists of several letters, so that JavaScript's case mappings do not connect them. */
const pairs = [
  [0x1fd3, 0x390],
  [0x1fe3, 0x3b0],
  [0xfb05, 0xfb06],
] as const;

let folds: Uint32Array | undefined;

/** Returns the table of representatives of each case class, by code point. */
function foldTable(): Uint32Array {
  if (folds !== undefined) return folds;
  const table = Uint32Array.from({ length: lastWithCase + 1 }, (_, point) => point);
  let all = "";
  for (let point = 0x41; point <= lastWithCase; point += 1)
    if (point < 0xd800 || point > 0xdfff) all += String.fromCodePoint(point);
  for (const [letter] of all.matchAll(/\p{Changes_When_Casemapped}/gu)) {
    const folded = representative(letter);
    if (folded !== letter && areSame(letter, folded)) table[letter.codePointAt(0) ?? 0] = folded.codePointAt(0) ?? 0;
  }
  for (const [one, other] of pairs)
    if (areSame(String.fromCodePoint(one), String.fromCodePoint(other))) table[one] = other;
  folds = table;
  return table;
}

function representative(letter: string): string {
  const upper = letter.toUpperCase();
  const lower = (isOne(upper) ? upper : letter).toLowerCase();
  return isOne(lower) ? lower : letter;
}

function isOne(text: string): boolean {
  return text.length === ((text.codePointAt(0) ?? 0) > lastOfPlaneZero ? 2 : 1);
}

function areSame(one: string, other: string): boolean {
  return /^(.)\1$/isu.test(one + other);
}

/** Returns a text with every letter replaced by its class; positions (UTF-16 units) are those of `text`. */
export function foldText(text: string): string {
  const table = foldTable();
  return text.replaceAll(/[A-Z]+|[\u0080-\u{10ffff}]/gu, (letter) =>
    letter.charCodeAt(0) < 0x80 ? letter.toLowerCase() : foldLetter(table, letter),
  );
}

function foldLetter(table: Uint32Array, letter: string): string {
  const point = letter.codePointAt(0) ?? 0;
  const folded = table[point] ?? point;
  return folded === point ? letter : String.fromCodePoint(folded);
}

/** Normalises line ends as a text area does: to one line feed each. */
export function unifyLineEnds(text: string): string {
  return text.includes("\r") ? text.replaceAll(/\r\n?/g, "\n") : text;
}

/** Composes letters and the accents that follow them, as they are searched (Unicode NFC). */
export const composed = (text: string): string => text.normalize("NFC");

/** Composes UTF-8. */
const composedBytes = (utf8: Uint8Array): Uint8Array =>
  Buffer.from(composed(Buffer.from(utf8.buffer, utf8.byteOffset, utf8.byteLength).toString("utf8")), "utf8");

/**
 * Ranges of code points, from and to, that hold all which composing may change: marks, the parts of Hangul syllables, and characters that are
 * written as others. Texts without them, as nearly all pages are, need no composing, which costs more than folding does.
 */
const mayChange = [
  [0x300, 0x387],
  [0x483, 0x489],
  [0x591, 0x1dff],
  [0x1f00, 0x2001],
  [0x20d0, 0x20ff],
  [0x2126, 0x212b],
  [0x2329, 0x232a],
  [0x2adc, 0x2adc],
  [0x2cef, 0x2cf1],
  [0x2d7f, 0x2dff],
  [0x302a, 0x302f],
  [0x3099, 0x309a],
  [0xa66f, 0xabff],
  [0xf900, 0xfb4f],
  [0xfe20, 0xfe2f],
  [0x10000, 0x1efff],
  [0x2f800, 0x10ffff],
] as const;

/** Whether composing may change a text with this character. */
export const composesWith = (point: number): boolean =>
  point >= 0x300 && mayChange.some(([from, to]) => point >= from && point <= to);

/**
 * Returns the bytes in which texts are stored and searched: UTF-8, composed, case-folded, every line end one line feed.
 * @param utf8 well-formed
 */
export function foldBytes(utf8: Uint8Array): Uint8Array {
  return new Folder().fold(utf8);
}

/** Folds one text after the other into the same memory. */
export class Folder {
  private folded = new Uint8Array(0);

  /** Folds as `foldBytes` does. @returns bytes that are valid until the next call */
  fold(written: Uint8Array): Uint8Array {
    let length = this.foldAll(written, false);
    if (length === -1) length = this.foldAll(composedBytes(written), true);
    // read only now: folding may have moved to larger memory
    return this.folded.subarray(0, length);
  }

  /** @returns the length of the folded text, -1 where the text has to be composed first */
  private foldAll(utf8: Uint8Array, isComposed: boolean): number {
    const table = foldTable();
    this.needRoom(utf8.length + 16, 0);
    let to = 0;
    for (let at = 0; at < utf8.length;) {
      const plain = foldPlain(utf8, at, this.folded, to);
      at += plain;
      to += plain;
      if (plain > 0) continue;
      const byte = utf8[at] ?? 0;
      if (byte === 0x0d) {
        at += utf8[at + 1] === 0x0a ? 2 : 1;
        this.folded[to++] = 0x0a;
        continue;
      }
      // two bytes may become three (U+023A)
      this.needRoom(to + 8 + (utf8.length - at), to);
      const length = byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
      const point = pointAt(utf8, at, length);
      if (!isComposed && composesWith(point)) return -1;
      to = putPoint(this.folded, to, table[point] ?? point);
      at += length;
    }
    return to;
  }

  private needRoom(length: number, used: number): void {
    if (length <= this.folded.length) return;
    const larger = new Uint8Array(Math.ceil(length * 1.5));
    larger.set(this.folded.subarray(0, used));
    this.folded = larger;
  }
}

/** Bytes per call: V8 optimises a function that is called often, not one that runs long. */
const plainAtOnce = 512;

/** Folds ASCII up to the next other letter or carriage return, `plainAtOnce` bytes at most. @returns how many bytes */
function foldPlain(utf8: Uint8Array, at: number, folded: Uint8Array, to: number): number {
  const most = Math.min(utf8.length - at, plainAtOnce);
  for (let done = 0; done < most; done += 1) {
    const byte = utf8[at + done] ?? 0;
    if (byte >= 0x80 || byte === 0x0d) return done;
    folded[to + done] = byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte;
  }
  return most;
}

function pointAt(utf8: Uint8Array, at: number, length: number): number {
  let point = (utf8[at] ?? 0) & (0xff >> (length + 1));
  for (let offset = 1; offset < length; offset += 1) point = (point << 6) | ((utf8[at + offset] ?? 0) & 0x3f);
  return point;
}

function putPoint(bytes: Uint8Array, at: number, point: number): number {
  let to = at;
  if (point < 0x80) bytes[to++] = point;
  else if (point < 0x800) {
    bytes[to++] = 0xc0 | (point >> 6);
    bytes[to++] = 0x80 | (point & 0x3f);
  } else if (point < 0x10000) {
    bytes[to++] = 0xe0 | (point >> 12);
    bytes[to++] = 0x80 | ((point >> 6) & 0x3f);
    bytes[to++] = 0x80 | (point & 0x3f);
  } else {
    bytes[to++] = 0xf0 | (point >> 18);
    bytes[to++] = 0x80 | ((point >> 12) & 0x3f);
    bytes[to++] = 0x80 | ((point >> 6) & 0x3f);
    bytes[to++] = 0x80 | (point & 0x3f);
  }
  return to;
}
