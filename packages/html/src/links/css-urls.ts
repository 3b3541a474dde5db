import { isSpace } from "../tokenizer/character-codes.js";

/** The purpose of an address in a stylesheet. */
type CssReferenceKind = "stylesheet" | "image" | "font";

/** Returns a replacement for an address, or null to leave it as it is. */
export type MapCssUrl = (url: string, kind: CssReferenceKind) => string | null;

/**
 * Replaces the addresses in a stylesheet or a style attribute: `url()` quoted or not, `@import`, and the bare strings of
 * `image-set()` and its kin. Tokenizes by CSS Syntax Level 3 §4: comments, strings, escapes (`u\72l(`) and unfinished ends as
 * browsers read them; all other text is copied. Time is linear in the text, whatever it holds.
 */
export function mapCssUrls(css: string, map: MapCssUrl): string {
  return new CssScanner(css, map).run();
}

const code = (character: string) => character.charCodeAt(0);
const doubleQuote = code('"');
const singleQuote = code("'");
const backslash = code("\\");
const slash = code("/");
const star = code("*");
const open = code("(");
const close = code(")");
const at = code("@");
const hyphen = code("-");
const less = code("<");

/** Functions whose strings are addresses. */
const imageFunctions = new Set(["image-set", "-webkit-image-set", "image", "cross-fade", "-webkit-cross-fade", "src"]);
const nameMaxChars = 64;

class CssScanner {
  readonly #css: string;
  readonly #map: MapCssUrl;
  readonly #parts: string[] = [];
  #copied = 0;
  #at = 0;
  /** For each open parenthesis, whether strings in it are addresses. */
  readonly #functions: boolean[] = [];
  /** Whether an `@import` still waits for its address. */
  #importing = false;
  /** Whether an `@namespace` still waits for its name, which looks like an address but is never loaded. */
  #naming = false;
  #fontFaceComing = false;
  #depth = 0;
  #fontFaceDepth = 0;

  constructor(css: string, map: MapCssUrl) {
    this.#css = css;
    this.#map = map;
  }

