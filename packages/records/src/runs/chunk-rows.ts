import { rowsPerMessageMax } from "@web-tester/contracts/messages";

/**
 * Splits rows over messages. The rows of one message are processed one after the other: few rows become small messages, so that a small
 * site uses all slots of its host; many rows become large ones, which cost fewer statements and acknowledgements.
 * @param slots messages of one host that may be in flight
 * @param most the most rows of one message
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

/**
 * Pages of one `fetch` message when few are queued: a small number, so that the pages of slow hosts spread over all fetchers and no fetcher
 * ends long after the others.
 */
export const pagesPerFetchMin = 8;

/**
 * Returns the pages of one `fetch` message: the more are queued at once, the more, because each message costs a claim, a place at its host
 * and an acknowledgement, and the time of the last messages is then short compared with the whole.
 * @param queued number of pages that are queued together
 */
export const pagesPerFetch = (queued: number): number =>
  Math.min(rowsPerMessageMax, Math.max(pagesPerFetchMin, Math.floor(queued / 256)));
