/**
 * Soft hyphens, zero-width spaces and byte order marks, which are invisible. NULs are dropped as the HTML standard drops them.
 */
const unseen = /[\0\u00AD\u200B\uFEFF]+/g;

/**
 * A line of a page's text as readers see it, joined from the pieces between its tags: white space collapsed and trimmed,
 * invisible characters dropped. Time is linear in all that is added.
 */
export class LineText {
  #line = "";
  /** Whether white space was added since the last visible character. */
  #hasSpace = false;

  get isEmpty(): boolean {
    return this.#line === "";
  }

  add(piece: string): void {
    const tidied = isTidy(piece) ? piece : piece.replaceAll(unseen, "").replaceAll(/\s+/g, " ");
    const from = tidied.startsWith(" ") ? 1 : 0;
    const to = tidied.length > from && tidied.endsWith(" ") ? tidied.length - 1 : tidied.length;
    if (from === 1) this.#hasSpace = true;
    if (from === to) return;
    if (this.#hasSpace && this.#line !== "") this.#line += " ";
    this.#line += from === 0 && to === tidied.length ? tidied : tidied.slice(from, to);
    this.#hasSpace = to < tidied.length;
  }

  /** Returns the line and begins the next one. */
  take(): string {
    const line = this.#line;
    this.#line = "";
    this.#hasSpace = false;
    return line;
  }
}

const space = 0x20;
const lastOfAscii = 0x7f;

/** Whether there is nothing to collapse or drop, as in most pieces; the loop costs a fraction of regular expressions. */
function isTidy(piece: string): boolean {
  let isBehindSpace = false;
  for (let at = 0; at < piece.length; at += 1) {
    const code = piece.charCodeAt(at);
    if (code > space && code <= lastOfAscii) {
      isBehindSpace = false;
      continue;
    }
    if (code === space ? isBehindSpace : code < space || mayBeSpace(code)) return false;
    isBehindSpace = code === space;
  }
  return true;
}

/** Whether a character beyond ASCII may match `\s` or `unseen`; true for some others too. */
function mayBeSpace(code: number): boolean {
  return (code >= 0x1680 && code <= 0x3000) || code === 0xfeff || code === 0xa0 || code === 0xad;
}
