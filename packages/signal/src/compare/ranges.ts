import type { Range } from "../mask/page.js";

/** A set of ranges of a page that can be tested for overlap. */
export class Ranges {
  readonly #from: number[] = [];
  readonly #to: number[] = [];

  constructor(ranges: readonly Range[]) {
    for (const [from, to] of ranges.toSorted((a, b) => a[0] - b[0])) {
      const last = this.#to.length - 1;
      if (last >= 0 && from <= (this.#to[last] ?? 0)) this.#to[last] = Math.max(this.#to[last] ?? 0, to);
      else {
        this.#from.push(from);
        this.#to.push(to);
      }
    }
  }

  some(isSo: (from: number, to: number) => boolean): boolean {
    return this.#from.some((from, index) => isSo(from, this.#to[index] ?? from));
  }

  overlap(from: number, to: number): boolean {
    const ends = this.#to;
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((ends[middle] ?? 0) <= from) low = middle + 1;
      else high = middle;
    }
    return low < ends.length && (this.#from[low] ?? 0) < to;
  }
}
