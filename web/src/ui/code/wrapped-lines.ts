import { drawnChars } from "./windows.js";

/**
 * How many lines a text takes that wraps between words, and within those that are longer than a line. Of one that is too long to be
 * drawn whole, as many as what is drawn of it takes at most, and the one that offers more.
 * @param columns characters of a line
 */
export function wrappedLines(text: string, columns: number): number {
  const end = Math.min(text.length, drawnChars);
  let lines = end < text.length ? 2 : 1;
  let from = 0;
  while (end - from > columns) {
    // a space that has no room hangs over the end
    const space = text.lastIndexOf(" ", from + columns);
    from = space > from ? space + 1 : from + columns;
    lines += 1;
  }
  return lines;
}
