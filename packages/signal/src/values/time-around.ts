import { LRUCache } from "lru-cache";
import { momentAround } from "./moments.js";
import { relativeTimeAround } from "./relative-time.js";

/** How far around a place its date or time is looked for, in characters. */
const nearChars = 60;
/** A place that is longer than this is part of no date or time. */
const placeMaxChars = 200;
/** Looking takes 0.1 to 1 ms, and the same places are asked for by each of the ways to learn rules. */
const known = new LRUCache<string, { range: readonly [number, number] | null }>({ max: 5_000 });

/**
 * Returns the range of the date, the time or the relative time that a place in a text is part of; null where there is none.
 * @param from, to the range of the place
 */
export function timeAround(text: string, from: number, to: number): readonly [number, number] | null {
  if (to - from > placeMaxChars) return null;
  const begin = Math.max(0, from - nearChars);
  const near = text.slice(begin, to + nearChars);
  const [start, end] = [from - begin, to - begin];
  const key = `${start} ${end} ${near}`;
  let found = known.get(key);
  if (found === undefined) {
    found = { range: relativeTimeAround(near, start, end) ?? momentAround(near, start, end) };
    known.set(key, found);
  }
  const { range } = found;
  return range === null ? null : [begin + range[0], begin + range[1]];
}
