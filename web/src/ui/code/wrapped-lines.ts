import { drawnChars } from "./windows.js";

/**
 * Estimates how many lines a text takes when it wraps between words, and within words that are longer than a line. For a text that is
 * too long to be drawn as a whole: at most as many as its drawn part takes, and one for the button that shows more.
 * @param columns characters per line
 */
export function wrappedLines(text: string, columns: number): number {
  const end = Math.min(text.length, drawnChars);
  let lines = end < text.length ? 2 : 1;
  let from = 0;
  while (end - from > columns) {
    // a space at the wrap hangs over the end of the line
    const space = text.lastIndexOf(" ", from + columns);
    from = space > from ? space + 1 : from + columns;
    lines += 1;
  }
  return lines;
}
