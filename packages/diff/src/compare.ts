import { changedBlocks, type Block } from "./hunks/blocks.js";
import { Budget } from "./lcs/budget.js";
import { type BlockMarks, buildHunks, type DiffHunk } from "./hunks/hunks.js";
import { type CompareLimits, stepsForLines, withDefaults } from "./limits.js";
import { linePlaces } from "./lines/line-places.js";
import type { Breaks } from "./lines/line-range.js";
import { type MatchedLines, matchLines } from "./lines/match-lines.js";
import { Refiner, type Refinement } from "./words/refine.js";
import { slideChanges } from "./lcs/slide.js";

/** The unit that a comparison counts and marks. */
export type By = "lines" | "words" | "chars";

export interface CompareOptions {
  readonly by: By;
  /** The number of unchanged lines around each change, 3 by default. */
  readonly context?: number;
  /**
   * The lines in which `by: "lines"` marks changed words, where at least 30 % of the line stays: `all` (default), only
   * those too `long` to say anything (minified HTML), or `none`. Words and characters are always marked.
   */
  readonly marks?: "all" | "long" | "none";
  /** Where lines end; `newline` by default. With `tags`, minified HTML gets a line per element, and no patch can be made. */
  readonly breaks?: Breaks;
  readonly limits?: CompareLimits;
  /**
   * Entries that stay in a list while others come and go are left whole, even where fewer lines would change if each became its neighbour.
   * Without it (default), the difference is the smallest there is.
   */
  readonly wholeEntries?: boolean;
}

export interface Comparison {
  readonly by: By;
  readonly breaks: Breaks;
  readonly identical: boolean;
  /** A limit was hit: correct, but perhaps not the smallest difference. */
  readonly coarse: boolean;
  /** Hunks were left out (`limits.maxHunkLines`). All counts still cover the whole texts. */
  readonly truncated: boolean;
  /** Added units: lines, characters, or words (runs of letters and digits, and single symbols; white space is marked but not counted). */
  readonly added: number;
  readonly removed: number;
  readonly linesAdded: number;
  readonly linesRemoved: number;
  /** Connected blocks of changed lines. */
  readonly changes: number;
  /** Lines of the whole texts. */
  readonly aLines: number;
  readonly bLines: number;
  readonly hunks: DiffHunk[];
}

/** The least share of a line that must stay for word marks: with less, they only confuse. */
const MIN_KEPT = 0.3;
/** The share of the steps for marks that only help reading (`by: "lines"`). */
const STEPS_FOR_READING = 0.2;
/** UTF-16 units from which a line is too long to say anything as a whole. */
const LONG_LINE = 2_000;

/**
 * Compares two texts. Lines are matched first; words and characters are compared inside connected changed lines. The
 * difference is the smallest there is (a longest common subsequence of lines; of tokens inside each block) unless `wholeEntries` is
 * asked for, or `coarse` says that a limit was hit. Deterministic as long as the time limit is not hit.
 * @throws RangeError when `context` or a limit is negative or not a number; a retry does not help.
 */
export function compare(a: string, b: string, options: CompareOptions): Comparison {
  const { by, context = 3, breaks = "newline" } = options;
  requireContext(context);
  const limits = withDefaults(options.limits);
  const budget = new Budget(limits.maxSteps, limits.timeMs, limits.maxEdits);

  const lines = matched(a, b, options, limits.maxSteps, budget);
  const blocks = changedBlocks(lines);

  // Marks that only help reading may be cut short without making the answer any larger.
  const linesCoarse = budget.coarse;
  const marked = markBlocks(a, b, lines, blocks, options, limits.maxTokens, budget);
  const source = {
    a,
    b,
    aStarts: lines.aStarts,
    bStarts: lines.bStarts,
    marks: marked.blocks,
    minKept: by === "lines" ? MIN_KEPT : 0,
  };
  const { hunks, truncated } = buildHunks(source, blocks, context, limits.maxHunkLines);

  const linesAdded = blocks.reduce((sum, block) => sum + block.bTo - block.bFrom, 0);
  const linesRemoved = blocks.reduce((sum, block) => sum + block.aTo - block.aFrom, 0);
  return {
    by,
    breaks,
    identical: blocks.length === 0,
    coarse: by === "lines" ? linesCoarse : budget.coarse,
    truncated,
    added: by === "lines" ? linesAdded : marked.added,
    removed: by === "lines" ? linesRemoved : marked.removed,
    linesAdded,
    linesRemoved,
    changes: blocks.length,
    aLines: lines.aStarts.length - 1,
    bLines: lines.bStarts.length - 1,
    hunks,
  };
}

