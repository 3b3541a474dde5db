/** A pseudo-random dice, repeatable by its seed. */
export function dice(seed: number): (sides: number) => number {
  let state = (seed * 2_654_435_761) >>> 0;
  const roll = (sides: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * sides);
  };
  for (let warm = 0; warm < 5; warm += 1) roll(2);
  return roll;
}

/** The text of a page that never differs. */
export const prose = (page: number) =>
  Array.from({ length: 30 }, (_, index) => `<p>Paragraph ${index} of page ${page} says what it has to say.</p>`).join(
    "\n",
  );
