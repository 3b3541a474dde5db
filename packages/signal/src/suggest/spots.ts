import { compare } from "@web-tester/diff/compare";
import type { DiffHunk } from "@web-tester/diff/hunks/hunks";
import type { LeftPage } from "../compare/left-page.js";
import type { Range } from "../mask/page.js";

/** A place where two versions of a page differ: its range in both, in UTF-16 units of their sources. */
export interface Spot {
  readonly a: Range;
  readonly b: Range;
}

/** Longer blocks are not split into smaller places. */
const refinedMaxChars = 40_000;
/** The most characters between changed words of one value, such as the parts of a time. */
const nearChars = 12;

/** Returns the places of one changed block, as small as possible. */
export function spotsOf(a: LeftPage, b: LeftPage, { aStart, aCount, bStart, bCount }: DiffHunk): Spot[] {
  const whole = {
    a: hull(a.partsOf(aStart - 1, aStart - 1 + aCount)),
    b: hull(b.partsOf(bStart - 1, bStart - 1 + bCount)),
  };
  const [one, other] = [a.html.slice(...whole.a), b.html.slice(...whole.b)];
  if (one === "" || other === "" || one.length + other.length > refinedMaxChars) return [whole];
  const pieces = changedPieces(one, other);
  if (pieces.length === 0) return [whole];
  return pieces.map((piece) => ({
    a: [whole.a[0] + piece.a[0], whole.a[0] + piece.a[1]],
    b: [whole.b[0] + piece.b[0], whole.b[0] + piece.b[1]],
  }));
}

/** Matches what separates two texts, or two values of a script. */
const apart = /[<>{};=]|["'][,:\])]/;

/** Joins places with nothing but text between them. */
export function inOneText(spots: readonly Spot[], older: string, newer: string): Spot[] {
  const joined: Spot[] = [];
  for (const spot of spots) {
    const last = joined.at(-1);
    const between = last === undefined ? "<" : older.slice(last.a[1], spot.a[0]) + newer.slice(last.b[1], spot.b[0]);
    if (last === undefined || apart.test(between)) joined.push(spot);
    else joined[joined.length - 1] = { a: [last.a[0], spot.a[1]], b: [last.b[0], spot.b[1]] };
  }
  return joined;
}

function hull(ranges: readonly Range[]): Range {
  if (ranges.length === 0) return [0, 0];
  return [Math.min(...ranges.map(([from]) => from)), Math.max(...ranges.map(([, to]) => to))];
}

/**
 * Returns the changed words of two texts, each with its counterpart. They are compared word by word, one per line, so that
 * both sides stay aligned.
 */
function changedPieces(one: string, other: string): Spot[] {
  const [wordsA, wordsB] = [wordsOf(one), wordsOf(other)];
  const text = (words: readonly Word[]) => words.map(({ text: word }) => `${word.replaceAll("\n", " ")}\n`).join("");
  const { hunks } = compare(text(wordsA), text(wordsB), { by: "lines", context: 0, marks: "none" });
  const pieces: Spot[] = [];
  for (const { aStart, aCount, bStart, bCount } of hunks) {
    const piece = { a: placeOf(wordsA, aStart - 1, aCount, one), b: placeOf(wordsB, bStart - 1, bCount, other) };
    const last = pieces.at(-1);
    if (last !== undefined && isNear(last, piece, other))
      pieces[pieces.length - 1] = { a: [last.a[0], piece.a[1]], b: [last.b[0], piece.b[1]] };
    else pieces.push(piece);
  }
  return pieces;
}

function isNear(last: Spot, next: Spot, other: string): boolean {
  const between = other.slice(last.b[1], next.b[0]);
  return between.length <= nearChars && !/[\s<>"'=]/.test(between);
}

interface Word {
  readonly text: string;
  readonly at: number;
}

/** Matches a word; a number with separated thousands is one word, as all of its digits change in a counter. */
const word =
  /(?<![\p{L}\p{N}_])\p{Nd}{1,3}(?:[,.'’\u00A0\u202F\u066C]\p{Nd}{3})+(?![\p{L}\p{N}_])|[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu;

function wordsOf(text: string): Word[] {
  return [...text.matchAll(word)].map((match) => ({
    text: match[0],
    at: match.index,
  }));
}

function placeOf(words: readonly Word[], first: number, count: number, text: string): Range {
  const from = words[first]?.at ?? text.length;
  const last = words[first + count - 1];
  return count === 0 ? [from, from] : [from, last === undefined ? text.length : last.at + last.text.length];
}
