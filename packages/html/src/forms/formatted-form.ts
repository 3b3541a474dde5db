import type { FormLines } from "./form-lines.js";
import { AttributeReader } from "../tokenizer/attribute-reader.js";
import { characterCodes, endOfName, isLetter, isSpace } from "../tokenizer/character-codes.js";
import { endOfComment, endOfRawText, endOfScript } from "../tokenizer/raw-text.js";

/**
 * A page with every element on a line of its own: minified pages get lines that say something, and white space that means
 * nothing makes no difference.
 *
 * The result is HTML that means the same. Lines break before blocks, and between other elements where white space stands
 * already; where none does, the break is put inside a tag (`</a` newline `><a href="…">`), as white space there means
 * nothing. `pre`, `textarea`, scripts, styles and comments stay as they are. Formatting twice changes nothing more. Never
 * fails; time and memory are linear in the page, whatever it holds. As no style sheet is read, elements count as what
 * browsers make of them by default.
 */
export function formattedForm(html: string): string {
  return new Formatter(html).run();
}

/** As `formattedForm`, with the place in the page that each line begins at. */
export function formattedLines(html: string): FormLines {
  const formatter = new Formatter(html);
  return { text: formatter.run(), starts: formatter.starts };
}

/** What was written last. `opened`: a start tag whose content follows; `closed`: an end tag, or an element without content. */
type Last = "nothing" | "text" | "opened" | "closed" | "block opened" | "block closed" | "hidden opened";

