import { AttributeReader } from "./attribute-reader.js";
import { endOfName, isLetter, nextTag } from "./character-codes.js";
import { endOfComment, endOfRawText, endOfScript, rawTextElements } from "./raw-text.js";
import { tagName } from "./tag-names.js";

/** Indexes into the text; `to` is exclusive. */
export interface Range {
  from: number;
  to: number;
}

/** A start tag, valid until the next one is told. */
export interface StartTag {
  /** In lower case; empty where it holds other than ASCII. */
  name: string;
  /** Where its attributes begin. */
  nameEnd: number;
  /** Behind its `>`. */
  end: number;
  /** As `AttributeReader.initials` has them. */
  initials: number;
  /** The text of a raw text element (script, style, title, textarea …); nothing for others. */
  content: Range;
}

/**
 * Tells the start tags of a page, those inside templates and `noscript` too, without regard to what tree construction makes of them. Comments and the
 * content of raw text elements are passed. Where an element of raw text never ends, or is written as one that has no content (as drawings may), what
 * is behind its start tag counts as markup: rather a tag too many than one that is missed. Linear in the page.
 * @param codes the code units of the text (`characterCodes`)
 */
export function eachStartTag(html: string, codes: Uint16Array, tell: (tag: StartTag) => void): void {
  const attributes = new AttributeReader(html, codes);
  const endless = new Set<string>();
  const tag: StartTag = { name: "", nameEnd: 0, end: 0, initials: 0, content: { from: 0, to: 0 } };
  for (let at = 0; at !== -1;) {
    const start = nextTag(html, codes, at) + 1;
    if (start === 0) return;
    const isEnd = codes[start] === 0x2f;
    const nameStart = isEnd ? start + 1 : start;
    if (!isLetter(codes[nameStart] ?? 0)) {
      at = html.startsWith("!--", start) ? endOfComment(html, start + 3) : start;
      continue;
    }
    const nameEnd = endOfName(codes, nameStart);
    at = attributes.skip(nameEnd);
    if (isEnd || at === -1) continue;
    tag.name = tagName(html, codes, nameStart, nameEnd);
    tag.nameEnd = nameEnd;
    tag.end = at;
    tag.initials = attributes.initials;
    const contentEnd = attributes.isSelfClosing ? at : endOfContent(html, at, tag.name, endless);
    tag.content = { from: at, to: contentEnd };
    at = contentEnd;
    tell(tag);
  }
}

/** @param endless names of elements that do not end any more, which are not looked for again */
function endOfContent(html: string, from: number, name: string, endless: Set<string>): number {
  const isScript = name === "script";
  if ((!isScript && !rawTextElements.has(name)) || endless.has(name)) return from;
  const end = isScript ? endOfScript(html, from) : endOfRawText(html, from, name);
  if (end !== -1) return end;
  endless.add(name);
  return from;
}
