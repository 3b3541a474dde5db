import { decodeHTMLAttribute } from "entities/decode";

const slash = 0x2f;
const equals = 0x3d;
const greaterThan = 0x3e;
const doubleQuote = 0x22;
const singleQuote = 0x27;

/** HTML whitespace without U+000D's newline rule, which only matters inside values: tab, LF, FF, CR, space. */
export function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x09 || code === 0x0d || code === 0x0c;
}

/**
 * Steps through the attributes of one tag as the WHATWG tokenizer does (§13.2.5.32 to §13.2.5.40), without copying text.
 * `begin` just after the tag name, `next` until it is false; then `end` is the index after `>`, or -1 where the text ends
 * inside the tag: such a tag is never emitted, so nothing read from it may be used. Time is linear in the tag.
 */
export class AttributeReader {
  /** Index after the tag's `>`; -1 where the text ended first. Valid once `next` has answered false. */
  end = -1;
  isSelfClosing = false;
  #position = 0;
  #nameStart = 0;
  #nameEnd = 0;
  #valueStart = 0;
  #valueEnd = 0;

  constructor(readonly text: string) {}

  begin(position: number): void {
    this.#position = position;
    this.isSelfClosing = false;
    this.end = -1;
  }

  /** Moves to the next attribute; false at the end of the tag. */
  next(): boolean {
    const { text } = this;
    const { length } = text;
    let at = this.#position;
    let code = 0;
    for (; ; at += 1) {
      if (at >= length) return false;
      code = text.charCodeAt(at);
      if (code !== slash && !isSpace(code)) break;
    }
    if (code === greaterThan) {
      this.end = at + 1;
      this.isSelfClosing = text.charCodeAt(at - 1) === slash;
      return false;
    }
    this.#nameStart = at;
    // the first character belongs to the name even where it is "="
    do {
      at += 1;
      if (at >= length) return false;
      code = text.charCodeAt(at);
    } while (code !== equals && code !== greaterThan && code !== slash && !isSpace(code));
    this.#nameEnd = at;
    while (isSpace(code)) {
      at += 1;
      if (at >= length) return false;
      code = text.charCodeAt(at);
    }
    this.#valueStart = at;
    this.#valueEnd = at;
    this.#position = at;
    return code !== equals || this.#readValue(at + 1);
  }

  /** Whether the attribute has this name, which is given in lower case; only ASCII letters compare case-insensitively. */
  is(name: string): boolean {
    const start = this.#nameStart;
    if (this.#nameEnd - start !== name.length) return false;
    for (let index = 0; index < name.length; index += 1) {
      const code = this.text.charCodeAt(start + index);
      const lower = code >= 0x41 && code <= 0x5a ? code | 0x20 : code;
      if (lower !== name.charCodeAt(index)) return false;
    }
    return true;
  }

  /** The value with character references decoded; empty where the attribute has none. */
  value(): string {
    return attributeValue(this.text.slice(this.#valueStart, this.#valueEnd));
  }

  /** The first value of each wanted attribute that the tag has; reads on to the end of the tag. */
  collect(names: readonly string[]): Map<string, string> {
    const values = new Map<string, string>();
    while (this.next()) {
      const name = names.find((wanted) => this.is(wanted));
      if (name !== undefined && !values.has(name)) values.set(name, this.value());
    }
    return values;
  }

  #readValue(from: number): boolean {
    const { text } = this;
    const { length } = text;
    let at = from;
    while (at < length && isSpace(text.charCodeAt(at))) at += 1;
    if (at >= length) return false;
    const quote = text.charCodeAt(at);
    if (quote === doubleQuote || quote === singleQuote) {
      const close = text.indexOf(quote === doubleQuote ? '"' : "'", at + 1);
      if (close === -1) return false;
      this.#valueStart = at + 1;
      this.#valueEnd = close;
      this.#position = close + 1;
      return true;
    }
    this.#valueStart = at;
    for (let code = quote; code !== greaterThan && !isSpace(code); code = text.charCodeAt(at)) {
      at += 1;
      if (at >= length) return false;
    }
    this.#valueEnd = at;
    this.#position = at;
    return true;
  }
}

/** What a tokenizer makes of a raw attribute value: newlines joined, NUL replaced, character references decoded by the attribute's rules. */
function attributeValue(raw: string): string {
  let value = raw;
  if (value.includes("\r")) value = value.replaceAll(/\r\n?/g, "\n");
  if (value.includes("\0")) value = value.replaceAll("\0", "\uFFFD");
  return value.includes("&") ? decodeHTMLAttribute(value) : value;
}
