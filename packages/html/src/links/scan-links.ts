import { AttributeReader } from "../tokenizer/attribute-reader.js";
import { characterCodes, endOfName, isLetter, isSpace, nextTag } from "../tokenizer/character-codes.js";
import { type ForeignContent, shapes } from "../tokenizer/foreign-content.js";
import type { LinkKind } from "./link-kind.js";
import { PageFacts, type ScannedPage } from "./page-facts.js";
import { endOfComment, endOfRawText, endOfScript } from "../tokenizer/raw-text.js";
import { matters, tagName } from "../tokenizer/tag-names.js";
import { TreeTracker } from "../tokenizer/tree-tracker.js";

/**
 * Collects all that a crawl needs of a page in one pass over its text, without building a tree.
 *
 * Finds the links that parse5 (scripting disabled) has in its tree: `a` and `area` (SVG's `a` too, `xlink:href` included),
 * `link rel=next|prev|canonical|alternate`, `iframe`, `frame`, meta refresh. Tokenizing follows WHATWG HTML §13.2.5:
 * comments, raw text, script escapes, attribute rules. `noscript` content counts, as it is content where scripts do not
 * run; `template` content is inert and does not, unless it is a declarative shadow root (`shadowrootmode`), which browsers
 * show. Links in a body that a late `frameset` replaces are dropped, as there. Time and memory are linear in the text,
 * whatever it holds. See `ForeignContent` for what is approximate in malformed SVG.
 */
export function scanLinks(html: string, { scripting = false }: ScanOptions = {}): ScannedPage {
  return new Scanner(html, scripting).run();
}

interface ScanOptions {
  /** Whether scripts run: then `noscript` is raw text, and nothing in it counts. */
  scripting?: boolean;
}

const exclamation = 0x21;
const slash = 0x2f;
const question = 0x3f;

class Scanner {
  readonly #facts = new PageFacts();
  readonly #scripting: boolean;
  readonly #text: string;
  readonly #codes: Uint16Array;
  readonly #attributes: AttributeReader;
  readonly #tree: TreeTracker;

  constructor(text: string, scripting: boolean) {
    this.#scripting = scripting;
    this.#text = text;
    this.#codes = characterCodes(text);
    this.#tree = new TreeTracker(text, this.#codes);
    this.#attributes = new AttributeReader(text, this.#codes);
  }

  run(): ScannedPage {
    for (let at = 0; at !== -1;) at = this.#tree.isPlain ? this.#plain(at) : this.#special(at);
    return this.#facts.page;
  }