/** Matches the lines of both texts, with changes moved to where people would see them. */
function matched(
  a: string,
  b: string,
  { breaks = "newline", wholeEntries }: CompareOptions,
  maxSteps: number,
  budget: Budget,
): MatchedLines {
  const lines = budget.within(maxSteps * stepsForLines, () => matchLines(a, b, breaks, budget, wholeEntries));
  const aPlaces = linePlaces(a, lines.aStarts, lines.from, lines.aTokens.length);
  const bPlaces = linePlaces(b, lines.bStarts, lines.from, lines.bTokens.length);
  slideChanges(lines.aTokens, lines.changed.a, lines.changed.b, aPlaces);
  slideChanges(lines.bTokens, lines.changed.b, lines.changed.a, bPlaces);
  return lines;
}

function requireContext(context: number): void {
  if (!Number.isInteger(context) || context < 0)
    throw new RangeError(
      `The number of unchanged lines around a change must be an integer of at least 0, not ${String(context)}.`,
    );
}

/** Marks words or characters inside every block, each with its share of the steps that are left. */
function markBlocks(
  a: string,
  b: string,
  lines: MatchedLines,
  blocks: readonly Block[],
  { by, marks = "all" }: CompareOptions,
  maxTokens: number,
  budget: Budget,
) {
  if (by === "lines") budget.steps *= STEPS_FOR_READING;
  const refiner = new Refiner(a, b, by === "chars" ? "chars" : "words", by === "lines", maxTokens, budget);
  const found: (BlockMarks | undefined)[] = [];
  let removed = 0;
  let added = 0;
  let unitsLeft = blocks.reduce((sum, block) => sum + unitsOf(block, lines), 0);
  for (const block of blocks) {
    const isLong = by === "lines" && marks !== "none" && isLongChange(block, lines);
    const isOneSided = block.aFrom === block.aTo || block.bFrom === block.bTo;
    const isUnmarked = isOneSided || (marks !== "all" && !isLong);
    const units = unitsOf(block, lines);
    if (by === "lines" && isUnmarked) found.push(undefined);
    else {
      const into: Refinement = { a: [], b: [], removed: 0, added: 0 };
      const region = regionOf(block, lines);
      budget.within((budget.steps * units) / Math.max(1, unitsLeft), () => {
        if (isLong) refiner.refineThrough(region, "tags", "words", into);
        else refiner.refine(region, by === "chars" ? "chars" : "words", into);
      });
      found.push(into);
      removed += into.removed;
      added += into.added;
    }
    unitsLeft -= units;
  }
  refiner.release();
  return { blocks: found, removed, added };
}

/** Whether a line on each side is too long to say anything as a whole. */
function isLongChange(block: Block, { aStarts, bStarts }: MatchedLines): boolean {
  return hasLongLine(aStarts, block.aFrom, block.aTo) && hasLongLine(bStarts, block.bFrom, block.bTo);
}

function regionOf(block: Block, { aStarts, bStarts }: MatchedLines) {
  return {
    aFrom: aStarts[block.aFrom] ?? 0,
    aTo: aStarts[block.aTo] ?? 0,
    bFrom: bStarts[block.bFrom] ?? 0,
    bTo: bStarts[block.bTo] ?? 0,
  };
}

function unitsOf(block: Block, { aStarts, bStarts }: MatchedLines): number {
  return (
    (aStarts[block.aTo] ?? 0) - (aStarts[block.aFrom] ?? 0) + ((bStarts[block.bTo] ?? 0) - (bStarts[block.bFrom] ?? 0))
  );
}

function hasLongLine(starts: Int32Array, from: number, to: number): boolean {
  for (let line = from; line < to; line++) if ((starts[line + 1] ?? 0) - (starts[line] ?? 0) > LONG_LINE) return true;
  return false;
}
