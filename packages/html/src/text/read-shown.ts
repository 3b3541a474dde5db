import { decodeHTML } from "entities/decode";
import { AttributeReader } from "../tokenizer/attribute-reader.js";
import { characterCodes, endOfName, isLetter } from "../tokenizer/character-codes.js";
import { endOfComment, endOfRawText, endOfScript, rawTextElements } from "../tokenizer/raw-text.js";

/** A tag between visible texts. */
interface ShownTag {
  /** In lower case; empty where the name is longer than that of any known element. */
  name: string;
  /** Where it begins in the page. */
  at: number;
  isEnd: boolean;
  /** Whether a line ends here. */
  isBlock: boolean;
  /** Positioned at the first attribute of the tag; may be read only during the call of `tag`, and then to its end. */
  attributes: AttributeReader;
}

interface ShownReader {
  /** The most characters that are taken of the text between two tags. */
  maxChars?: number;
  /** @param at where the text begins in the page @returns false to stop */
  text(text: string, at: number): boolean;
  tag(tag: ShownTag): void;
}

/**
 * Reports the visible texts of a page, character references decoded, and the tags between them. Time is linear in the
 * page, whatever it holds.
 */
export function readShown(html: string, { maxChars = Number.POSITIVE_INFINITY, text, tag: told }: ShownReader): void {
  const codes = characterCodes(html);
  const attributes = new AttributeReader(html, codes);
  const take = (shown: string, from: number): boolean => text(shown.includes("&") ? decodeHTML(shown) : shown, from);
  for (let at = 0; at !== -1;) {
    const tag = html.indexOf("<", at);
    if (tag !== at && !take(html.slice(at, Math.min(tag === -1 ? html.length : tag, at + maxChars)), at)) break;
    if (tag === -1) break;
    const isEnd = codes[tag + 1] === 0x2f;
    const nameStart = isEnd ? tag + 2 : tag + 1;
    if (!isLetter(codes[nameStart] ?? 0)) {
      at = afterNoTag(html, tag);
      if (at === tag + 1 && !take("<", tag)) break;
      continue;
    }
    const nameEnd = endOfName(codes, nameStart);
    const name = nameEnd - nameStart > 12 ? "" : html.slice(nameStart, nameEnd).toLowerCase();
    at = attributes.skip(nameEnd);
    if (at === -1) break;
    attributes.begin(nameEnd);
    told({ name, at: tag, isEnd, isBlock: blocks.has(name), attributes });
    if (isEnd) continue;
    const end = name === "template" && isShadow(attributes, nameEnd) ? null : contentEnd(html, at, name);
    if (end === null) continue;
    if ((name === "textarea" || name === "xmp") && !take(html.slice(at, end === -1 ? html.length : end), at)) break;
    at = end === -1 ? -1 : attributes.skip(endOfName(codes, end + 2));
  }
}

/** Returns the index after a comment, declaration or stray end tag; right after the `<` where that is text. */
function afterNoTag(html: string, tag: number): number {
  if (html.startsWith("<!--", tag)) return endOfComment(html, tag + 4);
  if (html.startsWith("<![CDATA[", tag)) return tag + 9;
  const isBogus =
    html.startsWith("!", tag + 1) ||
    html.startsWith("?", tag + 1) ||
    (html.startsWith("/", tag + 1) && tag + 2 < html.length);
  if (!isBogus) return tag + 1;
  const end = html.indexOf(">", tag + 2);
  return end === -1 ? -1 : end + 1;
}

/**
 * Returns the index of the `</` that ends an element whose content is no markup or is not shown; -1 where it never ends,
 * null for other elements.
 */
function contentEnd(html: string, from: number, name: string): number | null {
  if (name === "script") return endOfScript(html, from);
  if (name === "plaintext") return -1;
  if (name === "template") return endOfTemplate(html, from);
  return opaque.has(name) ? endOfRawText(html, from, name) : null;
}

/** Whether a template is a declarative shadow tree, whose content is shown. */
function isShadow(attributes: AttributeReader, nameEnd: number): boolean {
  attributes.begin(nameEnd);
  return /^(?:open|closed)$/i.test(attributes.collect(["shadowrootmode"]).get("shadowrootmode") ?? "");
}

/**
 * Returns the end of a template, which may contain others; its content is skipped without being parsed, so tags inside
 * comments count too.
 */
function endOfTemplate(html: string, from: number): number {
  let depth = 1;
  for (const match of html.slice(from).matchAll(/<(\/?)template[\s/>]/gi)) {
    depth += match[1] === "/" ? -1 : 1;
    if (depth === 0) return from + match.index;
  }
  return -1;
}

const opaque = new Set([...rawTextElements, "noscript"]);
const blocks = new Set(
  "address article aside blockquote body br button caption center dd details dialog dir div dl dt fieldset figcaption figure footer form frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html iframe legend li listing main menu nav ol optgroup option p pre search section select summary table tbody td textarea tfoot th thead title tr ul xmp".split(
    " ",
  ),
);
