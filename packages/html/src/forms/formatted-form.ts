import type { FormLines } from "./form-lines.js";
import { AttributeReader } from "../tokenizer/attribute-reader.js";
import { characterCodes, endOfName, isLetter, isSpace } from "../tokenizer/character-codes.js";
import { endOfComment, endOfRawText, endOfScript } from "../tokenizer/raw-text.js";

/**
 * Formats a page with every element on its own line: minified pages get meaningful lines, and insignificant white space
 * makes no difference.
 *
 * The result is HTML with the same meaning. Lines break before blocks, and between other elements where there is white
 * space already; where there is none, the break is put inside a tag (`</a` newline `><a href="…">`), as white space there
 * is insignificant. `pre`, `textarea`, scripts, styles and comments stay as they are, but for CRLF, which a parser reads as
 * LF (HTML §13.2.3.5) and which changes as a whole when a site is deployed from another system. Formatting twice changes nothing
 * more. Never fails; time and memory are linear in the page, whatever it holds. As no style sheet is read, elements are
 * taken for what browsers make of them by default.
 */
export function formattedForm(html: string): string {
  return withPlainLineEnds(new Formatter(html).run());
}

/** Formats as `formattedForm` does, and returns the index in the page at which each line begins. */
export function formattedLines(html: string): FormLines {
  const formatter = new Formatter(html);
  return { text: withPlainLineEnds(formatter.run()), starts: formatter.starts };
}

/** No line begins elsewhere for it. Behind another carriage return it is left, so that formatting again changes nothing. */
const withPlainLineEnds = (text: string): string => text.replaceAll(/(?<!\r)\r\n/g, "\n");

/** What was written last. `opened`: a start tag whose content follows; `closed`: an end tag, or an element without content. */
type Last = "nothing" | "text" | "opened" | "closed" | "block opened" | "block closed" | "hidden opened";

/** A tag or declaration: the text to write for it, or the index in the page at which it ends where it is copied unchanged. */
type Written = string | number;

class Formatter {
  /** The index in the page at which each line begins: not before the content of the line before. */
  readonly starts: number[] = [];
  /** The beginning of the token that is being written. */
  #at = 0;
  #lines: string[] = [];
  /** The line that is being written … */
  #line = "";
  /** … and the range of the page that is still to be copied to its end. */
  #from = 0;
  #to = 0;
  /** The first line end of the page at or after the end of what was written last. */
  #lineEnd = -1;
  #last: Last = "nothing";
  /** Whether white space was skipped since something was written. */
  #hasSpace = false;
  readonly #codes: Uint16Array;
  readonly #attributes: AttributeReader;

  constructor(readonly html: string) {
    this.#codes = characterCodes(html);
    this.#attributes = new AttributeReader(html, this.#codes);
  }

  run(): string {
    const { html } = this;
    for (let at = 0; at < html.length;) {
      const tag = html.indexOf("<", at);
      this.#at = at;
      this.#text(at, tag === -1 ? html.length : tag);
      if (tag === -1) break;
      this.#at = tag;
      at = this.#markup(tag);
      if (at === -1) return this.#cutOff(tag);
    }
    this.#break();
    return this.#lines.length === 0 ? "" : `${this.#lines.join("\n")}\n`;
  }