class Formatter {
  /** Where in the page each line begins: not before what the line before it holds. */
  readonly starts: number[] = [];
  /** Beginning of the token that is being written. */
  #at = 0;
  #lines: string[] = [];
  /** The line that is being written, in pieces. */
  #line: string[] = [];
  #last: Last = "nothing";
  /** White space was passed since something was written. */
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
      this.#text(html.slice(at, tag === -1 ? html.length : tag));
      if (tag === -1) break;
      this.#at = tag;
      at = this.#markup(tag);
      if (at === -1) return this.#cutOff(tag);
    }
    this.#break();
    return this.#lines.length === 0 ? "" : `${this.#lines.join("\n")}\n`;
  }

  /** @returns the index behind what begins at a `<`; -1 where the page ends inside it */
  #markup(from: number): number {
    const codes = this.#codes;
    const isEnd = codes[from + 1] === 0x2f;
    const nameStart = isEnd ? from + 2 : from + 1;
    if (isLetter(codes[nameStart] ?? 0)) return this.#tag(nameStart, isEnd);
    const end = endOfDeclaration(this.html, from);
    // a line end behind it would make a comment of it
    if (end === from + 1 && isEnd) return -1;
    if (end === from + 1) this.#text("<");
    else if (end !== -1) this.#declaration(this.html.slice(from, end));
    return end;
  }

  #tag(nameStart: number, isEnd: boolean): number {
    const nameEnd = endOfName(this.#codes, nameStart);
    const name = this.html.slice(nameStart, nameEnd);
    const known = name.length > maxNameLength ? "" : name.toLowerCase();
    const attributes = this.#attributes;
    const from = nameStart - (isEnd ? 2 : 1);
    // most tags stand as they are to be written, and are taken in one piece
    let asWritten = nameEnd;
    let written = "";
    attributes.begin(nameEnd);
    while (attributes.next()) {
      const behind = asWritten === -1 ? -1 : attributes.endAsWritten(asWritten);
      if (asWritten !== -1 && behind === -1) written = this.html.slice(from, asWritten);
      asWritten = behind;
      if (behind === -1) written += attributes.written();
    }
    if (asWritten !== -1) written = this.html.slice(from, asWritten);
    const { end, isSelfClosing } = attributes;
    if (end === -1) return -1;
    const contentEnd = isEnd ? null : this.#endOfContent(end, known);
    if (contentEnd === -1) return -1;
    written += isSelfClosing ? " />" : ">";
    if (isEnd) this.#endTag(known, written);
    else this.#startTag(known, written, contentEnd === null && (isSelfClosing || empty.has(known)));
    if (contentEnd === null) return end;
    this.#put(this.html.slice(end, contentEnd), end);
    return contentEnd;
  }

  /** Where the end tag begins of an element whose content is kept as it is; null for others, -1 where it never ends. */
  #endOfContent(from: number, name: string): number | null {
    return name === "pre" || name === "listing"
      ? this.#endOfPreformatted(from, name)
      : endOfText(this.html, from, name);
  }

  /** The same for elements whose content is kept though it is markup, in which comments and values may hold `</pre>`. */
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

  #startTag(name: string, written: string, isEmpty: boolean): void {
    const isBlock = blocks.has(name);
    if (hidden.has(name) && (this.#beginsBlock() || this.#last === "block closed")) {
      this.#break();
      this.#write(written, isEmpty ? "block closed" : "hidden opened");
      return;
    }
    if (isBlock || this.#last === "block closed" || (this.#hasSpace && !this.#beginsBlock())) this.#break();
    else if (this.#last === "closed") this.#breakInside();
    this.#write(written, isBlock ? (isEmpty ? "block closed" : "block opened") : isEmpty ? "closed" : "opened");
    // behind an empty block (a line break, a rule) the line goes on
    if (isBlock && isEmpty) this.#last = "block opened";
  }

  #endTag(name: string, written: string): void {
    const isBlock = blocks.has(name) || this.#last === "hidden opened";
    if (this.#last === "block closed" || (!isBlock && this.#hasSpace && !this.#beginsBlock())) this.#break();
    this.#write(written, isBlock ? "block closed" : "closed");
  }

  #declaration(written: string): void {
    if (this.#last === "block closed" || (this.#hasSpace && !this.#beginsBlock())) this.#break();
    this.#write(written, this.#last === "block closed" || this.#last === "nothing" ? "block closed" : "opened");
  }

  #text(text: string): void {
    if (text === "") return;
    let [from, to] = [0, text.length];
    while (from < to && isSpace(text.charCodeAt(from))) from += 1;
    if (from > 0) this.#hasSpace = true;
    if (from === to) return;
    while (isSpace(text.charCodeAt(to - 1))) to -= 1;
    const words = text.slice(from, to);
    const shown = moreThanASpace.test(words) ? words.replaceAll(spaces, " ") : words;
    if (this.#last === "block closed") this.#break();
    else if (this.#hasSpace && this.#last === "text") this.#put(" ");
    else if (this.#hasSpace && !this.#beginsBlock()) this.#break();
    this.#write(shown, "text");
    if (to < text.length) this.#hasSpace = true;
  }

  /** Whether white space here is at the beginning of a block, where it means nothing. */
  #beginsBlock(): boolean {
    return this.#last === "block opened" || this.#last === "nothing";
  }

  /** @param from where the piece begins in the page, for one that may have lines of its own */
  #put(piece: string, from = this.#at): void {
    if (this.#line.length === 0) this.starts.push(from);
    this.#line.push(piece);
    for (let at = piece.indexOf("\n"); at !== -1; at = piece.indexOf("\n", at + 1)) this.starts.push(from + at + 1);
  }

  #write(written: string, last: Last): void {
    this.#put(written);
    this.#last = last;
    this.#hasSpace = false;
  }

  #break(): void {
    if (this.#line.length > 0) this.#lines.push(this.#line.join(""));
    this.#line = [];
  }

  /** Ends the line inside the tag that was written last, so that no white space comes between two elements. */
  #breakInside(): void {
    const tag = this.#line.pop() ?? "";
    const cut = tag.endsWith(" />") ? tag.length - 3 : tag.length - 1;
    this.#line.push(tag.slice(0, cut));
    const rest = tag.slice(cut).trimStart();
    this.#break();
    this.#put(rest);
  }

  /** The page ends inside a tag, a comment or an element whose content is no markup: that stays as it is. */
  #cutOff(from: number): string {
    if (this.#hasSpace || this.#last === "block closed") this.#break();
    this.#put(this.html.slice(from), from);
    return [...this.#lines, this.#line.join("")].join("\n");
  }
}

const spaces = /[\t\n\f\r ]+/g;
const moreThanASpace = /[\t\n\f\r]| {2}/;
const maxNameLength = 12;

/** Behind a comment, declaration or stray end tag; just behind the `<` where it is text; -1 where it never ends. */
function endOfDeclaration(html: string, from: number): number {
  if (html.startsWith("<!--", from)) return endOfComment(html, from + 4);
  const next = html[from + 1];
  if (next !== "!" && next !== "?" && !(next === "/" && from + 2 < html.length)) return from + 1;
  const end = html.indexOf(">", from + 2);
  return end === -1 ? -1 : end + 1;
}

/** Where the end tag begins of an element that holds text and no markup; null for others, -1 where it never ends. */
function endOfText(html: string, from: number, name: string): number | null {
  if (name === "script") return endOfScript(html, from);
  if (name === "plaintext") return -1;
  return verbatim.has(name) ? endOfRawText(html, from, name) : null;
}

const verbatim = new Set("style title textarea xmp iframe noembed noframes".split(" "));
const empty = new Set("area base br col embed hr img input link meta param source track wbr".split(" "));
/** Elements of which nothing is seen: at the beginning or the end of a block, white space beside them means nothing either. */
const hidden = new Set("base col link meta param script source style track".split(" "));
/** Elements around which white space means nothing. */
const blocks = new Set(
  "address article aside blockquote body br caption center dd details dialog dir div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 head header hgroup hr html legend li listing main menu nav ol optgroup option p pre search section summary table tbody td tfoot th thead title tr ul xmp".split(
    " ",
  ),
);
