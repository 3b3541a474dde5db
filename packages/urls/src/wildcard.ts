import { normalisePercent } from "./canonical-url.js";

/**
 * Compiles a pattern into a test of whether it matches a whole text; `*` stands for any run of characters, including the empty one. The
 * first and last piece are anchored, inner pieces are matched leftmost, which is exact. Takes time linear in the text plus the pattern.
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

/**
 * Returns a function that finds the first end of a piece in a text from a position on, or -1; Knuth–Morris–Pratt, because `indexOf` may
 * take length × length.
 */
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
 * Gives a pattern and the address that it is matched against the same spelling: characters that the URL parser encodes in a path or query
 * are encoded, and percent-encoding is normalised; `*`, `?` and `$` stay.
 */
export function spellAlike(text: string): string {
  return normalisePercent(text.replace(/[^\u0021-\u007e]|["'<>^`{|}]/gu, percentEncode));
}

function percentEncode(character: string): string {
  return [...Buffer.from(character)].map((byte) => `%${byte.toString(16).padStart(2, "0").toUpperCase()}`).join("");
}
