import { LineText } from "./line-text.js";
import { readShown } from "./read-shown.js";

export interface VisibleTextOptions {
  /** Stop once this many characters between tags were taken; the content of one `textarea` or `xmp` may be longer. */
  maxChars?: number;
  /** Stop once the lines have this many characters, if no more need to be known. */
  enough?: number;
}

/**
 * Returns the text of a page that a reader sees, one line per block: character references decoded, inline tags removed
 * (`un<b>like</b>ly` is one word), white space collapsed, soft hyphens and zero-width spaces dropped, no empty lines.
 *
 * Left out are titles, scripts, styles, comments, the content of `template` (except for declarative shadow trees),
 * `noscript`, `iframe`, `noframes` and `noembed`, and attributes (`alt`, `placeholder`). Style sheets and the `hidden`
 * attribute are ignored. Time and memory are linear in the text, whatever it holds.
 */
export function visibleText(
  html: string,
  { maxChars = Number.POSITIVE_INFINITY, enough = Number.POSITIVE_INFINITY }: VisibleTextOptions = {},
): string {
  const lines: string[] = [];
  const line = new LineText();
  let taken = 0;
  let shown = 0;
  const endLine = (): void => {
    if (line.isEmpty) return;
    const text = line.take();
    shown += text.length;
    lines.push(text);
  };
  readShown(html, {
    maxChars,
    text(text) {
      taken += text.length;
      line.add(text);
      return taken < maxChars && shown < enough;
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
 * Normalises a phrase as `visibleText` does: text copied from a page, or typed, may have other white space, empty lines
 * between blocks, and soft hyphens. White space at its ends stays, as one character.
 */
export function visiblePhrase(phrase: string): string {
  return phrase
    .replaceAll(unseen, "")
    .replaceAll(/\r\n?/g, "\n")
    .replaceAll(/[^\S\n]+/g, " ")
    .replaceAll(/ ?\n[ \n]*/g, "\n");
}
