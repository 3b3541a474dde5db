import { AttributeReader } from "./attribute-reader.js";
import { characterCodes, endOfName, isLetter, isSpace, nextTag } from "./character-codes.js";
import type { Namespace } from "./foreign-content.js";
import { endOfComment, endOfRawText, endOfScript, rawTextElements } from "./raw-text.js";
import { EditableTag } from "./editable-tag.js";
import { tagName } from "./tag-names.js";
import { TreeTracker } from "./tree-tracker.js";

/** The edits to make to the tags of a page as they are met. */
export interface TagEdits {
  /**
   * Tags that are skipped in ordinary markup without being parsed, as parsing takes longer than anything else: they stay
   * as they are, whatever comes before them.
   */
  leaves?: LeftTags;
  /** Changes a start tag in place. */
  startTag(tag: EditableTag): void;
  /** @returns the text that replaces a raw text element's content (script, style, title, textarea …); undefined keeps it */
  rawText(name: string, text: string): string | undefined;
  /** @returns the name that replaces that of an end tag; null removes the tag */
  endTag(name: string, namespace: Namespace): string | null;
}

/** Elements whose tags neither change nor affect what follows them … */
export interface LeftTags {
  names: ReadonlySet<string>;
  /** … unless this is found between the name and the end of a start tag … */
  unless: RegExp;
  /** … which is only searched where an attribute begins with one of these letters, in the form of `AttributeReader.initials`. */
  initials: number;
}

/** A piece of output; a function is called once the page has been read to its end. */
type Part = string | (() => string);

/**
 * Rewrites the tags of an HTML page and copies all other text unchanged. Tokenizing follows WHATWG HTML §13.2.5 with
 * scripting disabled, as in `scanLinks`; a tag that the page ends in is dropped, as in browsers. Time is linear in the
 * page.
 */
export function editTags(html: string, edits: TagEdits): string {
  return new TagEditor(html, edits).run();
}

const exclamation = 0x21;
const slash = 0x2f;
const question = 0x3f;

class TagEditor {
  readonly #html: string;
  readonly #codes: Uint16Array;
  readonly #attributes: AttributeReader;
  readonly #tree: TreeTracker;
  readonly #edits: TagEdits;
  readonly #parts: Part[] = [];
  #copied = 0;

  constructor(html: string, edits: TagEdits) {
    this.#html = html;
    this.#codes = characterCodes(html);
    this.#tree = new TreeTracker(html, this.#codes);
    this.#attributes = new AttributeReader(html, this.#codes);
    this.#edits = edits;
  }

  run(): string {
    for (let at = 0; at !== -1;) at = this.#step(at);
    this.#copyTo(this.#html.length);
    // the codes of the page are no longer needed, so texts computed now may reuse their buffer
    return this.#parts.map((part) => (typeof part === "string" ? part : part())).join("");
  }

