import type { Block } from "./blocks.js";
import { hasTerminator, lineText } from "../lines/line-range.js";

/** One line of a hunk. `text` has no terminator. */
export interface DiffLine {
  kind: "context" | "removed" | "added";
  text: string;
  /**
   * Changed ranges inside `text`: UTF-16 units, end exclusive, ascending, not adjacent. Absent where words were not
   * compared, or too little of the line stays.
   */
  marks?: [number, number][];
  /**
   * No "\n" follows this line in its text: it is the last line of a text without final newline (or, with
   * `breaks: "tags"`, ends between tags).
   */
  noEol?: true;
}

/**
 * Changed lines with their context. Line numbers are 1-based; where a side has no lines, its start is the line before
 * which the change belongs.
 */
export interface DiffHunk {
  aStart: number;
  aCount: number;
  bStart: number;
  bCount: number;
  lines: DiffLine[];
}

/** The changed ranges of a block's two sides: flat (start, end, start, end, …), absolute offsets, ascending. */
export interface BlockMarks {
  readonly a: readonly number[];
  readonly b: readonly number[];
}

/** The two texts by lines, and the marks of their changed lines. */
export interface HunkSource {
  readonly a: string;
  readonly b: string;
  readonly aStarts: Int32Array;
  readonly bStarts: Int32Array;
  /** One entry per block; undefined where nothing was compared. */
  readonly marks: readonly (BlockMarks | undefined)[];
  /** The least share of a changed line outside its marks; a line with less gets no marks. */
  readonly minKept: number;
}

/** The most lines of a change that is cut because it alone has more than hunks may hold. */
const CUT_LINES = 20_000;

/**
 * Groups blocks and `context` unchanged lines around them into hunks; blocks whose contexts touch share one.
 * @returns `truncated` where hunks were left out because they would have more than `maxLines` lines. Where all of them
 * would be left out, the beginning of the first change stands for it, so that there is something to see.
 */
export function buildHunks(
  source: HunkSource,
  blocks: readonly Block[],
  context: number,
  maxLines: number,
): { hunks: DiffHunk[]; truncated: boolean } {
  const hunks: DiffHunk[] = [];
  const aCount = source.aStarts.length - 1;
  let room = maxLines;
  for (let first = 0; first < blocks.length;) {
    const last = lastOfGroup(blocks, first, context);
    const group = blocks.slice(first, last + 1);
    const [start, end] = [group[0], group.at(-1)];
    if (start === undefined || end === undefined) break;
    const before = Math.min(context, start.aFrom);
    const after = Math.min(context, aCount - end.aTo);
    const size = before + after + linesOf(group);
    if (size > room) {
      const cut = first === 0 ? cutBlock(start, Math.min(room - before, CUT_LINES)) : undefined;
      if (cut !== undefined) hunks.push(hunkOf(source, [cut], source.marks, cut.aFrom - before, cut.aTo));
      return { hunks, truncated: true };
    }
    room -= size;
    hunks.push(hunkOf(source, group, source.marks.slice(first), start.aFrom - before, end.aTo + after));
    first = last + 1;
  }
  return { hunks, truncated: false };
}

/** Returns the index of the last block in the chain of touching contexts that begins with the first one. */
function lastOfGroup(blocks: readonly Block[], first: number, context: number): number {
  let last = first;
  while (last + 1 < blocks.length && (blocks[last + 1]?.aFrom ?? 0) - (blocks[last]?.aTo ?? 0) <= 2 * context) last++;
  return last;
}

/** Counts the lines of blocks, and those between them. */
function linesOf(group: readonly Block[]): number {
  let lines = 0;
  for (const [at, { aFrom, aTo, bFrom, bTo }] of group.entries())
    lines += aTo - aFrom + (bTo - bFrom) + ((group[at + 1]?.aFrom ?? aTo) - aTo);
  return lines;
}

/** Returns the beginning of a block with `most` lines at most, of both sides where it has both; undefined where none fits. */
function cutBlock({ aFrom, aTo, bFrom, bTo }: Block, most: number): Block | undefined {
  if (most < 1) return undefined;
  const removed = Math.min(aTo - aFrom, Math.max(most >> 1, most - (bTo - bFrom)));
  const added = Math.min(bTo - bFrom, most - removed);
  return { aFrom, aTo: aFrom + removed, bFrom, bTo: bFrom + added };
}

/** Makes a hunk of blocks and the unchanged lines around them. @param from, to its lines in the older text */
function hunkOf(
  source: HunkSource,
  group: readonly Block[],
  marks: HunkSource["marks"],
  from: number,
  to: number,
): DiffHunk {
  const lines: DiffLine[] = [];
  let done = from;
  /** How many lines the newer text is ahead of the older one. */
  let ahead = (group[0]?.bFrom ?? 0) - (group[0]?.aFrom ?? 0);
  const bStart = from + ahead;
  for (const [at, block] of group.entries()) {
    addContext(source, done, block.aFrom, lines);
    addChanged(source, block, marks[at], lines);
    done = block.aTo;
    ahead = block.bTo - block.aTo;
  }
  addContext(source, done, to, lines);
  return { aStart: from + 1, aCount: to - from, bStart: bStart + 1, bCount: to + ahead - bStart, lines };
}

function addContext({ a, aStarts }: HunkSource, from: number, to: number, lines: DiffLine[]): void {
  for (let line = from; line < to; line++) lines.push(diffLine("context", a, aStarts, line));
}

function addChanged(source: HunkSource, block: Block, marks: BlockMarks | undefined, lines: DiffLine[]): void {
  addSide("removed", source.a, source.aStarts, block.aFrom, block.aTo, marks?.a, source.minKept, lines);
  addSide("added", source.b, source.bStarts, block.bFrom, block.bTo, marks?.b, source.minKept, lines);
}

function addSide(
  kind: "removed" | "added",
  text: string,
  starts: Int32Array,
  from: number,
  to: number,
  ranges: readonly number[] | undefined,
  minKept: number,
  lines: DiffLine[],
): void {
  let cursor = 0;
  for (let at = from; at < to; at++) {
    const line = diffLine(kind, text, starts, at);
    lines.push(line);
    if (ranges === undefined) continue;
    const start = starts[at] ?? 0;
    const end = start + line.text.length;
    const marks: [number, number][] = [];
    while (cursor < ranges.length && (ranges[cursor + 1] ?? 0) <= start) cursor += 2;
    // A range may cover the line's terminator, or nothing but it.
    for (let r = cursor; r < ranges.length && (ranges[r] ?? 0) < end; r += 2) {
      const mark: [number, number] = [
        Math.max(ranges[r] ?? 0, start) - start,
        Math.min(ranges[r + 1] ?? 0, end) - start,
      ];
      if (mark[0] < mark[1]) marks.push(mark);
    }
    if (minKept === 0 || keptShare(line.text, marks) >= minKept) line.marks = marks;
  }
}

/** Returns the share of a line's visible units outside its marks. */
function keptShare(text: string, marks: readonly [number, number][]): number {
  const visible = (from: number, to: number): number => {
    let count = 0;
    for (let i = from; i < to; i++) if (text.charCodeAt(i) > 32) count++;
    return count;
  };
  let marked = 0;
  for (const [from, to] of marks) marked += visible(from, to);
  return 1 - marked / Math.max(1, visible(0, text.length));
}

function diffLine(kind: DiffLine["kind"], text: string, starts: Int32Array, index: number): DiffLine {
  const line: DiffLine = { kind, text: lineText(text, starts, index) };
  if (!hasTerminator(text, starts, index)) line.noEol = true;
  return line;
}
