import { decodeHTMLAttribute } from "entities/decode";
import { isNameAt, isSpace } from "./character-codes.js";

const carriageReturn = 0x0d;
const space = 0x20;
const ampersand = 0x26;
const slash = 0x2f;
const equals = 0x3d;
const greaterThan = 0x3e;
const doubleQuote = 0x22;
const singleQuote = 0x27;

/**
 * Steps through the attributes of one tag as the WHATWG tokenizer does (§13.2.5.32 to §13.2.5.40), without copying text.
 * `begin` just after the tag name, `next` until it is false; then `end` is the index after `>`, or -1 where the text ends
 * inside the tag: such a tag is never emitted, so nothing read from it may be used. Time is linear in the tag.
 */
export class AttributeReader {
  /** Index after the tag's `>`; -1 where the text ended first. Valid once `next` has answered false. */
  end = -1;
  isSelfClosing = false;
  /**
   * After `skip`: the letters that attribute names begin with, each as the bit of its five lowest bits; other characters
   * may set the same bits.
   */
  initials = 0;
  #position = 0;
  #nameStart = 0;
  #nameEnd = 0;
  #valueStart = 0;
  #valueEnd = 0;
  /** The quote around the value; null where the attribute has no value. */
  #quote: "" | '"' | "'" | null = null;
  /** Whether the value holds a character that the tokenizer changes: `&`, NUL or CR. */
  #isRaw = false;
  /** Whether the previous attribute has no value, so that an `=` after white space would begin one. */
  #isBehindName = false;

  /** @param codes the code units of the text (`characterCodes`) */
  constructor(
    readonly text: string,
    readonly codes: Uint16Array,
  ) {}

  begin(position: number): void {
    this.#position = position;
    this.isSelfClosing = false;
    this.end = -1;
    this.#quote = "";
  }

  /** Moves to the next attribute; false at the end of the tag. */
  next(): boolean {
    const { codes } = this;
    const { length } = codes;
    let at = this.#position;
    let code = 0;
    for (; ; at += 1) {
      if (at >= length) return false;
      code = codes[at] ?? 0;
      if (code !== slash && !isSpace(code)) break;
    }
    if (code === greaterThan) {
      this.end = at + 1;
      this.isSelfClosing = codes[at - 1] === slash && at > this.#position;
      return false;
    }
    this.#nameStart = at;
    // the first character belongs to the name even if it is "="
    do {
      at += 1;
      if (at >= length) return false;
      code = codes[at] ?? 0;
    } while (code > greaterThan || (code !== equals && code !== greaterThan && code !== slash && !isSpace(code)));
    this.#nameEnd = at;
    while (isSpace(code)) {
      at += 1;
      if (at >= length) return false;
      code = codes[at] ?? 0;
    }
    this.#valueStart = at;
    this.#valueEnd = at;
    this.#position = at;
    this.#isRaw = false;
    this.#isBehindName = this.#quote === null;
    this.#quote = null;
    return code !== equals || this.#readValue(at + 1);
  }

  /**
   * Skips all attributes at once, by the same rules, and returns `end`. Most tags of a page are skipped this way, and this
   * loop takes most of a crawl's scanning time.
   */
  skip(from: number): number {
    const { text, codes } = this;
    const { length } = codes;
    let at = from;
    let last = 0;
    let initials = 0;
    while (at < length) {
      let code = codes[at] ?? 0;
      for (last = 0; code === slash || isSpace(code); code = codes[(at += 1)] ?? greaterThan) last = code;
      if (code === greaterThan) break;
      initials |= 1 << (code & 31);
      for (at += 1; at < length; at += 1) {
        code = codes[at] ?? 0;
        if (code <= greaterThan && (code === equals || code === greaterThan || code === slash || isSpace(code))) break;
      }
      while (isSpace(code)) code = codes[(at += 1)] ?? 0;
      if (code === equals && at < length) at = skipValue(text, codes, at + 1);
    }
    this.initials = initials;
    this.isSelfClosing = last === slash;
    this.end = at < length ? at + 1 : -1;
    return this.end;
  }

  /** Whether the attribute has this name, given in lower case; only ASCII letters are compared case-insensitively. */
  is(name: string): boolean {
    return this.#nameEnd - this.#nameStart === name.length && isNameAt(this.codes, this.#nameStart, name);
  }

