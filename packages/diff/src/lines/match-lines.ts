import type { Changed } from "../lcs/box.js";
import type { Budget } from "../lcs/budget.js";
import { commonPrefix, commonSuffix } from "../lcs/common-ends.js";
import { TextLineNumbers } from "./line-numbers.js";
import { type Breaks, lineStarts } from "./line-range.js";
import { keepPartners } from "./keep-partners.js";
import { matchTokens } from "../lcs/match.js";

/** Two texts as lines, with flags for changed ones. All lines outside the window are common. */
export interface MatchedLines {
  readonly aStarts: Int32Array;
  readonly bStarts: Int32Array;
  /** First line (from 0) of the window, the same on both sides. */
  readonly from: number;
  /** Equal numbers for equal lines, terminator included; one per line of the window. */
  readonly aTokens: Int32Array;
  readonly bTokens: Int32Array;
  readonly changed: Changed;
}

/** Common lines around the differing middle that the window includes, so that changes can slide into them. */
const MARGIN = 20;

/** Matches two texts line by line. @param isWhole whether lines that each side has once keep their partners */
export function matchLines(a: string, b: string, breaks: Breaks, budget: Budget, isWhole = false): MatchedLines {
  const aStarts = lineStarts(a, breaks);
  const bStarts = lineStarts(b, breaks);
  const aCount = aStarts.length - 1;
  const bCount = bStarts.length - 1;
  const shorter = Math.min(a.length, b.length);
  let head = lastAtMost(aStarts, commonPrefix(a, 0, b, 0, shorter));
  while (head > bCount || (head > 0 && aStarts[head] !== bStarts[head])) head--;
  const units = commonSuffix(a, a.length, b, b.length, shorter - (aStarts[head] ?? 0));
  let tail = aCount - firstAtLeast(aStarts, a.length - units);
  while (
    tail > Math.min(aCount, bCount) - head ||
    (tail > 0 && a.length - (aStarts[aCount - tail] ?? 0) !== b.length - (bStarts[bCount - tail] ?? 0))
  )
    tail--;

  const from = Math.max(0, head - MARGIN);
  const after = Math.max(0, tail - MARGIN);
  const numbers = new TextLineNumbers(a, b, Math.max(0, aCount - after - from) + Math.max(0, bCount - after - from));
  const aTokens = numbers.ofA(aStarts, from, aCount - after);
  const bTokens = numbers.ofOther(bStarts, from, bCount - after, aTokens);
  const { size } = numbers;
  const changed = matchTokens(aTokens, bTokens, size, budget);
  if (isWhole) keepPartners({ aTokens, bTokens, changed }, size, budget);
  return { aStarts, bStarts, from, aTokens, bTokens, changed };
}

/** Returns the index of the last entry that is at most `limit`; `sorted` starts with 0. */
function lastAtMost(sorted: Int32Array, limit: number): number {
  return firstAtLeast(sorted, limit + 1) - 1;
}

/** Returns the index of the first entry that is at least `limit`, or the length. */
function firstAtLeast(sorted: Int32Array, limit: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
