type Range = readonly [from: number, to: number];

/**
 * The most UTF-16 units drawn of one line: a minified page is one line of a megabyte, so that only the surroundings of its marks are
 * drawn until somebody asks for more.
 */
export const drawnChars = 3_000;

/** UTF-16 units that are shown before and after a change. */
const around = 300;

/**
 * Chooses which parts of a long line are drawn: the surroundings of its marks, beginning with the first, until `room` is used up;
 * without marks the line's beginning. The parts are ascending and do not overlap; a line that fits is drawn as a whole.
 * @param opened parts that are drawn in addition
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

/** Merges parts that touch, or have only little text between them. */
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
