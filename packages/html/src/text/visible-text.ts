import { LineText } from "./line-text.js";
import { readShown } from "./read-shown.js";

export interface VisibleTextOptions {
  /** Stop once this many characters between tags were taken; what is inside one `textarea` or `xmp` may be longer. */
  maxChars?: number;
}

/**
 * The text of a page that a reader sees, one line per block: character references decoded, inline tags gone without a trace
 * (`un<b>like</b>ly` is one word), white space collapsed, soft hyphens and zero-width spaces dropped, no empty lines.
 *
 * Left out: titles, scripts, styles, comments, what is inside `template` (that of a declared shadow tree is not), `noscript`, `iframe`, `noframes` and `noembed`, and
 * attributes (`alt`, `placeholder`). Style sheets and the `hidden` attribute are not regarded. Time and memory are linear in the text, whatever it holds.
 */
export function visibleText(html: string, { maxChars = Number.POSITIVE_INFINITY }: VisibleTextOptions = {}): string {
  const lines: string[] = [];
  const line = new LineText();
  const endLine = (): void => {
    if (!line.isEmpty) lines.push(line.take());
  };
  let taken = 0;
  readShown(html, {
    maxChars,
    text(text) {
      taken += text.length;
      line.add(text);
      return taken < maxChars;
    },
    tag({ isBlock }) {
      if (isBlock) endLine();
    },
  });
  endLine();
  return lines.join("\n");
}

const unseen = /[\u00AD\u200B\uFEFF]+/g;

/**
 * A phrase as `visibleText` has it: who copies it from a page, or types it, may have other white space in it, empty lines between blocks, and soft
 * hyphens. White space at its ends stays, as one character.
 */
export function visiblePhrase(phrase: string): string {
  return phrase
    .replaceAll(unseen, "")
    .replaceAll(/\r\n?/g, "\n")
    .replaceAll(/[^\S\n]+/g, " ")
    .replaceAll(/ ?\n[ \n]*/g, "\n");
}
