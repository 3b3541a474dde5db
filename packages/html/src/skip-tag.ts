import { isSpace } from "./character-codes.js";

/** Index after the tag name that starts at `from`. */
export function endOfName(codes: Uint16Array, from: number): number {
  const { length } = codes;
  let at = from + 1;
  for (; at < length; at += 1) {
    const code = codes[at] ?? 0;
    if (code <= 0x3e && (code === 0x3e || code === 0x2f || isSpace(code))) break;
  }
  return at;
}

/**
 * Index after the `>` of the tag whose attributes start at `from`, just behind the tag name; -1 where the text ends first.
 * Reads attributes by the same rules as `AttributeReader` but remembers nothing: most tags of a page are passed this way,
 * and this loop is what a crawl spends most of its scanning time in.
 */
export function skipTag(codes: Uint16Array, from: number): number {
  const { length } = codes;
  let at = from;
  while (at < length) {
    let code = codes[at] ?? 0;
    while (code === 0x2f || isSpace(code)) code = codes[(at += 1)] ?? 0x3e;
    if (code === 0x3e) break;
    // a name: its first character counts even where it is "="
    for (at += 1; at < length; at += 1) {
      code = codes[at] ?? 0;
      if (code <= 0x3e && (code === 0x3d || code === 0x3e || code === 0x2f || isSpace(code))) break;
    }
    while (isSpace(code)) code = codes[(at += 1)] ?? 0;
    if (code === 0x3d && at < length) at = skipValue(codes, at + 1);
  }
  return at < length ? at + 1 : -1;
}

/** Index after the attribute value that starts at or after `from`; the length where the text ends first. */
function skipValue(codes: Uint16Array, from: number): number {
  const { length } = codes;
  let at = from;
  while (at < length && isSpace(codes[at] ?? 0)) at += 1;
  const quote = codes[at] ?? 0;
  if (quote === 0x22 || quote === 0x27) {
    for (at += 1; at < length; at += 1) if (codes[at] === quote) return at + 1;
    return length;
  }
  for (; at < length; at += 1) {
    const code = codes[at] ?? 0;
    if (code === 0x3e || isSpace(code)) break;
  }
  return at;
}
