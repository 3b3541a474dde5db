import { compare } from "@web-tester/diff/compare";

/** How often a line stands in a text, counted to two. */
function timesOf(text: string, line: string): number {
  let times = 0;
  // behind the last character an empty line would be found for ever
  for (let at = text.indexOf(line); at !== -1 && at < text.length && times < 2; at = text.indexOf(line, at + 1)) {
    const end = at + line.length;
    const isWhole = (at === 0 || text[at - 1] === "\n") && (end === text.length || text[end] === "\n");
    if (isWhole) times += 1;
  }
  return times;
}

/**
 * Whether a line of one version stands in another one. A line that both have once is the same one wherever it stands; of a line that stands in several
 * places (`</div>`) it is the one that comparing both puts beside it.
 * @param line from 1
 */
export function keepsLine(version: string, other: string, line: number): boolean {
  const text = lineOf(version, line);
  if (text === null) return false;
  const times = timesOf(other, text);
  if (times === 0) return false;
  if (times === 1 && timesOf(version, text) === 1) return true;
  const { hunks, truncated, coarse } = compare(version, other, { by: "lines", context: 0, marks: "none" });
  if (truncated || coarse) return true;
  return hunks.every(({ aStart, aCount }) => aCount === 0 || line < aStart || line >= aStart + aCount);
}

/** A line of a text, without what ends it; null where there are fewer. @param line from 1 */
export function lineOf(text: string, line: number): string | null {
  let from = 0;
  for (let at = 1; at < line; at += 1) {
    const end = text.indexOf("\n", from);
    if (end === -1) return null;
    from = end + 1;
  }
  if (from >= text.length) return null;
  const end = text.indexOf("\n", from);
  return text.slice(from, end === -1 ? text.length : end);
}