  run(): string {
    const { length } = this.#css;
    while (this.#at < length) this.#token(this.#css.charCodeAt(this.#at));
    if (this.#parts.length === 0) return this.#css;
    this.#parts.push(this.#css.slice(this.#copied));
    return this.#parts.join("");
  }

  #token(first: number): void {
    if (isNameStart(first) && !(first === backslash && isNewline(this.#css.charCodeAt(this.#at + 1))))
      return this.#word(this.#name());
    switch (first) {
      case slash:
        this.#at = this.#css.charCodeAt(this.#at + 1) === star ? after(this.#css, "*/", this.#at + 2) : this.#at + 1;
        return;
      case doubleQuote:
      case singleQuote:
        return this.#string();
      case at:
        this.#at += 1;
        return this.#atRule(this.#name());
      case open:
        this.#at += 1;
        this.#functions.push(false);
        return;
      case close:
        this.#at += 1;
        this.#functions.pop();
        return;
      case less:
        // `<!--` is a token of its own: its hyphens begin no name
        this.#at += this.#css.startsWith("<!--", this.#at) ? 4 : 1;
        return;
      default:
        return this.#punctuation(first);
    }
  }

  #punctuation(first: number): void {
    this.#at += 1;
    if (first === 0x7b || first === 0x7d || first === 0x3b) this.#naming = false;
    if (first === 0x7b) {
      this.#depth += 1;
      if (this.#fontFaceComing) this.#fontFaceDepth = this.#depth;
      this.#fontFaceComing = false;
      this.#importing = false;
      this.#functions.length = 0;
    } else if (first === 0x7d) {
      if (this.#depth === this.#fontFaceDepth) this.#fontFaceDepth = 0;
      this.#depth = Math.max(0, this.#depth - 1);
      this.#functions.length = 0;
    } else if (first === 0x3b) {
      this.#importing = false;
      this.#fontFaceComing = false;
    }
  }

  #atRule(name: string): void {
    this.#importing = name === "import";
    this.#naming = name === "namespace";
    this.#fontFaceComing = name === "font-face";
  }

  /** A name and what follows it: `url(` is a token of its own, other functions are remembered. */
  #word(name: string): void {
    if (this.#css.charCodeAt(this.#at) !== open) return;
    this.#at += 1;
    if (name !== "url") {
      this.#functions.push(imageFunctions.has(name));
      return;
    }
    const start = this.#at;
    while (isSpace(this.#css.charCodeAt(this.#at))) this.#at += 1;
    const first = this.#css.charCodeAt(this.#at);
    if (first === doubleQuote || first === singleQuote) {
      this.#functions.push(true);
      return;
    }
    this.#unquoted(start);
  }

  #unquoted(start: number): void {
    const { length } = this.#css;
    const from = this.#at;
    let end = -1;
    while (this.#at < length) {
      const next = this.#css.charCodeAt(this.#at);
      if (next === close) break;
      if (next === doubleQuote || next === singleQuote || next === open || (end !== -1 && !isSpace(next)))
        return this.#badUrl();
      if (isSpace(next)) end = end === -1 ? this.#at : end;
      else if (next === backslash) this.#at = endOfEscape(this.#css, this.#at) - 1;
      this.#at += 1;
    }
    this.#at = Math.min(this.#at, length);
    const written = unescapeCss(this.#css.slice(from, end === -1 ? this.#at : end));
    const isOver = this.#at < length;
    this.#replace(start, this.#at, written, isOver ? "" : ")");
    this.#at += 1;
  }

  /** Skips an invalid `url(`, which extends to its parenthesis (§4.3.14). */
  #badUrl(): void {
    const { length } = this.#css;
    while (this.#at < length && this.#css.charCodeAt(this.#at) !== close)
      this.#at += this.#css.charCodeAt(this.#at) === backslash ? 2 : 1;
    this.#at += 1;
  }

  #string(): void {
    const { length } = this.#css;
    const start = this.#at;
    const quote = this.#css.charCodeAt(start);
    for (this.#at += 1; this.#at < length; this.#at += 1) {
      const next = this.#css.charCodeAt(this.#at);
      if (next === quote) break;
      if (next === backslash) this.#at = endOfEscape(this.#css, this.#at) - 1;
      else if (isNewline(next)) return; // a bad string is no address
    }
    const end = Math.min(this.#at, length);
    this.#at = end + 1;
    const isAddress = this.#importing || this.#functions.at(-1) === true;
    if (isAddress) this.#replace(start, Math.min(end + 1, length), unescapeCss(this.#css.slice(start + 1, end)), "");
  }

  #replace(start: number, end: number, written: string, ending: string): void {
    const kind = this.#importing ? "stylesheet" : this.#fontFaceDepth > 0 ? "font" : "image";
    this.#importing = false;
    if (this.#naming) {
      this.#naming = false;
      return;
    }
    const replacement = this.#map(written, kind);
    if (replacement === null) return;
    this.#parts.push(this.#css.slice(this.#copied, start), cssString(replacement), ending);
    this.#copied = end;
  }

  /** Reads a name, in lower case and without escapes, and moves past it. */
  #name(): string {
    const start = this.#at;
    let hasEscape = false;
    for (; ; this.#at += 1) {
      const next = this.#css.charCodeAt(this.#at);
      if (next === backslash && !isNewline(this.#css.charCodeAt(this.#at + 1))) {
        hasEscape = true;
        this.#at = endOfEscape(this.#css, this.#at) - 1;
      } else if (!isNameCode(next)) break;
    }
    this.#at = Math.min(this.#at, this.#css.length);
    if (this.#at === start) return "";
    const written = this.#css.slice(start, Math.min(this.#at, start + nameMaxChars * 8));
    return (hasEscape ? unescapeCss(written) : written).slice(0, nameMaxChars).toLowerCase();
  }
}

function isNameStart(next: number): boolean {
  return isNameCode(next) || next === backslash;
}

/** Whether a code continues a name. Digits count too, which does not change where names end. */
function isNameCode(next: number): boolean {
  const lower = next | 0x20;
  return (
    (lower >= 0x61 && lower <= 0x7a) ||
    (next >= 0x30 && next <= 0x39) ||
    next === hyphen ||
    next === 0x5f ||
    next >= 0x80
  );
}

function isNewline(next: number): boolean {
  return next === 0x0a || next === 0x0d || next === 0x0c;
}

/** Returns the index after the escape that begins with the backslash at `from`. */
function endOfEscape(css: string, from: number): number {
  const digits = /^[0-9a-f]{1,6}/i.exec(css.slice(from + 1, from + 7))?.[0].length ?? 0;
  if (digits === 0) return from + 2;
  const end = from + 1 + digits;
  if (css.startsWith("\r\n", end)) return end + 2;
  return isSpace(css.charCodeAt(end)) ? end + 1 : end;
}

/** Resolves escapes (§4.3.7); an escaped newline is dropped. */
function unescapeCss(text: string): string {
  if (!text.includes("\\")) return text;
  return text.replaceAll(
    /\\(?:([0-9a-f]{1,6})(?:\r\n|[\t\n\f\r ])?|(\r\n|[\n\r\f])|([^]))/gi,
    (_all, hex: string | undefined, newline: string | undefined, other: string | undefined) => {
      if (hex === undefined) return newline === undefined ? (other ?? "") : "";
      const point = Number.parseInt(hex, 16);
      return point === 0 || point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff)
        ? "\uFFFD"
        : String.fromCodePoint(point);
    },
  );
}

/** Quotes a text as a CSS string that is also safe in a `style` element: nothing in it can end that element. */
function cssString(text: string): string {
  return `"${text.replaceAll(/["\\\n\r\f<\0]/g, (character) => `\\${character.charCodeAt(0).toString(16)} `)}"`;
}

function after(text: string, what: string, from: number): number {
  const found = text.indexOf(what, from);
  return found === -1 ? text.length : found + what.length;
}
