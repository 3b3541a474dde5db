import { type ChangeCount, countChangedLines } from "@web-tester/diff/lines/count-changes";
import { differingHeads, type PageHead } from "@web-tester/html/links/page-head";
import { utf8As } from "@web-tester/html/charset/decode-as";
import { type Asked, type PairSignal, signalOf } from "./pair-signal.js";
import type { Document } from "./packed-documents.js";

export type DocumentPair = readonly [older: Document, newer: Document];

/** How two documents differ; `heads` holds both heads where they differ, else null. */
export type PairCount = ChangeCount & { heads: readonly [older: PageHead, newer: PageHead] | null; signal: PairSignal };

/** Counts the changed lines between two documents, and tells which of their changes matter. */
export function countPair(pair: DocumentPair, asked: Asked): PairCount {
  const [older, newer] = pair;
  const [one, other] = [utf8As(older.bytes, older.charset), utf8As(newer.bytes, newer.charset)];
  return { ...countChangedLines(one, other), heads: differingHeads(one, other), signal: signalOf(pair, asked) };
}
