/** A page in a form, and the index in the page (UTF-16 units) at which each of its lines begins, ascending. */
export interface FormLines {
  readonly text: string;
  readonly starts: readonly number[];
}

/** Returns the lines of a page as it is served. */
export function sourceLines(html: string): FormLines {
  const starts: number[] = [];
  for (let at = 0; at < html.length;) {
    starts.push(at);
    const newline = html.indexOf("\n", at);
    at = newline === -1 ? html.length : newline + 1;
  }
  return { text: html, starts };
}
