/**
 * The limits on the cost of a comparison. Every limit that is hit makes the answer coarser and flags it; none makes it
 * wrong or empty.
 */
export interface CompareLimits {
  /** Wall time in milliseconds after which no further search starts. A safety net for slow machines; `maxSteps` bounds ordinary work. */
  readonly timeMs?: number;
  /** Elementary search steps, one to three nanoseconds each. The same input gives the same answer on every machine as long as only this limit is hit. */
  readonly maxSteps?: number;
  /** Edits (added + removed tokens) in one region beyond which the difference need not be the smallest. */
  readonly maxEdits?: number;
  /** Words or characters of one block of changed lines, both sides together, that are compared at once; larger blocks are first split into words or tags. */
  readonly maxTokens?: number;
  /** Lines, context included, that hunks may hold; later hunks are left out and `truncated` says so. */
  readonly maxHunkLines?: number;
}

/** Chosen so that 5 MB with every line changed stays below 3 CPU seconds with words marked, and a worker below 1 GB. */
const defaultLimits: Required<CompareLimits> = {
  timeMs: 5_000,
  maxSteps: 250_000_000,
  maxEdits: Number.MAX_SAFE_INTEGER,
  maxTokens: 6_000_000,
  maxHunkLines: 1_000_000,
};

/**
 * The share of the steps for finding changed lines, the same in all functions: counting finds as many changed lines as showing.
 */
export const stepsForLines = 0.25;

/**
 * Fills in the limits that the caller left out.
 * @throws RangeError when a limit is negative or not a number; a retry with the same limits does not help.
 */
export function withDefaults(limits: CompareLimits = {}): Required<CompareLimits> {
  const pick = (name: keyof CompareLimits): number => {
    const value = limits[name] ?? defaultLimits[name];
    if (!(value >= 0)) throw new RangeError(`The limit ${name} must be a number of at least 0, not ${String(value)}.`);
    return value;
  };
  return {
    timeMs: pick("timeMs"),
    maxSteps: pick("maxSteps"),
    maxEdits: pick("maxEdits"),
    maxTokens: pick("maxTokens"),
    maxHunkLines: pick("maxHunkLines"),
  };
}
