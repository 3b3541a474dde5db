import type { Box } from "./box.js";

/** Where to cut a box in two, and what is known about the parts. */
export interface Cut {
  readonly a: number;
  readonly b: number;
  /** The cut lies on a shortest path. Otherwise the cap was hit and the cut is the furthest point reached from one end. */
  readonly exact: boolean;
  /** Upper bounds for the edits in the part before and after the cut; -1 where unknown. */
  readonly before: number;
  readonly after: number;
  /** Elementary steps taken. */
  readonly steps: number;
}

const FAR = 0x7fffffff;

/**
 * Finds the middle of a shortest edit path by searching from both ends at once, in linear space.
 * The box must not be empty on either side, and its first and last tokens must differ (ends trimmed).
 * Source: E. W. Myers, "An O(ND) Difference Algorithm and Its Variations" (1986), section 4b; the loop follows git's xdiff.
 * @param forward, backward scratch of at least `a.length + b.length + 3` entries; `base` is added to every diagonal (index in a − index in b).
 * @param cap edits per direction after which the search settles for the furthest point.
 */
export function middleCut(a: Int32Array, b: Int32Array, box: Box, forward: Int32Array, backward: Int32Array, base: number, cap: number, maxSteps: number): Cut {
  const { aLo, aHi, bLo, bHi } = box;
  const lowest = aLo - bHi + base;
  const highest = aHi - bLo + base;
  const start = aLo - bLo + base;
  const end = aHi - bHi + base;
  const odd = ((start - end) & 1) !== 0;
  let fMin = start;
  let fMax = start;
  let bMin = end;
  let bMax = end;
  let steps = 0;
  forward[start] = aLo;
  backward[end] = aHi;

  for (let edits = 1; ; edits++) {
    if (fMin > lowest) forward[--fMin - 1] = -1;
    else fMin++;
    if (fMax < highest) forward[++fMax + 1] = -1;
    else fMax--;
    for (let d = fMax; d >= fMin; d -= 2) {
      const fromBelow = forward[d - 1] ?? 0;
      const fromAbove = forward[d + 1] ?? 0;
      const from = fromBelow >= fromAbove ? fromBelow + 1 : fromAbove;
      let i = from;
      let j = i - d + base;
      while (i < aHi && j < bHi && a[i] === b[j]) {
        i++;
        j++;
      }
      steps += i - from;
      forward[d] = i;
      if (odd && d >= bMin && d <= bMax && (backward[d] ?? 0) <= i) return { a: i, b: j, exact: true, before: edits, after: edits - 1, steps };
    }
    steps += ((fMax - fMin) >> 1) + 1;

    if (bMin > lowest) backward[--bMin - 1] = FAR;
    else bMin++;
    if (bMax < highest) backward[++bMax + 1] = FAR;
    else bMax--;
    for (let d = bMax; d >= bMin; d -= 2) {
      const fromBelow = backward[d - 1] ?? 0;
      const fromAbove = backward[d + 1] ?? 0;
      const from = fromBelow < fromAbove ? fromBelow : fromAbove - 1;
      let i = from;
      let j = i - d + base;
      while (i > aLo && j > bLo && a[i - 1] === b[j - 1]) {
        i--;
        j--;
      }
      steps += from - i;
      backward[d] = i;
      if (!odd && d >= fMin && d <= fMax && i <= (forward[d] ?? 0)) return { a: i, b: j, exact: true, before: edits, after: edits, steps };
    }
    steps += ((bMax - bMin) >> 1) + 1;

    if (edits >= cap || steps > maxSteps) return furthest(box, forward, backward, base, [fMin, fMax, bMin, bMax], edits, steps);
  }
}

/** The cap was hit: cut where one of the two searches got furthest. Every such cut takes at least `edits` tokens off the box. */
function furthest(box: Box, forward: Int32Array, backward: Int32Array, base: number, [fMin, fMax, bMin, bMax]: [number, number, number, number], edits: number, steps: number): Cut {
  const { aLo, aHi, bLo, bHi } = box;
  let ahead = aLo + bLo;
  let aheadA = aLo;
  for (let d = fMin; d <= fMax; d += 2) {
    let i = Math.min(forward[d] ?? 0, aHi);
    let j = i - d + base;
    if (j > bHi) {
      j = bHi;
      i = j + d - base;
    }
    if (i >= aLo && j >= bLo && i + j > ahead) {
      ahead = i + j;
      aheadA = i;
    }
  }
  let back = aHi + bHi;
  let backA = aHi;
  for (let d = bMin; d <= bMax; d += 2) {
    let i = Math.max(backward[d] ?? 0, aLo);
    let j = i - d + base;
    if (j < bLo) {
      j = bLo;
      i = j + d - base;
    }
    if (i <= aHi && j <= bHi && i + j < back) {
      back = i + j;
      backA = i;
    }
  }
  return ahead - (aLo + bLo) >= aHi + bHi - back
    ? { a: aheadA, b: ahead - aheadA, exact: false, before: edits, after: -1, steps }
    : { a: backA, b: back - backA, exact: false, before: -1, after: edits, steps };
}
