import { type ChangeCount, countChangedLines } from "@web-tester/diff/lines/count-changes";
import type { CompareLimits } from "@web-tester/diff/limits";
import { differingHeads, type PageHead } from "@web-tester/html/links/page-head";
import { utf8As } from "@web-tester/html/charset/decode-as";
import type { Document } from "./packed-documents.js";

export type DocumentPair = readonly [older: Document, newer: Document];

/** Both documents together, in bytes; numbering their lines takes some 5 ms at most. */
const atOnceMaxBytes = 512 * 1024;
/** A quarter of these is for lines: some 3 ms. */
const atOnceSteps = 4_000_000;

/** How two documents differ; `heads` is what their heads say, where these differ. */
export type PairCount = ChangeCount & { heads: readonly [older: PageHead, newer: PageHead] | null };

/** Changed lines between two documents. */
export function countPair([older, newer]: DocumentPair, limits?: CompareLimits): PairCount {
  const [one, other] = [utf8As(older.bytes, older.charset), utf8As(newer.bytes, newer.charset)];
  return { ...countChangedLines(one, other, limits), heads: differingHeads(one, other) };
}

/**
 * As `countPair` counts, for a thread that has other work: most pages take less time than handing them to another thread.
 * @returns null where it would take long
 */
export function countAtOnce(pair: DocumentPair): PairCount | null {
  const [older, newer] = pair;
  if (older.bytes.length + newer.bytes.length > atOnceMaxBytes) return null;
  const count = countPair(pair, { maxSteps: atOnceSteps });
  return count.coarse ? null : count;
}
