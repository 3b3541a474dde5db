import type { Token, TokenKind } from "./html-tokens.js";

/** A part of a line that looks the same throughout. */
export interface Segment {
  readonly text: string;
  readonly kind: TokenKind | undefined;
  readonly marked: boolean;
  /** Whether it is removed text that is shown nevertheless. */
  readonly gone?: boolean;
}

type Range = readonly [from: number, to: number];

/**
 * Cuts a line wherever a token or a changed range begins or ends. Marks: UTF-16 code units, end exclusive, ascending; what lies
 * outside the line is ignored.
 */
export function segmentsOf(
  text: string,
  tokens: readonly Token[],
  marks: readonly Range[] = [],
  gone: readonly Range[] = [],
): Segment[] {
  const cuts = new Set<number>([0, text.length]);
  for (const token of tokens) cuts.add(Math.min(token.from, text.length)).add(Math.min(token.to, text.length));
  for (const [from, to] of marks) if (to > from) cuts.add(clamp(from, text.length)).add(clamp(to, text.length));
  for (const [from, to] of gone) if (to > from) cuts.add(clamp(from, text.length)).add(clamp(to, text.length));
  const points = [...cuts].toSorted((a, b) => a - b);
  const segments: Segment[] = [];
  let token = 0;
  let mark = 0;
  let old = 0;
  for (let index = 0; index + 1 < points.length; index += 1) {
    const from = points[index] ?? 0;
    const to = points[index + 1] ?? 0;
    while (token < tokens.length && (tokens[token]?.to ?? 0) <= from) token += 1;
    while (mark < marks.length && (marks[mark]?.[1] ?? 0) <= from) mark += 1;
    while (old < gone.length && (gone[old]?.[1] ?? 0) <= from) old += 1;
    const inToken = tokens[token];
    const inMark = marks[mark];
    const inGone = gone[old];
    const isGone = inGone !== undefined && inGone[0] <= from && inGone[1] > from;
    segments.push({
      text: text.slice(from, to),
      kind: inToken !== undefined && inToken.from <= from ? inToken.kind : undefined,
      marked: inMark !== undefined && inMark[0] <= from && inMark[1] > from,
      ...(isGone ? { gone: true } : {}),
    });
  }
  return segments;
}

const clamp = (value: number, max: number): number => Math.max(0, Math.min(value, max));
