import { type ChangeCount, countChangedLines } from "@web-tester/diff/lines/count-changes";
import type { CompareLimits } from "@web-tester/diff/limits";
import { differingHeads, type PageHead } from "@web-tester/html/links/page-head";
import { utf8As } from "@web-tester/html/charset/decode-as";
import { type Asked, type PairSignal, signalOf } from "./pair-signal.js";
import type { Document } from "./packed-documents.js";

export type DocumentPair = readonly [older: Document, newer: Document];

/** Both documents together, in bytes; numbering their lines takes some 5 ms at most. */
const atOnceMaxBytes = 512 * 1024;
/** Both documents together, where they are formatted as well. */
const signalAtOnceMaxBytes = 128 * 1024;
/** A quarter of these is for lines: some 3 ms. */
const atOnceSteps = 4_000_000;

/** How two documents differ; `heads` is what their heads say, where these differ. */
export type PairCount = ChangeCount & { heads: readonly [older: PageHead, newer: PageHead] | null; signal: PairSignal };

/** Changed lines between two documents, and which of their changes matter. */
export function countPair(pair: DocumentPair, asked: Asked, limits?: CompareLimits): PairCount {
  return { ...countLines(pair, limits), signal: signalOf(pair, asked) };
}

function countLines([older, newer]: DocumentPair, limits?: CompareLimits): Omit<PairCount, "signal"> {
  const [one, other] = [utf8As(older.bytes, older.charset), utf8As(newer.bytes, newer.charset)];
  return { ...countChangedLines(one, other, limits), heads: differingHeads(one, other) };
}

/**
 * As `countPair` counts, for a thread that has other work: most pages take less time than handing them to another thread.
 * @returns null where it would take long, or may: rules are somebody's expressions
 */
export function countAtOnce(pair: DocumentPair, asked: Asked): PairCount | null {
  const [older, newer] = pair;
  const bytes = older.bytes.length + newer.bytes.length;
  if (bytes > atOnceMaxBytes || asked.rules.length > 0 || bytes > signalAtOnceMaxBytes) return null;
  const count = countLines(pair, { maxSteps: atOnceSteps });
  return count.coarse ? null : { ...count, signal: signalOf(pair, asked, { maxSteps: atOnceSteps }) };
}