  #step(from: number): number {
    const codes = this.#codes;
    const tag = nextTag(this.#html, codes, from) + 1;
    if (this.#tree.watchesText) this.#watchText(from, tag === 0 ? codes.length : tag - 1);
    if (tag === 0) return -1;
    const first = codes[tag] ?? 0;
    if (isLetter(first)) return this.#startTag(tag, endOfName(codes, tag));
    if (first === slash && isLetter(codes[tag + 1] ?? 0)) return this.#endTag(tag + 1, endOfName(codes, tag + 1));
    if (first === exclamation) return this.#declaration(tag + 1);
    if ((first === slash && tag + 1 < codes.length) || first === question) return after(this.#html, ">", tag + 1);
    return tag;
  }

  #startTag(nameStart: number, nameEnd: number): number {
    const reader = this.#attributes;
    if (this.#isLeft(nameStart, nameEnd) && this.#saysNothing(nameEnd)) return reader.end;
    const name = this.#html.slice(nameStart, nameEnd).toLowerCase();
    const values = new Map<string, string>();
    reader.begin(nameEnd);
    while (reader.next()) {
      const attribute = reader.name();
      if (!values.has(attribute)) values.set(attribute, reader.value());
    }
    const { end, isSelfClosing } = reader;
    if (end === -1) return this.#cutOff(nameStart - 1);
    const place = this.#tree.startTag(name, values, isSelfClosing, nameStart);
    const namespace = place === "ignored" ? "html" : place;
    const tag = new EditableTag(name, namespace, values, isSelfClosing, end);
    this.#edits.startTag(tag);
    if (tag.isChanged) {
      this.#copyTo(nameStart - 1);
      this.#parts.push(...tag.written());
      this.#copied = end;
    }
    return namespace === "html" ? this.#content(name, end) : end;
  }

  #isLeft(nameStart: number, nameEnd: number): boolean {
    const { leaves } = this.#edits;
    if (leaves === undefined || !this.#tree.isPlain) return false;
    return leaves.names.has(tagName(this.#html, this.#codes, nameStart, nameEnd));
  }

  /** Skips a start tag. @returns whether nothing in it requires parsing */
  #saysNothing(nameEnd: number): boolean {
    const { leaves } = this.#edits;
    const end = this.#attributes.skip(nameEnd);
    if (leaves === undefined || end === -1) return false;
    return (
      (this.#attributes.initials & leaves.initials) === 0 || !leaves.unless.test(this.#html.slice(nameEnd, end - 1))
    );
  }

  #content(name: string, from: number): number {
    if (name === "plaintext") return -1;
    if (name !== "script" && !rawTextElements.has(name)) return from;
    const endTag = name === "script" ? endOfScript(this.#html, from) : endOfRawText(this.#html, from, name);
    const end = endTag === -1 ? this.#html.length : endTag;
    const replacement = this.#edits.rawText(name, this.#html.slice(from, end));
    if (replacement !== undefined) {
      this.#copyTo(from);
      this.#parts.push(replacement);
      this.#copied = end;
    }
    if (endTag !== -1) return this.#attributes.skip(endTag + 2 + name.length);
    this.#copyTo(end);
    this.#parts.push(`</${name}>`);
    return -1;
  }

  #endTag(nameStart: number, nameEnd: number): number {
    const end = this.#attributes.skip(nameEnd);
    if (end === -1) return this.#cutOff(nameStart - 2);
    if (this.#isLeft(nameStart, nameEnd)) return end;
    const name = this.#html.slice(nameStart, nameEnd).toLowerCase();
    const namespace = this.#tree.allowsCdata ? "svg" : "html";
    this.#tree.endTag(name, nameStart);
    const replacement = this.#edits.endTag(name, namespace);
    if (replacement !== name) {
      this.#copyTo(nameStart - 2);
      if (replacement !== null) this.#parts.push(`</${replacement}>`);
      this.#copied = end;
    }
    return end;
  }

  #declaration(from: number): number {
    if (this.#html.startsWith("--", from)) return endOfComment(this.#html, from + 2);
    if (this.#tree.allowsCdata && this.#html.startsWith("[CDATA[", from)) return after(this.#html, "]]>", from + 7);
    return after(this.#html, ">", from);
  }

  #cutOff(at: number): number {
    this.#copyTo(at);
    this.#copied = this.#html.length;
    return -1;
  }

  #copyTo(end: number): void {
    if (end > this.#copied) this.#parts.push(this.#html.slice(this.#copied, end));
    this.#copied = Math.max(this.#copied, end);
  }

  #watchText(start: number, end: number): void {
    for (let at = start; at < end; at += 1) {
      const code = this.#codes[at] ?? 0;
      if (isSpace(code)) continue;
      this.#tree.text(code === 0);
      if (code !== 0) return;
    }
  }
}

function after(text: string, what: string, from: number): number {
  const found = text.indexOf(what, from);
  return found === -1 ? -1 : found + what.length;
}
