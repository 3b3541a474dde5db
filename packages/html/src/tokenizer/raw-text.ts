import { isSpace } from "./character-codes.js";

/**
 * These functions find where the text-only elements and comments of HTML end, as the WHATWG tokenizer does (§13.2.5.2 to
 * §13.2.5.31 and §13.2.5.41 to §13.2.5.55). All return -1 where the text ends first. Time is linear in what is skipped.
 */

/** Elements other than `script` whose content is text up to their end tag. */
export const rawTextElements: ReadonlySet<string> = new Set([
  "style",
  "textarea",
  "title",
  "xmp",
  "noembed",
  "noframes",
  "iframe",
]);

/** Returns the index after the comment whose content starts at `from`, just after `<!--`. */
export function endOfComment(text: string, from: number): number {
  if (text.startsWith(">", from)) return from + 1;
  if (text.startsWith("->", from)) return from + 2;
  for (let at = text.indexOf("--", from); at !== -1; at = text.indexOf("--", at + 1)) {
    if (text.startsWith(">", at + 2)) return at + 3;
    if (text.startsWith("!>", at + 2)) return at + 4;
  }
  return -1;
}

/** Returns the index of the `</` of the end tag that closes the element `name` (lower case) whose content starts at `from`. */
export function endOfRawText(text: string, from: number, name: string): number {
  for (let at = text.indexOf("</", from); at !== -1; at = text.indexOf("</", at + 2)) {
    if (isTagAt(text, at + 2, name)) return at;
  }
  return -1;
}

/** Returns the same for `script`, whose content may hide `</script>` between `<!-- <script>` and `-->`. */
export function endOfScript(text: string, from: number): number {
  let at = from;
  let end = endOfRawText(text, at, "script");
  for (;;) {
    // searched again only once it is passed: many escapes before one end tag must not each search for it
    if (end !== -1 && end < at) end = endOfRawText(text, at, "script");
    const escape = end === -1 ? -1 : text.slice(at, end).indexOf("<!--");
    if (escape === -1) return end;
    const left = leaveEscape(text, at + escape + 2);
    if (left.isEndTag || left.at === -1) return left.at;
    at = left.at;
  }
}

/**
 * Skips a script's `<!--` from its dashes: returns the index after the `-->` that ends the escape, or of the `</` of the
 * script's end tag.
 */
function leaveEscape(text: string, from: number): { at: number; isEndTag: boolean } {
  let isDouble = false;
  for (let at = from; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0x2d && text.startsWith("->", at + 1)) return { at: at + 3, isEndTag: false };
    if (code !== 0x3c) continue;
    if (isDouble) isDouble = !(text.startsWith("/", at + 1) && isTagAt(text, at + 2, "script"));
    else if (text.startsWith("/", at + 1) && isTagAt(text, at + 2, "script")) return { at, isEndTag: true };
    else isDouble = isTagAt(text, at + 1, "script");
  }
  return { at: -1, isEndTag: false };
}

/** Whether the tag name at a position is exactly `name`: ASCII case-insensitive, followed by a space, `/` or `>`. */
function isTagAt(text: string, at: number, name: string): boolean {
  for (let index = 0; index < name.length; index += 1) {
    const code = text.charCodeAt(at + index);
    if ((code >= 0x41 && code <= 0x5a ? code | 0x20 : code) !== name.charCodeAt(index)) return false;
  }
  const next = text.charCodeAt(at + name.length);
  return next === 0x3e || next === 0x2f || isSpace(next);
}
