type Range = readonly [from: number, to: number];

/** A minified page is one line of a megabyte: only what surrounds its marks is drawn until asked for more. In UTF-16 units. */
export const drawnChars = 3_000;

/** UTF-16 units that are shown on both sides of a change. */
const around = 300;

/**
 * Which parts of a long line are drawn: what surrounds its marks, from the first on until `room` is used up; without marks its
 * beginning. Ascending and apart; all of a line that has room.
 * @param opened parts that are to be drawn besides
 */
export function windowsOf(length: number, room: number, marks: readonly Range[], opened: readonly Range[]): Range[] {
  if (length <= room) return [[0, length]];
  const wanted: Range[] = [];
  let left = room;
  for (const [from, to] of marks) {
    if (left <= 0) break;
    const start = Math.max(0, from - around);
    const end = Math.min(length, to + around, start + Math.max(left, 2 * around));
    wanted.push([start, end]);
    left -= end - start;
  }
  return joined([...(wanted.length === 0 ? [[0, room] satisfies Range] : wanted), ...opened], length);
}

/** Parts that touch, or between which hardly anything is left out, as one. */
function joined(parts: readonly Range[], length: number): Range[] {
  const found: [number, number][] = [];
  for (const [from, to] of parts.toSorted(([a], [b]) => a - b)) {
    const last = found.at(-1);
    if (last !== undefined && from <= last[1] + around) last[1] = Math.max(last[1], to);
    else found.push([from <= around ? 0 : from, to]);
  }
  const end = found.at(-1);
  if (end !== undefined && length - end[1] <= around) end[1] = length;
  return found;
}
