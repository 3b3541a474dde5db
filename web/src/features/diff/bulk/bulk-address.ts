import { type DiffAddress, readAddress } from "../address.js";

/** What the address of /diff/bulk contains; indices are zero-based, 0 is the latest. */
export interface BulkAddress extends Pick<DiffAddress, "by" | "as" | "view" | "numbers" | "context"> {
  /** Id of the test object; undefined where it is missing. */
  readonly bulk: string | undefined;
  readonly idx1: number;
  readonly idx2: number;
}

/** Reads the address; without indices the second latest is compared with the latest. */
export function readBulkAddress(search: URLSearchParams): BulkAddress {
  const { by, as, view, numbers, context } = readAddress(search);
  return {
    bulk: search.get("bulk")?.trim() || undefined,
    idx1: readIndex(search.get("idx1"), 1),
    idx2: readIndex(search.get("idx2"), 0),
    by,
    as,
    view,
    numbers,
    context,
  };
}

/** Reads an index of at most five digits, which covers what people can mean and the server accepts. */
function readIndex(text: string | null, otherwise: number): number {
  return text !== null && /^\d{1,5}$/.test(text) ? Number(text) : otherwise;
}
