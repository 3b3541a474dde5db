import type { MatchedLines } from "../lines/match-lines.js";

/** Connected changed lines: `aFrom…aTo-1` were replaced by `bFrom…bTo-1` (lines from 0; one of the two may be empty). */
export interface Block {
  readonly aFrom: number;
  readonly aTo: number;
  readonly bFrom: number;
  readonly bTo: number;
}

/** Returns the changed blocks of two texts, ascending, at least one unchanged line apart. */
export function changedBlocks({ changed, from }: MatchedLines): Block[] {
  const blocks: Block[] = [];
  const { a, b } = changed;
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    if (a[i] !== 1 && b[j] !== 1) {
      i++;
      j++;
      continue;
    }
    const aFrom = i;
    const bFrom = j;
    while (i < a.length && a[i] === 1) i++;
    while (j < b.length && b[j] === 1) j++;
    blocks.push({ aFrom: from + aFrom, aTo: from + i, bFrom: from + bFrom, bTo: from + j });
  }
  return blocks;
}
