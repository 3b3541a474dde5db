import type { Mask } from "./mask-page.js";
import type { Range } from "./page.js";

/** A part of a page that counts, or the place of a hidden value, which is replaced by `standIn`. */
interface Piece {
  readonly range: Range;
  readonly isValue: boolean;
}

/**
 * Replaces a hidden value, so that a removed value differs from a changed one. No page contains it, as it is no character,
 * and no person is shown it.
 */
export const standIn = "\uFFFF";

/** A page without the parts that do not count. */
export interface Left {
  readonly text: string;
  /** The parts of the page that it is composed of, in its order. */
  readonly pieces: readonly Piece[];
}

/** Composes what a mask leaves of a page; elements whose order does not matter are sorted by what is left of them. */
export function whatIsLeft(html: string, mask: Mask): Left {
  if (mask.masked.length === 0 && mask.orders.length === 0) return { text: html, pieces: [whole(0, html.length)] };
  const composer = new Composer(html, mask);
  const pieces = composer.part(0, html.length);
  return { text: textOf(html, pieces), pieces };
}

const whole = (from: number, to: number): Piece => ({ range: [from, to], isValue: false });
const lengthOf = ({ range: [from, to], isValue }: Piece): number => (isValue ? standIn.length : to - from);

function textOf(html: string, pieces: readonly Piece[]): string {
  return pieces.map(({ range, isValue }) => (isValue ? standIn : html.slice(...range))).join("");
}

class Composer {
  #nextOrder = 0;

  constructor(
    readonly html: string,
    readonly mask: Mask,
  ) {}

  /** Returns the pieces that are left of a part. Orders are processed in sequence, outer ones before those inside them. */
  part(from: number, to: number): Piece[] {
    const found: Piece[] = [];
    let at = from;
    for (;;) {
      const order = this.mask.orders[this.#nextOrder];
      const first = order?.items[0];
      if (order === undefined || first === undefined || first[0] >= to) break;
      this.#nextOrder += 1;
      if (first[0] < at) continue;
      for (const piece of this.#unmasked(at, first[0])) found.push(piece);
      at = this.#ordered(order.items, found);
    }
    for (const piece of this.#unmasked(at, to)) found.push(piece);
    return found;
  }

  /** @returns the end of the last item */
  #ordered(items: readonly Range[], into: Piece[]): number {
    const parts = items.map(([from, to], index) => {
      const pieces = this.part(from, to);
      const next = items[index + 1];
      return {
        pieces,
        text: plain(textOf(this.html, pieces)),
        behind: next === undefined ? [] : this.#unmasked(to, next[0]),
      };
    });
    const sorted = parts.toSorted((a, b) => (a.text < b.text ? -1 : a.text > b.text ? 1 : 0));
    for (const [index, { pieces }] of sorted.entries())
      for (const piece of [...pieces, ...(parts[index]?.behind ?? [])]) into.push(piece);
    return items.at(-1)?.[1] ?? 0;
  }

  #unmasked(from: number, to: number): Piece[] {
    const { masked } = this.mask;
    const found: Piece[] = [];
    let at = from;
    for (let index = firstBehind(masked, from); index < masked.length; index += 1) {
      const range = masked[index];
      if (range === undefined || range.from >= to) break;
      if (range.from > at) found.push(whole(at, range.from));
      if (range.isValue === true && range.from >= at) found.push({ range: [range.from, range.to], isValue: true });
      at = Math.max(at, range.to);
    }
    if (at < to) found.push(whole(at, to));
    return found;
  }
}

/** Returns the index of the first range that ends after a place, or is empty and at it. */
function firstBehind(ranges: Mask["masked"], place: number): number {
  let [low, high] = [0, ranges.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const { from = 0, to = 0 } = ranges[middle] ?? {};
    if (to < place || (to === place && from < place)) low = middle + 1;
    else high = middle;
  }
  return low;
}

function plain(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}

/** Maps stretches of what is left back to the parts of the page that they come from. */
export class LeftPlaces {
  readonly #starts: number[] = [];

  constructor(readonly left: Left) {
    let at = 0;
    for (const piece of left.pieces) {
      this.#starts.push(at);
      at += lengthOf(piece);
    }
  }

  /** @param from, to the range in what is left */
  partsOf(from: number, to: number): Range[] {
    const starts = this.#starts;
    let [low, high] = [0, starts.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((starts[middle] ?? 0) <= from) low = middle + 1;
      else high = middle;
    }
    const found: Range[] = [];
    for (let index = Math.max(0, low - 1); index < starts.length && (starts[index] ?? 0) < to; index += 1) {
      const { range, isValue } = this.left.pieces[index] ?? whole(0, 0);
      if (isValue) {
        if ((starts[index] ?? 0) >= from) found.push(range);
        continue;
      }
      const [start, end] = range;
      const shift = start - (starts[index] ?? 0);
      const [partFrom, partTo] = [Math.max(start, from + shift), Math.min(end, to + shift)];
      if (partTo > partFrom) found.push([partFrom, partTo]);
    }
    return found;
  }
}
