/** The most matches that are marked, more than anybody steps through. */
const matchesMax = 10_000;

/** The places of a phrase, ignoring case as the search does (Unicode simple case folding). */
export interface Found {
  /** Ranges in UTF-16 units by the number of the line from 1. */
  readonly marks: ReadonlyMap<number, readonly (readonly [number, number])[]>;
  /** Numbers of the lines on which a match begins, ascending. */
  readonly lines: readonly number[];
  readonly matches: number;
}

/**
 * Finds a phrase; one that spans several lines is marked on each of them.
 * @param lines without line ends; a "\r" inside one is matched as the "\n" that readers see
 */
export function findInLines(lines: readonly string[], phrase: string): Found {
  const marks = new Map<number, [number, number][]>();
  const begins = new Set<number>();
  let matches = 0;
  const wanted = phrase.replaceAll(/\r\n?/g, "\n");
  if (wanted === "") return { marks, lines: [], matches };
  const pattern = new RegExp(wanted.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`), "giu");
  let line = 1;
  let start = 0;
  for (const match of lines.join("\n").replaceAll("\r", "\n").matchAll(pattern)) {
    if (++matches > matchesMax) break;
    let from = match.index;
    const end = match.index + match[0].length;
    while (from > start + (lines[line - 1] ?? "").length) start += (lines[line++ - 1] ?? "").length + 1;
    begins.add(line);
    while (from < end) {
      const length = (lines[line - 1] ?? "").length;
      const to = Math.min(end - start, length);
      if (to > from - start) {
        const known = marks.get(line);
        if (known === undefined) marks.set(line, [[from - start, to]]);
        else known.push([from - start, to]);
      }
      if (end - start <= length) break;
      start += length + 1;
      line += 1;
      from = start;
    }
  }
  return { marks, lines: [...begins], matches: Math.min(matches, matchesMax) };
}