  /** @returns the index after the markup that begins at a `<`; -1 where the page ends inside it */
  #markup(from: number): number {
    const codes = this.#codes;
    const isEnd = codes[from + 1] === 0x2f;
    const nameStart = isEnd ? from + 2 : from + 1;
    if (isLetter(codes[nameStart] ?? 0)) return this.#tag(nameStart, isEnd);
    const end = endOfDeclaration(this.html, from);
    // a line end after it would turn it into a comment
    if (end === from + 1 && isEnd) return -1;
    if (end === from + 1) this.#text(from, end);
    else if (end !== -1) this.#declaration(end);
    return end;
  }

  #tag(nameStart: number, isEnd: boolean): number {
    const nameEnd = endOfName(this.#codes, nameStart);
    const name = this.html.slice(nameStart, nameEnd);
    const known = name.length > maxNameLength ? "" : name.toLowerCase();
    const attributes = this.#attributes;
    const from = nameStart - (isEnd ? 2 : 1);
    // most tags are already in the form to be written, and are copied in one piece
    let asWritten = nameEnd;
    let written = "";
    attributes.begin(nameEnd);
    while (attributes.next()) {
      const behind = asWritten === -1 ? -1 : attributes.endAsWritten(asWritten);
      if (asWritten !== -1 && behind === -1) written = this.html.slice(from, asWritten);
      asWritten = behind;
      if (behind === -1) written += attributes.written();
    }
    const { end, isSelfClosing } = attributes;
    if (end === -1) return -1;
    const contentEnd = isEnd ? null : this.#endOfContent(end, known);
    if (contentEnd === -1) return -1;
    const closing = isSelfClosing ? " />" : ">";
    const isAsItStands = asWritten + closing.length === end && this.html.startsWith(closing, asWritten);
    const tag = isAsItStands ? end : (asWritten === -1 ? written : this.html.slice(from, asWritten)) + closing;
    if (isEnd) this.#endTag(known, tag);
    else this.#startTag(known, tag, contentEnd === null && (isSelfClosing || empty.has(known)));
    if (contentEnd === null) return end;
    this.#putPart(end, contentEnd, end);
    return contentEnd;
  }

  /** Returns where the end tag begins, for an element whose content is kept as it is; null for others, -1 where it never ends. */
  #endOfContent(from: number, name: string): number | null {
    return name === "pre" || name === "listing"
      ? this.#endOfPreformatted(from, name)
      : endOfText(this.html, from, name);
  }

  /** Returns the same for elements whose content is markup but kept as it is; comments and values in it may contain `</pre>`. */
  #endOfPreformatted(from: number, name: string): number {
    for (let at = this.html.indexOf("<", from); at !== -1; at = this.html.indexOf("<", at)) {
      const isEnd = this.#codes[at + 1] === 0x2f;
      const nameStart = isEnd ? at + 2 : at + 1;
      if (isLetter(this.#codes[nameStart] ?? 0)) {
        const nameEnd = endOfName(this.#codes, nameStart);
        const inner = this.html.slice(nameStart, Math.min(nameEnd, nameStart + maxNameLength)).toLowerCase();
        if (isEnd && inner === name) return at;
        at = this.#attributes.skip(nameEnd);
        if (at !== -1 && !isEnd) at = endOfText(this.html, at, inner) ?? at;
      } else at = endOfDeclaration(this.html, at);
      if (at === -1) return -1;
    }
    return -1;
  }

  #startTag(name: string, written: Written, isEmpty: boolean): void {
    const isBlock = blocks.has(name);
    if (hidden.has(name) && (this.#beginsBlock() || this.#last === "block closed")) {
      this.#break();
      this.#write(written, isEmpty ? "block closed" : "hidden opened");
      return;
    }
    if (isBlock || this.#last === "block closed" || (this.#hasSpace && !this.#beginsBlock())) this.#break();
    else if (this.#last === "closed") this.#breakInside();
    this.#write(written, isBlock ? (isEmpty ? "block closed" : "block opened") : isEmpty ? "closed" : "opened");
    // after an empty block (a line break, a rule) the line continues
    if (isBlock && isEmpty) this.#last = "block opened";
  }

  #endTag(name: string, written: Written): void {
    const isBlock = blocks.has(name) || this.#last === "hidden opened";
    if (this.#last === "block closed" || (!isBlock && this.#hasSpace && !this.#beginsBlock())) this.#break();
    this.#write(written, isBlock ? "block closed" : "closed");
  }

  #declaration(written: Written): void {
    if (this.#last === "block closed" || (this.#hasSpace && !this.#beginsBlock())) this.#break();
    this.#write(written, this.#last === "block closed" || this.#last === "nothing" ? "block closed" : "opened");
  }

  /** @param start, stop the range of the text in the page */
  #text(start: number, stop: number): void {
    const codes = this.#codes;
    let [from, to] = [start, stop];
    while (from < to && isSpace(codes[from] ?? 0)) from += 1;
    if (from > start) this.#hasSpace = true;
    if (from === to) return;
    while (isSpace(codes[to - 1] ?? 0)) to -= 1;
    if (this.#last === "block closed") this.#break();
    else if (this.#hasSpace && this.#last === "text") this.#put(" ");
    else if (this.#hasSpace && !this.#beginsBlock()) this.#break();
    if (this.#hasMoreThanSpaces(from, to)) this.#put(this.html.slice(from, to).replaceAll(spaces, " "));
    else this.#putPart(from, to, this.#at);
    this.#wrote("text");
    if (to < stop) this.#hasSpace = true;
  }

  /** Whether the range has white space other than single spaces. */
  #hasMoreThanSpaces(from: number, to: number): boolean {
    const codes = this.#codes;
    for (let at = from; at < to; at += 1)
      if (isSpace(codes[at] ?? 0) && (codes[at] !== space || codes[at + 1] === space)) return true;
    return false;
  }

  /** Whether white space here is at the beginning of a block, where it is insignificant. */
  #beginsBlock(): boolean {
    return this.#last === "block opened" || this.#last === "nothing";
  }

  get #isEmpty(): boolean {
    return this.#line === "" && this.#from === this.#to;
  }

  #put(piece: string): void {
    if (this.#isEmpty) this.starts.push(this.#at);
    for (let at = piece.indexOf("\n"); at !== -1; at = piece.indexOf("\n", at + 1)) this.starts.push(this.#at + at + 1);
    this.#line += this.html.slice(this.#from, this.#to) + piece;
    this.#from = this.#to;
  }

  /** Copies a part of the page unchanged. @param begin the beginning of the token that it belongs to */
  #putPart(from: number, to: number, begin: number): void {
    if (from === to) return;
    if (this.#isEmpty) this.starts.push(begin);
    if (this.#lineEnd < from) this.#lineEnd = lineEndFrom(this.html, from);
    for (; this.#lineEnd < to; this.#lineEnd = lineEndFrom(this.html, this.#lineEnd + 1))
      this.starts.push(this.#lineEnd + 1);
    if (from !== this.#to) {
      this.#line += this.html.slice(this.#from, this.#to);
      this.#from = from;
    }
    this.#to = to;
  }

  #write(written: Written, last: Last): void {
    if (typeof written === "string") this.#put(written);
    else this.#putPart(this.#at, written, this.#at);
    this.#wrote(last);
  }

  #wrote(last: Last): void {
    this.#last = last;
    this.#hasSpace = false;
  }

  #break(): void {
    if (!this.#isEmpty) this.#lines.push(this.#line + this.html.slice(this.#from, this.#to));
    this.#line = "";
    this.#from = this.#to;
  }

  /** Breaks the line inside the tag that was written last, so that no white space comes between two elements. */
  #breakInside(): void {
    const end = this.#to;
    const isPart = this.#from < end;
    const isSelfClosing = isPart ? this.html.startsWith(" />", end - 3) : this.#line.endsWith(" />");
    if (isPart) this.#to -= isSelfClosing ? 3 : 1;
    else this.#line = this.#line.slice(0, isSelfClosing ? -3 : -1);
    this.#break();
    if (isPart) this.#putPart(end - (isSelfClosing ? 2 : 1), end, this.#at);
    else this.#put(isSelfClosing ? "/>" : ">");
  }

  /** Handles a page that ends inside a tag, a comment or an element of raw text: that part stays as it is. */
  #cutOff(from: number): string {
    if (this.#hasSpace || this.#last === "block closed") this.#break();
    this.#putPart(from, this.html.length, from);
    return [...this.#lines, this.#line + this.html.slice(this.#from, this.#to)].join("\n");
  }
}

const space = 0x20;
const spaces = /[\t\n\f\r ]+/g;
const maxNameLength = 12;

function lineEndFrom(html: string, from: number): number {
  const found = html.indexOf("\n", from);
  return found === -1 ? Number.POSITIVE_INFINITY : found;
}

/**
 * Returns the index after a comment, declaration or stray end tag; right after the `<` where that is text; -1 where it
 * never ends.
 */
function endOfDeclaration(html: string, from: number): number {
  if (html.startsWith("<!--", from)) return endOfComment(html, from + 4);
  const next = html[from + 1];
  if (next !== "!" && next !== "?" && !(next === "/" && from + 2 < html.length)) return from + 1;
  const end = html.indexOf(">", from + 2);
  return end === -1 ? -1 : end + 1;
}

/** Returns where the end tag begins, for an element that holds text and no markup; null for others, -1 where it never ends. */
function endOfText(html: string, from: number, name: string): number | null {
  if (name === "script") return endOfScript(html, from);
  if (name === "plaintext") return -1;
  return verbatim.has(name) ? endOfRawText(html, from, name) : null;
}

const verbatim = new Set("style title textarea xmp iframe noembed noframes".split(" "));
const empty = new Set("area base br col embed hr img input link meta param source track wbr".split(" "));
/** Elements that show nothing: at the beginning or end of a block, white space beside them is insignificant too. */
const hidden = new Set("base col link meta param script source style track".split(" "));
/** Elements around which white space is insignificant. */
const blocks = new Set(
  "address article aside blockquote body br caption center dd details dialog dir div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 head header hgroup hr html legend li listing main menu nav ol optgroup option p pre search section summary table tbody td tfoot th thead title tr ul xmp".split(
    " ",
  ),
);
