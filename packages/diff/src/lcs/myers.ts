import type { Box } from "./box.js";

/** The point where a shortest path cuts a box in two. */
interface Cut {
  readonly a: number;
  readonly b: number;
  /** Upper bounds for the edits in the part before and after the cut. */
  readonly before: number;
  readonly after: number;
}

/** The result of the search and its cost: diagonals visited and tokens walked along them. */
export interface Search {
  /** Undefined when the cap was hit first. */
  readonly cut: Cut | undefined;
  readonly steps: number;
  /** Without a cut: a lower bound of the box's edits. */
  readonly atLeast: number;
}

const FAR = 0x7fffffff;

/**
 * Finds the middle of a shortest edit path by searching from both ends at once, in linear space. The box must not be empty
 * on either side, and its first and last tokens must differ (ends trimmed). Source: E. W. Myers, "An O(ND) Difference
 * Algorithm and Its Variations" (1986), section 4b; the loop follows git's xdiff.
 * @param forward, backward scratch of at least `a.length + b.length + 3` entries; `base` is added to every diagonal (index
 * in a − index in b).
 * @param cap edits per direction after which the search gives up, as it also does after `maxSteps`.
 */
export function middleCut(
  a: Int32Array,
  b: Int32Array,
  box: Box,
  forward: Int32Array,
  backward: Int32Array,
  base: number,
  cap: number,
  maxSteps: number,
): Search {
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
    for (let d = fMax, above = forward[fMax + 1] ?? 0; d >= fMin; d -= 2) {
      const below = forward[d - 1] ?? 0;
      const from = below >= above ? below + 1 : above;
      above = below;
      let i = from;
      let j = i - d + base;
      while (i < aHi && j < bHi && a[i] === b[j]) {
        i++;
        j++;
      }
      steps += i - from;
      forward[d] = i;
      if (odd && d >= bMin && d <= bMax && (backward[d] ?? 0) <= i)
        return { cut: { a: i, b: j, before: edits, after: edits - 1 }, steps, atLeast: 0 };
    }
    steps += ((fMax - fMin) >> 1) + 1;

    if (bMin > lowest) backward[--bMin - 1] = FAR;
    else bMin++;
    if (bMax < highest) backward[++bMax + 1] = FAR;
    else bMax--;
    for (let d = bMax, above = backward[bMax + 1] ?? 0; d >= bMin; d -= 2) {
      const below = backward[d - 1] ?? 0;
      const from = below < above ? below : above - 1;
      above = below;
      let i = from;
      let j = i - d + base;
      while (i > aLo && j > bLo && a[i - 1] === b[j - 1]) {
        i--;
        j--;
      }
      steps += from - i;
      backward[d] = i;
      if (!odd && d >= fMin && d <= fMax && i <= (forward[d] ?? 0))
        return { cut: { a: i, b: j, before: edits, after: edits }, steps, atLeast: 0 };
    }
    steps += ((bMax - bMin) >> 1) + 1;

    if (edits >= cap || steps > maxSteps) return { cut: undefined, steps, atLeast: 2 * edits };
  }
}
