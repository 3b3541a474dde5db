import { Budget } from "./budget.js";
import { type CompareLimits, withDefaults } from "./limits.js";
import { matchLines } from "./match-lines.js";

/** How many lines were added and removed. `coarse`: a limit was hit, fewer might do. */
export interface ChangeCount {
  readonly added: number;
  readonly removed: number;
  readonly coarse: boolean;
}

/**
 * Counts changed lines as `compare` by lines does, without making hunks or marks.
 * @throws RangeError when a limit is negative or not a number; a retry does not help.
 */
export function countChangedLines(a: string, b: string, limits: CompareLimits = {}): ChangeCount {
  if (a === b) return { added: 0, removed: 0, coarse: false };
  const { maxSteps, timeMs, maxEdits } = withDefaults(limits);
  const budget = new Budget(maxSteps, timeMs, maxEdits);
  const { changed } = matchLines(a, b, "newline", budget, false);
  return { added: sum(changed.b), removed: sum(changed.a), coarse: budget.coarse };
}

function sum(flags: Uint8Array): number {
  let count = 0;
  for (let i = 0; i < flags.length; i++) count += flags[i] ?? 0;
  return count;
}
