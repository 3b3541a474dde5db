import { normalisePercent } from "./canonical-url.js";

/**
 * A test whether the whole of a text matches a pattern in which `*` stands for any run of characters, the empty one included.
 * First and last piece are anchored, those between are found leftmost, which is exact. Time is linear in text plus pattern.
 */
export function wildcard(pattern: string): (text: string) => boolean {
  const [first = "", ...rest] = pattern.split("*");
  const last = rest.pop();
  if (last === undefined) return (text) => text === pattern;
  const finders = rest.filter((piece) => piece !== "").map(finder);
  return (text) => {
    if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last)) return false;
    let position = first.length;
    for (const find of finders) {
      position = find(text, position);
      if (position === -1) return false;
    }
    return position <= text.length - last.length;
  };
}

/** Where the piece first ends in the text at or after a position, or -1; Knuth–Morris–Pratt, because `indexOf` may take length × length. */
function finder(piece: string): (text: string, from: number) => number {
  const fallback = fallbackTable(piece);
  return (text, from) => {
    let matched = 0;
    for (let index = from; index < text.length; index += 1) {
      matched = extend(piece, fallback, matched, text[index]);
      if (matched === piece.length) return index + 1;
    }
    return -1;
  };
}

function fallbackTable(piece: string): Int32Array {
  const table = new Int32Array(piece.length);
  let matched = 0;
  for (let index = 1; index < piece.length; index += 1) {
    matched = extend(piece, table, matched, piece[index]);
    table[index] = matched;
  }
  return table;
}

function extend(piece: string, fallback: Int32Array, matched: number, character: string | undefined): number {
  let length = matched;
  while (length > 0 && piece[length] !== character) length = fallback[length - 1] ?? 0;
  return piece[length] === character ? length + 1 : 0;
}

/**
 * One spelling for a pattern and the address it is to match: what the URL parser encodes in a path or in a query is encoded
 * in both, and percent-encoding is normalised; `*`, `?` and `$` stay.
 */
export function spellAlike(text: string): string {
  return normalisePercent(text.replace(/[^\u0021-\u007e]|["'<>^`{|}]/gu, percentEncode));
}

function percentEncode(character: string): string {
  return [...Buffer.from(character)].map((byte) => `%${byte.toString(16).padStart(2, "0").toUpperCase()}`).join("");
}
