import { AttributeReader } from "./attribute-reader.js";
import { endOfName, isLetter, nextTag } from "./character-codes.js";
import { endOfComment, endOfRawText, endOfScript, rawTextElements } from "./raw-text.js";
import { tagName } from "./tag-names.js";

/** Indexes into the text; `to` is exclusive. */
export interface Range {
  from: number;
  to: number;
}

/** A start tag; the object is reused for the next one. */
export interface StartTag {
  /** In lower case; empty where it has characters beyond ASCII. */
  name: string;
  /** The index at which its attributes begin. */
  nameEnd: number;
  /** The index after its `>`. */
  end: number;
  /** `AttributeReader.initials` of the tag. */
  initials: number;
  /** The range of a raw text element's text (script, style, title, textarea …); empty for others. */
  content: Range;
}

/**
 * Reports the start tags of a page, those inside templates and `noscript` too, whatever tree construction makes of them.
 * Comments and the content of raw text elements are skipped. Where a raw text element never ends, or is self-closing (as
 * drawings may have it), the text after its start tag counts as markup: rather a tag too many than one missed. Linear in
 * the page.
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

/** @param endless names of elements without a further end tag, which are not searched again */
function endOfContent(html: string, from: number, name: string, endless: Set<string>): number {
  const isScript = name === "script";
  if ((!isScript && !rawTextElements.has(name)) || endless.has(name)) return from;
  const end = isScript ? endOfScript(html, from) : endOfRawText(html, from, name);
  if (end !== -1) return end;
  endless.add(name);
  return from;
}
