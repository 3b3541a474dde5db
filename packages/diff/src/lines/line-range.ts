/**
 * Where lines end.
 *
 * `newline`: at every "\n", as in git. A "\r" before it is part of the line's text. Text after the last "\n" is a line
 * without terminator; an empty text has no lines. `tags`: also between ">" and "<", which gives minified HTML meaningful
 * lines.
 */
export type Breaks = "newline" | "tags";

/**
 * Finds the start of every line.
 * @returns one offset (UTF-16 code units) per line, and after the last one the length of the text.
 */
export function lineStarts(text: string, breaks: Breaks = "newline"): Int32Array {
  let starts = new Int32Array(64 + (text.length >> 5));
  let count = 0;
  let gap = breaks === "tags" ? text.indexOf("><") : -1;
  for (let from = 0; from < text.length;) {
    if (count + 2 > starts.length) starts = grown(starts);
    starts[count++] = from;
    const newline = text.indexOf("\n", from);
    const end = newline < 0 ? text.length : newline + 1;
    for (; gap >= 0 && gap + 1 < end; gap = text.indexOf("><", gap + 1)) {
      if (count + 2 > starts.length) starts = grown(starts);
      starts[count++] = gap + 1;
    }
    from = end;
  }
  starts[count++] = text.length;
  return starts.subarray(0, count);
}

function grown(from: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const to = new Int32Array(from.length * 2);
  to.set(from);
  return to;
}

/** Returns the text of line `index` (from 0) without its terminator. `starts` as from `lineStarts`. */
export function lineText(text: string, starts: Int32Array, index: number): string {
  const end = starts[index + 1] ?? text.length;
  return text.slice(starts[index] ?? 0, hasTerminator(text, starts, index) ? end - 1 : end);
}

/** Whether line `index` (from 0) is followed by "\n". */
export function hasTerminator(text: string, starts: Int32Array, index: number): boolean {
  const end = starts[index + 1] ?? text.length;
  return end > (starts[index] ?? 0) && text.charCodeAt(end - 1) === 10;
}

/** Counts the lines of a text. */
export function countLines(text: string, breaks: Breaks = "newline"): number {
  return lineStarts(text, breaks).length - 1;
}

/** Returns all lines of a text, without their terminators. */
export function splitLines(text: string, breaks: Breaks = "newline"): string[] {
  return sliceLines(text, 1, Number.MAX_SAFE_INTEGER, breaks);
}

/**
 * Returns the lines `from` to `to`, both 1-based and inclusive, without their terminators; numbers outside the text are
 * clamped to it.
 * @throws RangeError when a number is not an integer.
 */
export function sliceLines(text: string, from: number, to: number, breaks: Breaks = "newline"): string[] {
  if (!Number.isInteger(from) || !Number.isInteger(to))
    throw new RangeError(`Lines are numbered by integers from 1, not ${from} to ${to}.`);
  const starts = lineStarts(text, breaks);
  const lines: string[] = [];
  const last = Math.min(to, starts.length - 1);
  for (let line = Math.max(1, from); line <= last; line++) lines.push(lineText(text, starts, line - 1));
  return lines;
}
