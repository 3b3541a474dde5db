import type { Mask } from "./mask-page.js";
import type { Range } from "./page.js";

/** A page without what does not count. */
export interface Left {
  readonly text: string;
  /** The parts of the page that it was put together from, in its order. */
  readonly pieces: readonly Range[];
}

/** Puts together what a mask leaves of a page; elements whose order does not matter stand in the order of what is left of them. */
export function whatIsLeft(html: string, mask: Mask): Left {
  if (mask.masked.length === 0 && mask.orders.length === 0) return { text: html, pieces: [[0, html.length]] };
  const composer = new Composer(html, mask);
  const pieces = composer.part(0, html.length);
  return { text: textOf(html, pieces), pieces };
}

function textOf(html: string, pieces: readonly Range[]): string {
  return pieces.map(([from, to]) => html.slice(from, to)).join("");
}

class Composer {
  #nextOrder = 0;

  constructor(
    readonly html: string,
    readonly mask: Mask,
  ) {}

  /** Pieces that are left of a part. Orders are taken as they come, outer ones before those inside them. */
  part(from: number, to: number): Range[] {
    const found: Range[] = [];
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
  #ordered(items: readonly Range[], into: Range[]): number {
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

  #unmasked(from: number, to: number): Range[] {
    const { masked } = this.mask;
    const found: Range[] = [];
    let at = from;
    for (let index = firstBehind(masked, from); index < masked.length; index += 1) {
      const range = masked[index];
      if (range === undefined || range.from >= to) break;
      if (range.from > at) found.push([at, range.from]);
      at = Math.max(at, range.to);
    }
    if (at < to) found.push([at, to]);
    return found;
  }
}

/** The first range that ends behind a place. */
function firstBehind(ranges: Mask["masked"], place: number): number {
  let [low, high] = [0, ranges.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ranges[middle]?.to ?? 0) <= place) low = middle + 1;
    else high = middle;
  }
  return low;
}

function plain(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}

/** Finds which parts of the page stretches of what is left come from; to be asked from the beginning to the end. */
export class LeftPlaces {
  readonly #starts: number[] = [];

  constructor(readonly left: Left) {
    let at = 0;
    for (const [from, to] of left.pieces) {
      this.#starts.push(at);
      at += to - from;
    }
  }

  /** @param from, to places in what is left */
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
      const [start, end] = this.left.pieces[index] ?? [0, 0];
      const shift = start - (starts[index] ?? 0);
      const [partFrom, partTo] = [Math.max(start, from + shift), Math.min(end, to + shift)];
      if (partTo > partFrom) found.push([partFrom, partTo]);
    }
    return found;
  }
}