  /** Returns the name, ASCII letters in lower case. */
  name(): string {
    return this.text.slice(this.#nameStart, this.#nameEnd).replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());
  }

  /** Returns the value with character references decoded; empty where the attribute has none. */
  value(): string {
    const value = this.text.slice(this.#valueStart, this.#valueEnd);
    return this.#isRaw ? decodeValue(value) : value;
  }

  /** Returns the ranges of the attribute and of its value without quotes, as UTF-16 units of the text; ends are exclusive. */
  place(): { range: [number, number]; value: [number, number] } {
    const hasValue = this.#quote !== null;
    const end = hasValue ? this.#valueEnd + (this.#quote ?? "").length : this.#nameEnd;
    return { range: [this.#nameStart, end], value: [this.#valueStart, hasValue ? this.#valueEnd : this.#valueStart] };
  }

  /**
   * Returns the index after the attribute where its text is exactly what `written` returns and follows `from`, the end of
   * what came before, by one space; else -1.
   */
  endAsWritten(from: number): number {
    if (this.#nameStart !== from + 1 || this.codes[from] !== space) return -1;
    const quote = this.#quote;
    if (quote === null) return this.#nameEnd;
    return this.#nameEnd + 1 + quote.length === this.#valueStart ? this.#valueEnd + quote.length : -1;
  }

  /** Returns the attribute in its normal form, without white space around its `=`, with the separator before it. */
  written(): string {
    const name = this.text.slice(this.#nameStart, this.#nameEnd);
    const quote = this.#quote;
    const separator = this.#isBehindName && name.startsWith("=") ? "/" : " ";
    const value = quote === null ? "" : `=${quote}${this.text.slice(this.#valueStart, this.#valueEnd)}${quote}`;
    return separator + name + value;
  }

  /** Returns the first value of each wanted attribute that the tag has; reads to the end of the tag. */
  collect(names: readonly string[]): Map<string, string> {
    const values = new Map<string, string>();
    while (this.next()) {
      const name = names.find((wanted) => this.is(wanted));
      if (name !== undefined && !values.has(name)) values.set(name, this.value());
    }
    return values;
  }

  #readValue(from: number): boolean {
    const { codes } = this;
    const { length } = codes;
    let at = from;
    while (at < length && isSpace(codes[at] ?? 0)) at += 1;
    const quote = codes[at] ?? 0;
    const isQuoted = quote === doubleQuote || quote === singleQuote;
    if (isQuoted) at += 1;
    this.#quote = isQuoted ? (quote === doubleQuote ? '"' : "'") : "";
    this.#valueStart = at;
    for (; at < length; at += 1) {
      const code = codes[at] ?? 0;
      if (code > (isQuoted ? singleQuote : greaterThan)) continue;
      if (isQuoted ? code === quote : code === greaterThan || isSpace(code)) break;
      if (code === ampersand || code === carriageReturn || code === 0) this.#isRaw = true;
    }
    this.#valueEnd = at;
    this.#position = isQuoted ? at + 1 : at;
    return at < length;
  }
}

/** Returns the bits that are set in a tag's `initials` where it has one of these attributes. */
export function initialsOf(...names: readonly string[]): number {
  return names.reduce((bits, name) => bits | (1 << (name.charCodeAt(0) & 31)), 0);
}

/**
 * Decodes a raw value as the tokenizer does: newlines normalised, NUL replaced, character references decoded by the rules
 * for attributes.
 */
function decodeValue(raw: string): string {
  return decodeHTMLAttribute(raw.replaceAll(/\r\n?/g, "\n").replaceAll("\0", "\uFFFD"));
}

/** Returns the index after the attribute value that starts at or after `from`; the length where the text ends first. */
function skipValue(text: string, codes: Uint16Array, from: number): number {
  const { length } = codes;
  let at = from;
  while (at < length && isSpace(codes[at] ?? 0)) at += 1;
  const quote = codes[at] ?? 0;
  if (quote === doubleQuote || quote === singleQuote) {
    // most values are short, for which a loop is faster than a call; those of drawings are not
    const near = Math.min(length, at + 32);
    for (at += 1; at < near; at += 1) if (codes[at] === quote) return at + 1;
    const end = text.indexOf(quote === doubleQuote ? '"' : "'", at);
    return end === -1 ? length : end + 1;
  }
  for (; at < length; at += 1) {
    const code = codes[at] ?? 0;
    if (code === greaterThan || isSpace(code)) break;
  }
  return at;
}