  /** Skips tags up to one that matters, then reads that one: nearly the whole page is skipped in this loop. */
  #plain(from: number): number {
    const text = this.#text;
    const codes = this.#codes;
    let at = from;
    while (at !== -1) {
      const tag = nextTag(text, codes, at) + 1;
      if (tag === 0) return -1;
      const code = codes[tag] ?? 0;
      const nameStart = code === slash ? tag + 1 : tag;
      if (!isLetter(codes[nameStart] ?? 0)) {
        at = this.#noTag(tag);
        continue;
      }
      const nameEnd = endOfName(codes, nameStart);
      if (matters(codes, nameStart, nameEnd))
        return nameStart === tag ? this.#startTag(tag, nameEnd) : this.#endTag(nameStart, nameEnd);
      at = this.#attributes.skip(nameEnd);
    }
    return -1;
  }

  /** Makes one step where every tag counts: before the body, in `select`, in framesets and in foreign content. */
  #special(from: number): number {
    const { drawing } = this.#tree;
    if (drawing !== null) return this.#drawing(from, drawing);
    const codes = this.#codes;
    const tag = nextTag(this.#text, codes, from) + 1;
    if (this.#tree.watchesText) this.#watchText(from, tag === 0 ? codes.length : tag - 1);
    if (tag === 0) return -1;
    if (isLetter(codes[tag] ?? 0)) return this.#startTag(tag, endOfName(codes, tag));
    if (codes[tag] === slash && isLetter(codes[tag + 1] ?? 0)) return this.#endTag(tag + 1, endOfName(codes, tag + 1));
    return this.#noTag(tag);
  }

  /** Does the same in drawings: skips the shapes, up to another tag. */
  #drawing(from: number, drawing: ForeignContent): number {
    const text = this.#text;
    const codes = this.#codes;
    let at = from;
    while (at !== -1) {
      const tag = nextTag(text, codes, at) + 1;
      if (tag === 0) return -1;
      const nameStart = codes[tag] === slash ? tag + 1 : tag;
      if (!isLetter(codes[nameStart] ?? 0)) return this.#noTag(tag);
      const nameEnd = endOfName(codes, nameStart);
      const name = tagName(text, codes, nameStart, nameEnd);
      if (nameStart === tag) {
        if (!shapes.has(name)) return this.#startTag(tag, nameEnd);
        at = this.#attributes.skip(nameEnd);
        if (!this.#attributes.isSelfClosing) drawing.openShape(name);
      } else {
        if (!shapes.has(name) || !drawing.closeShape(name)) return this.#endTag(nameStart, nameEnd);
        at = this.#attributes.skip(nameEnd);
      }
    }
    return -1;
  }

  /** Skips what follows a `<` that opens no tag: a comment, a declaration, or text. */
  #noTag(at: number): number {
    const text = this.#text;
    const code = this.#codes[at];
    if (code === exclamation) return this.#declaration(at + 1);
    if ((code === slash && at + 1 < text.length) || code === question) return after(text, ">", at + 1);
    if (this.#tree.watchesText) this.#tree.text();
    return at;
  }

  #startTag(nameStart: number, nameEnd: number): number {
    const name = tagName(this.#text, this.#codes, nameStart, nameEnd);
    if (name === "a" && this.#tree.isPlain) return this.#anchor(nameEnd);
    const values = this.#values(name, nameEnd);
    const { end } = this.#attributes;
    if (end === -1) return -1;
    const hadBody = this.#tree.hasBody;
    const place = this.#tree.startTag(name, values, this.#attributes.isSelfClosing, nameStart);
    if (!hadBody && this.#tree.hasBody) this.#facts.beginBody();
    if (place === "svg" && name === "a") this.#link("a", values.get("href") ?? values.get("xlink:href"));
    return place === "html" ? this.#element(name, values, end) : end;
  }

  /** Reads an `a` where nothing special is open; it is by far the most frequent element that matters. */
  #anchor(from: number): number {
    const attributes = this.#attributes;
    attributes.begin(from);
    let href: string | undefined;
    while (attributes.next()) if (href === undefined && attributes.is("href")) href = attributes.value();
    if (attributes.end !== -1) this.#link("a", href);
    return attributes.end;
  }

  #values(name: string, from: number): ReadonlyMap<string, string> {
    const names = wanted.get(name);
    if (names === undefined) {
      this.#attributes.skip(from);
      return none;
    }
    this.#attributes.begin(from);
    return this.#attributes.collect(names);
  }

  #element(name: string, values: ReadonlyMap<string, string>, end: number): number {
    switch (name) {
      case "a":
      case "area":
        this.#link(name, values.get("href"));
        return end;
      case "frame":
        this.#link(name, values.get("src"));
        return end;
      case "frameset":
        this.#facts.dropBody();
        return end;
      case "link":
        if (this.#tree.isRendered) this.#facts.linkElement(values);
        return end;
      case "base":
        if (this.#tree.isRendered) this.#facts.base(values);
        return end;
      case "meta":
        if (this.#tree.isRendered) this.#facts.meta(values);
        return end;
      case "iframe":
        this.#link(name, values.get("src"));
        return this.#skipRawText(name, end);
      case "title":
        return this.#title(end);
      case "script":
        return this.#afterEndTag(endOfScript(this.#text, end), name);
      case "style":
      case "textarea":
      case "xmp":
      case "noembed":
      case "noframes":
        return this.#skipRawText(name, end);
      case "noscript":
        return this.#scripting ? this.#skipRawText(name, end) : end;
      case "plaintext":
        return -1;
      default:
        return end;
    }
  }

  #endTag(nameStart: number, nameEnd: number): number {
    const end = this.#attributes.skip(nameEnd);
    if (end === -1) return -1;
    const hadBody = this.#tree.hasBody;
    this.#tree.endTag(tagName(this.#text, this.#codes, nameStart, nameEnd), nameStart);
    if (!hadBody && this.#tree.hasBody) this.#facts.beginBody();
    return end;
  }

  #declaration(from: number): number {
    if (this.#text.startsWith("--", from)) return endOfComment(this.#text, from + 2);
    if (this.#tree.allowsCdata && this.#text.startsWith("[CDATA[", from)) return after(this.#text, "]]>", from + 7);
    return after(this.#text, ">", from);
  }

  #skipRawText(name: string, from: number): number {
    return this.#afterEndTag(endOfRawText(this.#text, from, name), name);
  }

  #afterEndTag(endTag: number, name: string): number {
    return endTag === -1 ? -1 : this.#attributes.skip(endTag + 2 + name.length);
  }

  #title(from: number): number {
    const endTag = endOfRawText(this.#text, from, "title");
    if (this.#tree.isRendered) this.#facts.title(this.#text.slice(from, endTag === -1 ? undefined : endTag));
    return this.#afterEndTag(endTag, "title");
  }

  #link(kind: LinkKind, written: string | undefined): void {
    if (this.#tree.isRendered) this.#facts.link(kind, written);
  }

  #watchText(start: number, end: number): void {
    for (let at = start; at < end; at += 1) {
      const code = this.#codes[at] ?? 0;
      if (isSpace(code)) continue;
      if (!this.#tree.hasBody) this.#facts.beginBody();
      this.#tree.text(code === 0);
      if (code !== 0) return;
    }
  }
}

const none: ReadonlyMap<string, string> = new Map();

/** The attributes that matter, by element. */
const wanted = new Map<string, readonly string[]>([
  ["a", ["href", "xlink:href"]],
  ["area", ["href"]],
  ["base", ["href"]],
  ["link", ["href", "rel", "type"]],
  ["meta", ["http-equiv", "content", "name", "charset"]],
  ["iframe", ["src"]],
  ["frame", ["src"]],
  ["template", ["shadowrootmode"]],
  ["input", ["type"]],
  ["font", ["color", "face", "size"]],
  ["annotation-xml", ["encoding"]],
]);

function after(text: string, what: string, from: number): number {
  const found = text.indexOf(what, from);
  return found === -1 ? -1 : found + what.length;
}
