/** A part of a text; `name` where it is one character that is invisible, or cannot be told from a space. */
export interface Piece {
  readonly text: string;
  readonly name?: string;
}

/**
 * Control characters except the tab, unusual line ends, direction marks and zero-width characters. Joiners are left out: they connect
 * letters and signs, so that their effect is visible.
 */
const unseen = /(?!\t)[\p{Cc}\u00AD\u061C\u200B\u200E\u200F\u2028-\u202E\u2060-\u206F\uFEFF]/gu;
/** Everything except spaces and tabs, for texts that otherwise hold only characters that look like spaces. */
const notSpace = /[^ \t]/g;

/**
 * Cuts a text at invisible characters, because a change of only these would show no difference. No-break spaces count where the text
 * is nothing but white space, but not between words, where some languages use them everywhere.
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
