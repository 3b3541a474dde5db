import { AttributeReader } from "../tokenizer/attribute-reader.js";
import { characterCodes, endOfName, isLetter } from "../tokenizer/character-codes.js";
import { endOfComment, endOfRawText, endOfScript, rawTextElements } from "../tokenizer/raw-text.js";

/**
 * The words of a page's text, and the range of each in its HTML (UTF-16 units, end exclusive). All three arrays have the
 * same length.
 */
export interface TextWords {
  /** The words as written, character references not decoded, without white space. */
  words: string[];
  starts: number[];
  ends: number[];
}

/**
 * Returns the words that a reader sees and that can be wrapped in an element without changing the page: text inside
 * drawings, formulas, choices, scripts, styles, titles, fields, templates and comments is left out. In writing systems
 * without spaces, each character is a word. Time and memory are linear in the page.
 */
export function textWords(html: string): TextWords {
  const codes = characterCodes(html);
  const attributes = new AttributeReader(html, codes);
  const found: TextWords = { words: [], starts: [], ends: [] };
  /** The element whose content is skipped, and how many of that name are open. */
  let closed: { name: string; depth: number } | null = null;
  for (let at = 0; at !== -1;) {
    const tag = html.indexOf("<", at);
    if (closed === null) takeWords(html, at, tag === -1 ? html.length : tag, found);
    if (tag === -1) break;
    const isEnd = codes[tag + 1] === 0x2f;
    const nameStart = isEnd ? tag + 2 : tag + 1;
    if (!isLetter(codes[nameStart] ?? 0)) {
      at = afterNoTag(html, tag, closed !== null);
      continue;
    }
    const nameEnd = endOfName(codes, nameStart);
    const name = nameEnd - nameStart > 12 ? "" : html.slice(nameStart, nameEnd).toLowerCase();
    attributes.begin(nameEnd);
    while (attributes.next());
    at = attributes.end;
    if (at === -1) break;
    if (closed !== null) {
      if (name === closed.name && !attributes.isSelfClosing) closed.depth += isEnd ? -1 : 1;
      if (closed.depth === 0) closed = null;
      else if (foreign.has(closed.name)) continue;
    }
    if (isEnd) continue;
    if (closed === null && foreign.has(name)) {
      if (!attributes.isSelfClosing) closed = { name, depth: 1 };
      continue;
    }
    if (closed === null && markup.has(name)) {
      closed = { name, depth: 1 };
      continue;
    }
    if (name === "plaintext") break;
    if (!opaque.has(name)) continue;
    const end = name === "script" ? endOfScript(html, at) : endOfRawText(html, at, name);
    at = end === -1 ? -1 : attributes.skip(endOfName(codes, end + 2));
  }
  return found;
}

/** Matches words; characters of writing systems without spaces are words of their own. */
const word =
  /[\u0E00-\u0EFF\u3040-\u30FF\u3400-\u9FFF\uF900-\uFAFF]|[^\s\0\u0E00-\u0EFF\u3040-\u30FF\u3400-\u9FFF\uF900-\uFAFF]+/g;

function takeWords(html: string, from: number, to: number, { words, starts, ends }: TextWords): void {
  if (from >= to) return;
  for (const match of html.slice(from, to).matchAll(word)) {
    words.push(match[0]);
    starts.push(from + match.index);
    ends.push(from + match.index + match[0].length);
  }
}

/** Returns the index after a comment, declaration or stray end tag; right after the `<` where that is text. */
function afterNoTag(html: string, tag: number, isForeign: boolean): number {
  if (html.startsWith("<!--", tag)) return endOfComment(html, tag + 4);
  if (isForeign && html.startsWith("<![CDATA[", tag)) return behind(html, "]]>", tag + 9);
  const next = html[tag + 1];
  if (next === "!" || next === "?" || (next === "/" && tag + 2 < html.length)) return behind(html, ">", tag + 2);
  return tag + 1;
}

function behind(html: string, text: string, from: number): number {
  const at = html.indexOf(text, from);
  return at === -1 ? -1 : at + text.length;
}

const foreign = new Set(["svg", "math"]);
/** Elements whose content is markup but not shown, or where a wrapping element would not be kept. */
const markup = new Set(["select", "template", "noscript", "frameset", "object"]);
const opaque = new Set(["script", ...rawTextElements]);
