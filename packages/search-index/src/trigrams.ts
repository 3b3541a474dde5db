/** The number of rows that trigrams of bytes are spread over: a frame of text has a tenth of them. */
export const filterRows = 1 << 15;

/** The row of three bytes in a row. */
export function trigramRow(trigram: number): number {
  return (Math.imul(trigram, 0x9e3779b1) >>> 17) & (filterRows - 1);
}

/** Distinct rows that a frame with this text has set, at most `max`. Empty below three bytes. */
export function rowsOf(text: Uint8Array, max: number): number[] {
  const rows = new Set<number>();
  let trigram = ((text[0] ?? 0) << 8) | (text[1] ?? 0);
  for (let at = 2; at < text.length && rows.size < max; at += 1) {
    trigram = ((trigram << 8) | (text[at] ?? 0)) & 0xffffff;
    rows.add(trigramRow(trigram));
  }
  return [...rows];
}
