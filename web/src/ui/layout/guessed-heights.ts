/**
 * Remembers how high each row of a list is likely to be: every row that turns out otherwise has all rows after it added up anew.
 * @param guess height of a row in px, asked for once
 */
export function guessedHeights(count: number, guess: (index: number) => number): (index: number) => number {
  const heights = new Float64Array(count);
  return (index) => (heights[index] ||= guess(index));
}
