/**
 * Caches how high each row of a list is likely to be: every row that turns out to have another height makes the positions of all rows
 * after it be computed again.
 * @param guess height of a row in px, asked for once
 */
export function guessedHeights(count: number, guess: (index: number) => number): (index: number) => number {
  const heights = new Float64Array(count);
  return (index) => (heights[index] ||= guess(index));
}
