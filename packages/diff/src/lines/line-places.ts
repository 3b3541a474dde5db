import type { ScorePlace } from "../lcs/slide.js";

const MAX_INDENT = 200;
const MAX_BLANKS = 20;

/**
 * Scores places for a change by the indentation and blank lines around its two ends, so that a new paragraph or element is
 * shown from its first to its last line. Source: git's `measure_split` and `score_add_split`; the weights are git's,
 * fitted to real histories.
 * @param from the first line that the tokens stand for; `count` is their number.
 */
export function linePlaces(text: string, starts: Int32Array, from: number, count: number): ScorePlace {
  const indents = new Map<number, number>();
  const indentOf = (line: number): number => {
    let indent = indents.get(line);
    if (indent === undefined) {
      indent = measureIndent(text, starts[from + line] ?? 0, starts[from + line + 1] ?? text.length);
      indents.set(line, indent);
    }
    return indent;
  };
  return (start, end) => {
    const top = scoreSplit(start, count, indentOf);
    const bottom = scoreSplit(end, count, indentOf);
    return { indent: top.indent + bottom.indent, penalty: top.penalty + bottom.penalty };
  };
}

/** Returns the columns before the first visible character, tabs to multiples of eight; -1 for a blank line. */
function measureIndent(text: string, from: number, to: number): number {
  let columns = 0;
  for (let i = from; i < to; i++) {
    const unit = text.charCodeAt(i);
    if (unit === 32) columns++;
    else if (unit === 9) columns += 8 - (columns % 8);
    else if (unit < 9 || unit > 13) return columns;
    if (columns >= MAX_INDENT) return MAX_INDENT;
  }
  return -1;
}

function scoreSplit(
  split: number,
  count: number,
  indentOf: (line: number) => number,
): { indent: number; penalty: number } {
  const atEnd = split >= count;
  const own = atEnd ? -1 : indentOf(split);
  const before = nearest(split - 1, -1, -1, indentOf);
  const after = nearest(split + 1, 1, count, indentOf);

  const blanksAfter = own === -1 ? 1 + after.blanks : 0;
  const blanks = before.blanks + blanksAfter;
  let penalty = -30 * blanks + 6 * blanksAfter;
  if (before.indent === -1 && before.blanks === 0) penalty += 1;
  if (atEnd) penalty += 21;
  const indent = own === -1 ? after.indent : own;
  if (indent === -1 || before.indent === -1 || indent === before.indent) return { indent, penalty };
  if (indent > before.indent) penalty += blanks > 0 ? 10 : -4;
  else if (after.indent > indent) penalty += blanks > 0 ? 17 : 24;
  else penalty += blanks > 0 ? 17 : 23;
  return { indent, penalty };
}

/**
 * Returns the indent of the first line that is not blank from `line` on in a direction, and the number of blank ones before it.
 */
function nearest(
  line: number,
  step: number,
  end: number,
  indentOf: (line: number) => number,
): { indent: number; blanks: number } {
  let blanks = 0;
  for (let at = line; step < 0 ? at > end : at < end; at += step) {
    const indent = indentOf(at);
    if (indent !== -1) return { indent, blanks };
    if (++blanks === MAX_BLANKS) return { indent: 0, blanks };
  }
  return { indent: -1, blanks };
}
