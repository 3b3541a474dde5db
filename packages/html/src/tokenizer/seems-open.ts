import { AttributeReader } from "./attribute-reader.js";
import { endOfName, isLetter } from "./character-codes.js";
import { endOfComment, endOfRawText, endOfScript, rawTextElements } from "./raw-text.js";

/**
 * Whether more elements of a name were opened than closed before a position: a good guess at whether one is open there,
 * for the rare tag that needs to know. Elements outside of an open `object`, `applet`, `marquee` or `table` do not count,
 * as an end tag does not reach them. Linear in the text before the position.
 * @param codes the code units of the text (`characterCodes`)
 * @param name a tag name in lower case
 * @param from the index from which the text counts
 */
export function seemsOpen(text: string, codes: Uint16Array, before: number, name: string, from = 0): boolean {
  if (neverOpen.has(name)) return false;
  const attributes = new AttributeReader(text, codes);
  const outside: number[] = [];
  let open = 0;
  for (let at = text.indexOf("<", from); at !== -1 && at < before; at = at === -1 ? -1 : text.indexOf("<", at)) {
    const isEnd = codes[at + 1] === 0x2f;
    const start = isEnd ? at + 2 : at + 1;
    if (!isLetter(codes[start] ?? 0)) {
      at = text.startsWith("<!--", at) ? endOfComment(text, at + 4) : at + 1;
      continue;
    }
    const element = text.slice(start, endOfName(codes, start)).toLowerCase();
    at = attributes.skip(start + element.length);
    if (at === -1) break;
    if (!isEnd && element === "script") at = endOfScript(text, at);
    else if (!isEnd && attributes.isSelfClosing && foreignRoots.has(element)) continue;
    else if (!isEnd && rawTextElements.has(element)) at = endOfRawText(text, at, element);
    else if (element === name && (outside.length > 0 || !tableParts.has(name)))
      open = isEnd ? Math.max(0, open - 1) : neverNested.has(name) ? 1 : open + 1;
    else if (walls.has(element)) {
      if (!isEnd) outside.push(open);
      open = isEnd ? (outside.pop() ?? open) : 0;
    }
  }
  return open > 0;
}

/** The only elements in HTML that a slash closes. */
const foreignRoots = new Set(["svg", "math"]);
const walls = new Set(["object", "applet", "marquee", "table"]);
const tableParts = new Set(["caption", "tbody", "tfoot", "thead", "tr", "td", "th"]);
/** Elements whose start tag closes an open element of the same name. */
const neverNested = new Set(["a", "button", "form", "nobr", "option", "p", "select"]);
/** Void elements, those that hold text only, and those whose end tags close nothing else. */
const neverOpen = new Set(
  "area base basefont bgsound body br col embed form frame frameset head hr html iframe img input keygen link meta noembed noframes param script source style textarea title track wbr xmp".split(
    " ",
  ),
);
