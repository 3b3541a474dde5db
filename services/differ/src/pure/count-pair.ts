import { type ChangeCount, countChangedLines } from "@web-tester/diff/lines/count-changes";
import type { CompareLimits } from "@web-tester/diff/limits";
import { utf8As } from "@web-tester/html/charset/decode-as";
import type { Document } from "./packed-documents.js";

export type DocumentPair = readonly [older: Document, newer: Document];

/** Both documents together, in bytes; numbering their lines takes some 5 ms at most. */
const atOnceMaxBytes = 512 * 1024;
/** A quarter of these is for lines: some 3 ms. */
const atOnceSteps = 4_000_000;

/** Changed lines between two documents. */
export function countPair([older, newer]: DocumentPair, limits?: CompareLimits): ChangeCount {
  return countChangedLines(utf8As(older.bytes, older.charset), utf8As(newer.bytes, newer.charset), limits);
}

/**
 * As `countPair` counts, for a thread that has other work: most pages take less time than handing them to another thread.
 * @returns null where it would take long
 */
export function countAtOnce(pair: DocumentPair): ChangeCount | null {
  const [older, newer] = pair;
  if (older.bytes.length + newer.bytes.length > atOnceMaxBytes) return null;
  const count = countPair(pair, { maxSteps: atOnceSteps });
  return count.coarse ? null : count;
}
