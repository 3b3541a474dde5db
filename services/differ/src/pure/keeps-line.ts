import { compare } from "@web-tester/diff/compare";

/** How often a line occurs in a text, counted up to two. */
function timesOf(text: string, line: string): number {
  let times = 0;
  // after the last character an empty line would be found without end
  for (let at = text.indexOf(line); at !== -1 && at < text.length && times < 2; at = text.indexOf(line, at + 1)) {
    const end = at + line.length;
    const isWhole = (at === 0 || text[at - 1] === "\n") && (end === text.length || text[end] === "\n");
    if (isWhole) times += 1;
  }
  return times;
}

/** A line to look for in other versions. `isAlone`: no other line of its own version is equal. */
export interface SoughtLine {
  text: string;
  isAlone: boolean;
}

/** Returns a line to look for in other versions. @param line from 1. @returns null where there are fewer lines */
export function soughtLine(version: string, line: number): SoughtLine | null {
  const text = lineOf(version, line);
  return text === null ? null : { text, isAlone: timesOf(version, text) === 1 };
}

/** Whether a version has a line of another one; null where only comparing both tells which of several equal lines it is. */
export function hasLine(version: string, { text, isAlone }: SoughtLine): boolean | null {
  const times = timesOf(version, text);
  if (times === 0) return false;
  return times === 1 && isAlone ? true : null;
}

/**
 * Whether a line of one version is in another one. A line that both have once is the same line wherever it is; of a line
 * that occurs several times (`</div>`), it is the one that a comparison of both matches with it.
 * @param line from 1
 */
export function keepsLine(version: string, other: string, line: number): boolean {
  const sought = soughtLine(version, line);
  if (sought === null) return false;
  const found = hasLine(other, sought);
  if (found !== null) return found;
  const { hunks, truncated, coarse } = compare(version, other, { by: "lines", context: 0, marks: "none" });
  if (truncated || coarse) return true;
  return hunks.every(({ aStart, aCount }) => aCount === 0 || line < aStart || line >= aStart + aCount);
}

/** Returns a line of a text, without its line end; null where there are fewer lines. @param line from 1 */
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
