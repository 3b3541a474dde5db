import type { SnapshotMatches } from "@web-tester/contracts/entities/search";
import { composed, foldText, unifyLineEnds } from "@web-tester/search-index/fold-case";

/** The most characters shown of a long line, and how many of them come before its first match. */
const shownMax = 320;
const shownBefore = 80;

type Line = SnapshotMatches["items"][number];

/**
 * Finds the lines of a text on which a phrase begins. They are numbered as in comparisons and patches: a "\n" ends a line. For
 * matching the phrase, a single "\r" counts as a line end as well.
 * @param offset, limit which of these lines are wanted
 */
export function matchLines(
  written: string,
  phrase: string,
  { limit, offset }: { limit: number; offset: number },
): SnapshotMatches {
  // positions are those of the shown text, so that is composed too; it looks the same
  const text = composed(written);
  const whole = text.includes("\r") ? text.replaceAll("\r\n", "\n") : text;
  const folded = foldText(unifyLineEnds(text));
  const needle = foldText(unifyLineEnds(composed(phrase)));
  const items: Line[] = [];
  let matches = 0;
  let lines = 0;
  let line = 1;
  let lineStart = 0;
  let lineEnd = -1;
  let current: number[] = [];
  const close = (): void => {
    if (current.length === 0) return;
    const starts = current.map((at) => at - lineStart);
    if (lines >= offset && items.length < limit)
      items.push(cut(line, whole.slice(lineStart, lineEnd), starts, needle.length));
    lines += 1;
    current = [];
  };
  for (let at = folded.indexOf(needle); at !== -1; at = folded.indexOf(needle, at + needle.length)) {
    matches += 1;
    if (lineEnd === -1 || at > lineEnd) {
      close();
      for (let feed = whole.indexOf("\n", lineStart); feed !== -1 && feed < at; feed = whole.indexOf("\n", lineStart)) {
        line += 1;
        lineStart = feed + 1;
      }
      const end = whole.indexOf("\n", at);
      lineEnd = end === -1 ? whole.length : end;
    }
    current.push(at);
  }
  close();
  return { matches, lines, items };
}

function cut(line: number, text: string, starts: readonly number[], length: number): Line {
  const [first = 0] = starts;
  const isLong = text.length > shownMax;
  const from = isLong ? betweenCharacters(text, Math.max(0, first - shownBefore)) : 0;
  const to = isLong ? betweenCharacters(text, Math.min(text.length, from + shownMax)) : text.length;
  const shown = text.slice(from, to);
  return {
    line,
    text: shown,
    cutStart: from > 0,
    cutEnd: to < text.length,
    ranges: starts.flatMap((start): [number, number][] =>
      start - from >= shown.length && shown.length > 0
        ? []
        : [[start - from, Math.min(start - from + length, shown.length)]],
    ),
  };
}

/** Moves a position out of the middle of a surrogate pair. */
function betweenCharacters(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff ? at - 1 : at;
}
