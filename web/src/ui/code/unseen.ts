/** A part of a text; `name` where it is one character that cannot be seen, or not be told from a space. */
export interface Piece {
  readonly text: string;
  readonly name?: string;
}

/**
 * Controls but the tab, line ends of other systems, marks of direction and what has no width. Joiners are not among them: they hold letters
 * and signs together, which show whether they are there.
 */
const unseen = /(?!\t)[\p{Cc}\u00AD\u061C\u200B\u200E\u200F\u2028-\u202E\u2060-\u206F\uFEFF]/gu;
/** These, and all that looks like a space and is another one. */
const notSpace = /[^ \t]/g;

/**
 * Cuts a text at the characters of which nothing is seen: a change of such a one alone would show no difference. Spaces that do not break
 * are among them where there is nothing else, and not in the middle of words, where some languages have them everywhere.
 */
export function piecesOf(text: string): Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  for (const { 0: sign, index } of text.matchAll(text.trim() === "" ? notSpace : unseen)) {
    if (index > at) pieces.push({ text: text.slice(at, index) });
    pieces.push({ text: sign, name: nameOf(sign) });
    at = index + 1;
  }
  if (at < text.length || pieces.length === 0) pieces.push({ text: text.slice(at) });
  return pieces;
}

function nameOf(sign: string): string {
  if (sign === "\r") return "CR";
  return `U+${sign.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}`;
}
