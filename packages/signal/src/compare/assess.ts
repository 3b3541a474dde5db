import { compare } from "@web-tester/diff/compare";
import type { CompareLimits } from "@web-tester/diff/limits";
import type { DiffHunk } from "@web-tester/diff/hunks/hunks";
import { keptFormattedLines } from "@web-tester/html/forms/kept-forms";
import type { FormLines } from "@web-tester/html/forms/form-lines";
import type { LeftPage } from "./left-page.js";
import { Ranges } from "./ranges.js";

/** The differences of two versions of a page that matter. */
export interface Assessment {
  /** The number of connected blocks of changed lines in what rules leave of the pages. */
  readonly changes: number;
  /** The number of changed blocks in what rules leave out, or in insignificant white space. */
  readonly ignored: number;
  /** The parts of the pages that differ in what matters. */
  readonly inA: Ranges;
  readonly inB: Ranges;
  /** The changed lines that matter, with the words in them that changed. */
  readonly hunks: readonly DiffHunk[];
}

/** Compares what rules leave of two versions of a page. */
export function assess(a: LeftPage, b: LeftPage, limits: CompareLimits = {}): Assessment {
  const { hunks, changes } = compare(a.lines.text, b.lines.text, {
    ...{ by: "lines", context: 0, limits },
    wholeEntries: true,
  });
  const lines = hunks.map(({ aStart, aCount, bStart, bCount }) => ({
    a: a.partsOf(aStart - 1, aStart - 1 + aCount),
    b: b.partsOf(bStart - 1, bStart - 1 + bCount),
  }));
  const inA = new Ranges(lines.flatMap((each) => each.a));
  const inB = new Ranges(lines.flatMap((each) => each.b));
  return { changes, ignored: countIgnored(a, b, changes, inA, inB), inA, inB, hunks };
}

function countIgnored(a: LeftPage, b: LeftPage, changes: number, inA: Ranges, inB: Ranges): number {
  if (a.html === b.html) return 0;
  const isWhole = a.isWhole && b.isWhole;
  if (isWhole) return changes === 0 ? 1 : 0;
  const [formA, formB] = [keptFormattedLines(a.html), keptFormattedLines(b.html)];
  const { hunks } = compare(formA.text, formB.text, { by: "lines", context: 0, marks: "none", wholeEntries: true });
  let ignored = 0;
  for (const hunk of hunks) if (!touches(hunk, formA, formB, a, b, inA, inB)) ignored += 1;
  // only white space differs, although the rules did not name it
  return changes + ignored === 0 ? 1 : ignored;
}

function touches(
  { aStart, aCount, bStart, bCount }: DiffHunk,
  formA: FormLines,
  formB: FormLines,
  a: LeftPage,
  b: LeftPage,
  inA: Ranges,
  inB: Ranges,
): boolean {
  return (
    inA.overlap(...sourceOf(formA, aStart - 1, aCount, a.html.length)) ||
    inB.overlap(...sourceOf(formB, bStart - 1, bCount, b.html.length))
  );
}

/** Returns the range of the page that lines of a form come from. @param first 0-based */
export function sourceOf({ starts }: FormLines, first: number, count: number, length: number): [number, number] {
  if (count === 0) return [0, 0];
  return [starts[first] ?? length, starts[first + count] ?? length];
}
