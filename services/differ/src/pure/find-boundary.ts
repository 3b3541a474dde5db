/** How far something holds, going from a place in one direction. */
export interface Boundary {
  /** The last place at which it holds. */
  last: number;
  /** The place next to it at which it does not; null where it holds to the end. */
  otherwise: number | null;
}

/**
 * Looks for the place at which something stops to hold: in steps that double, then by halves. Both places that it gives were looked
 * at and are neighbours; those that were passed are taken to be as the ones around them. Of `n` places it looks at 2 log₂ n at most.
 * @param from it holds here
 * @param to the end of the list in this direction, inclusive
 */
export async function findBoundary(
  from: number,
  to: number,
  holds: (place: number) => Promise<boolean>,
): Promise<Boundary> {
  const way = to < from ? -1 : 1;
  const length = Math.abs(to - from);
  let known = 0;
  let otherwise: number | null = null;
  for (let step = 1; known < length && otherwise === null; step *= 2) {
    const next = Math.min(known + step, length);
    if (await holds(from + way * next)) known = next;
    else otherwise = next;
  }
  while (otherwise !== null && otherwise - known > 1) {
    const middle = (known + otherwise) >> 1;
    if (await holds(from + way * middle)) known = middle;
    else otherwise = middle;
  }
  return { last: from + way * known, otherwise: otherwise === null ? null : from + way * otherwise };
}
