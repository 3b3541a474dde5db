import { PieceFinder } from "./piece-finder.js";

/**
 * Compiles patterns into a function that finds the first one that matches a whole text; `*` stands for any run of characters, including the
 * empty one. All patterns are matched together, so that thousands cost little more than one: those without a star are looked up in a map,
 * those with one star at the end by binary search, and the pieces between the stars of the others are found in one pass over the text.
 * @returns a function that returns an index into `patterns`, or -1
 */
export function wildcardSet(patterns: readonly string[]): (text: string) => number {
  const exact = new Map<string, number>();
  const prefixes: Numbered[] = [];
  const scattered: Numbered[] = [];
  patterns.forEach((written, number) => {
    const text = written.replaceAll(/\*{2,}/g, "*");
    const star = text.indexOf("*");
    if (star === -1) exact.set(text, Math.min(number, exact.get(text) ?? number));
    else if (star === text.length - 1) prefixes.push({ text: text.slice(0, -1), number });
    else scattered.push({ text, number });
  });
  const firstPrefix = prefixes.length === 0 ? null : prefixFinder(prefixes);
  const firstScattered = scattered.length === 0 ? null : scatteredFinder(scattered);
  return (text) => {
    let best = exact.get(text) ?? none;
    if (firstPrefix !== null) best = Math.min(best, firstPrefix(text));
    if (firstScattered !== null) best = firstScattered(text, best);
    return best === none ? -1 : best;
  };
}

interface Numbered {
  text: string;
  number: number;
}

const none = Number.MAX_SAFE_INTEGER;

/**
 * Finds the smallest number of all prefixes that a text begins with. Takes time logarithmic in the number of prefixes, and linear in the
 * depth of their nesting.
 */
function prefixFinder(prefixes: readonly Numbered[]): (text: string) => number {
  const sorted = prefixes.toSorted((a, b) => (a.text < b.text ? -1 : a.text > b.text ? 1 : a.number - b.number));
  const texts = sorted.map(({ text }) => text);
  /** `parents`: the longest other prefix that this one begins with, or -1; `best`: the smallest number of this prefix and its ancestors. */
  const parents = new Int32Array(texts.length).fill(-1);
  const best = new Int32Array(texts.length);
  const open: number[] = [];
  sorted.forEach(({ text, number }, index) => {
    while (open.length > 0 && !text.startsWith(texts[open.at(-1) ?? 0] ?? "")) open.pop();
    const parent = open.at(-1) ?? -1;
    parents[index] = parent;
    best[index] = parent === -1 ? number : Math.min(number, best[parent] ?? number);
    open.push(index);
  });
  return (text) => {
    let low = 0;
    let high = texts.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((texts[middle] ?? "") <= text) low = middle + 1;
      else high = middle;
    }
    // the greatest prefix not after the text, or one of its ancestors, is the longest prefix of the text
    let index = low - 1;
    const shared = index === -1 ? 0 : sharedLength(texts[index] ?? "", text);
    while (index !== -1 && (texts[index] ?? "").length > shared) index = parents[index] ?? -1;
    return index === -1 ? none : (best[index] ?? none);
  };
}

function sharedLength(one: string, other: string): number {
  let at = 0;
  while (at < one.length && one.charCodeAt(at) === other.charCodeAt(at)) at += 1;
  return at;
}

interface Scattered {
  number: number;
  first: string;
  last: string;
  lengthMin: number;
  /** Numbers (in the finder) of the pieces between the stars. */
  pieces: readonly number[];
  /**
   * State of a pattern during a search: the piece that it waits for, the position where that piece may begin, and the next pattern that
   * waits for the same piece.
   */
  at: number;
  from: number;
  next: Scattered | null;
}

/** Finds patterns with inner stars. The first and last piece of a pattern are anchored, inner pieces are matched leftmost, which is exact. */
function scatteredFinder(patterns: readonly Numbered[]): (text: string, below: number) => number {
  const numbers = new Map<string, number>();
  const compiled = patterns.map(({ text, number }): Scattered => {
    const [first = "", ...rest] = text.split("*");
    const last = rest.pop() ?? "";
    const pieces = rest.map((piece) => {
      const known = numbers.get(piece) ?? numbers.size;
      numbers.set(piece, known);
      return known;
    });
    const lengthMin = text.length - rest.length - 1;
    return { number, first, last, lengthMin, pieces, at: 0, from: 0, next: null };
  });
  const finder = new PieceFinder([...numbers.keys()]);
  const waiting = Array.from({ length: numbers.size }, (): Scattered | null => null);

  function wait(pattern: Scattered): void {
    const piece = pattern.pieces[pattern.at] ?? 0;
    pattern.next = waiting[piece] ?? null;
    waiting[piece] = pattern;
  }

  return (text, below) => {
    let best = below;
    const started: Scattered[] = [];
    for (const pattern of compiled) {
      if (pattern.number >= best) break;
      if (text.length < pattern.lengthMin || !text.startsWith(pattern.first) || !text.endsWith(pattern.last)) continue;
      if (pattern.pieces.length === 0) {
        best = pattern.number;
        break;
      }
      pattern.at = 0;
      pattern.from = pattern.first.length;
      wait(pattern);
      started.push(pattern);
    }
    let open = started.length;
    if (open === 0) return best;
    finder.find(text, (piece, start, end) => {
      let pattern = waiting[piece] ?? null;
      if (pattern === null) return false;
      waiting[piece] = null;
      while (pattern !== null) {
        const { next }: Scattered = pattern;
        if (pattern.number >= best) open -= 1;
        else if (pattern.from > start) wait(pattern);
        else {
          pattern.at += 1;
          pattern.from = end;
          if (pattern.at < pattern.pieces.length) wait(pattern);
          else {
            open -= 1;
            if (end <= text.length - pattern.last.length) best = pattern.number;
          }
        }
        pattern = next;
      }
      return open === 0;
    });
    for (const { pieces, at } of started) waiting[pieces[at] ?? 0] = null;
    return best;
  };
}
