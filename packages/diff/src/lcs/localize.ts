import type { Box } from "./box.js";

/**
 * A box as two separate sequences: tokens are numbered 0…ids-1 in the order of `a`; `ids` in `b` stands for tokens that
 * `a` lacks.
 */
export interface LocalBox {
  readonly a: Int32Array;
  readonly b: Int32Array;
  readonly ids: number;
  /** The number of pairs of equal tokens. */
  readonly matches: number;
}

/**
 * Renumbers the tokens of a box, so that engines need memory for this box only. `scratch`: one zero per token of the whole
 * comparison; zero again afterwards.
 */
export function localize(allA: Int32Array, allB: Int32Array, box: Box, scratch: Int32Array): LocalBox {
  const a = new Int32Array(box.aHi - box.aLo);
  const b = new Int32Array(box.bHi - box.bLo);
  const counts = new Int32Array(a.length);
  let ids = 0;
  for (let i = 0; i < a.length; i++) {
    const token = allA[box.aLo + i] ?? 0;
    let number = scratch[token] ?? 0;
    if (number === 0) {
      number = ++ids;
      scratch[token] = number;
    }
    a[i] = number - 1;
    counts[number - 1] = (counts[number - 1] ?? 0) + 1;
  }
  let matches = 0;
  for (let j = 0; j < b.length; j++) {
    const number = scratch[allB[box.bLo + j] ?? 0] ?? 0;
    b[j] = number === 0 ? ids : number - 1;
    if (number > 0) matches += counts[number - 1] ?? 0;
  }
  for (let i = box.aLo; i < box.aHi; i++) scratch[allA[i] ?? 0] = 0;
  return { a, b, ids, matches };
}

/** Returns how many tokens of a box could be common if their order did not matter. `scratch` as for `localize`. */
export function mostCommon(a: Int32Array, b: Int32Array, box: Box, scratch: Int32Array): number {
  let common = 0;
  for (let i = box.aLo; i < box.aHi; i++) scratch[a[i] ?? 0] = (scratch[a[i] ?? 0] ?? 0) + 1;
  for (let j = box.bLo; j < box.bHi; j++) {
    const token = b[j] ?? 0;
    const left = scratch[token] ?? 0;
    if (left <= 0) continue;
    scratch[token] = left - 1;
    common++;
  }
  for (let i = box.aLo; i < box.aHi; i++) scratch[a[i] ?? 0] = 0;
  return common;
}
