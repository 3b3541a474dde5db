/** How far something holds, going from a place in one direction. */
export interface Boundary {
  /** The last place at which it holds. */
  last: number;
  /** The place next to `last` at which it does not hold; null where it holds to the end. */
  otherwise: number | null;
  /** Places between the first one and `last` that were skipped, and taken to be like the ones around them. */
  passed: number;
}

/**
 * Finds the place at which something stops to hold: place by place as long as `mayLook` allows it, then in steps that
 * double, then by bisection. Both places in the result were checked and are neighbours. Of the `n` places after the first
 * ones it checks at most 2 log₂ n.
 * @param from a place at which it holds
 * @param to the end of the list in this direction, inclusive
 */
export async function findBoundary(
  from: number,
  to: number,
  holds: (place: number) => Promise<boolean>,
  mayLook: () => boolean,
): Promise<Boundary> {
  const way = to < from ? -1 : 1;
  const length = Math.abs(to - from);
  let known = 0;
  let otherwise: number | null = null;
  while (known < length && otherwise === null && mayLook()) {
    if (await holds(from + way * (known + 1))) known += 1;
    else otherwise = known + 1;
  }
  /** The places beyond the first ones at which it was seen to hold. */
  const seen = new Set<number>();
  const near = known;
  const hold = async (place: number) => {
    const isSo = await holds(from + way * place);
    if (isSo) seen.add(place);
    return isSo;
  };
  for (let step = 1; known < length && otherwise === null; step *= 2) {
    const next = Math.min(known + step, length);
    if (await hold(next)) known = next;
    else otherwise = next;
  }
  while (otherwise !== null && otherwise - known > 1) {
    const middle = (known + otherwise) >> 1;
    if (await hold(middle)) known = middle;
    else otherwise = middle;
  }
  const passed = known - near - seen.size;
  return { last: from + way * known, otherwise: otherwise === null ? null : from + way * otherwise, passed };
}
