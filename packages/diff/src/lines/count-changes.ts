import { Budget } from "../lcs/budget.js";
import { byteLines } from "./byte-lines.js";
import { type CompareLimits, stepsForLines, withDefaults } from "../limits.js";
import { matchTokens } from "../lcs/match.js";

/** The number of added and removed lines. `coarse`: a limit was hit, and fewer might suffice. */
export interface ChangeCount {
  readonly added: number;
  readonly removed: number;
  readonly coarse: boolean;
}

/**
 * Counts changed lines as `compare` by lines does, without making hunks, marks or strings.
 * @param a, b texts in UTF-8. Equal texts must be equal bytes: no byte order mark, no invalid sequences that a decoder
 * would replace.
 * @throws RangeError when a limit is negative or not a number; a retry does not help.
 */
export function countChangedLines(a: Uint8Array, b: Uint8Array, limits: CompareLimits = {}): ChangeCount {
  const { maxSteps, timeMs, maxEdits } = withDefaults(limits);
  const budget = new Budget(maxSteps * stepsForLines, timeMs, maxEdits);
  const { aTokens, bTokens, ids } = byteLines(a, b);
  const changed = matchTokens(aTokens, bTokens, ids, budget);
  return { added: sum(changed.b), removed: sum(changed.a), coarse: budget.coarse };
}

function sum(flags: Uint8Array): number {
  let count = 0;
  for (let i = 0; i < flags.length; i++) count += flags[i] ?? 0;
  return count;
}
