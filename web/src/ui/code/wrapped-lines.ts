/** Beyond this a text is guessed to fill its lines. */
const lookedAtMax = 3_000;

/**
 * How many lines a text takes that wraps between words, and within those that are longer than a line.
 * @param columns characters of a line
 */
export function wrappedLines(text: string, columns: number): number {
  let lines = 1;
  let from = 0;
  while (text.length - from > columns && from < lookedAtMax) {
    // a space that has no room hangs over the end
    const space = text.lastIndexOf(" ", from + columns);
    from = space > from ? space + 1 : from + columns;
    lines += 1;
  }
  return lines + Math.max(0, Math.ceil((text.length - from) / columns) - 1);
}
