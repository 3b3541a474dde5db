import { rowsPerMessageMax } from "@web-tester/contracts/messages";

/**
 * Splits rows over messages. The rows of one message are worked on one after the other: few rows make small messages,
 * so that a small site uses all slots of its host; many rows make large ones, which cost fewer statements and
 * acknowledgements.
 * @param slots messages of one host that may be in flight
 * @param most rows of one message
 */
export function chunkRows<Row>(rows: readonly Row[], slots: number, most: number = rowsPerMessageMax): Row[][] {
  const size = Math.min(most, Math.max(1, Math.ceil(rows.length / (slots * 2))));
  const chunks: Row[][] = [];
  for (let start = 0; start < rows.length; start += size) chunks.push(rows.slice(start, start + size));
  return chunks;
}

/** Groups rows by host, then splits each group. All rows must belong to one partition. */
export function chunkByHost<Row extends { host: string; partition: number }>(
  rows: readonly Row[],
  slots: number,
  most?: number,
): { host: string; partition: number; rows: Row[] }[] {
  const groups = Map.groupBy(rows, (row) => row.host);
  return [...groups].flatMap(([host, group]) =>
    chunkRows(group, slots, most).map((chunk) => ({ host, partition: chunk[0]?.partition ?? 0, rows: chunk })),
  );
}
