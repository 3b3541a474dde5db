import type { PackSize } from "@web-tester/records/search/search-segments";

/** Packs of this much distinct text are large enough: as much as the contents that may wait for packing (`waitingMax`). */
const closedBytes = 6 * 1024 * 1024;
/** The same while more contents come in: they should not wait for merges that take seconds. */
const closedForNowBytes = 2 * 1024 * 1024;
/** Above this many packs the longer merges are worth it: each pack costs a search some reads. */
const packsForNowMax = 128;
const mergedMaxBytes = 24 * 1024 * 1024;
const smallestBytes = 256 * 1024;
/** This many packs of one size become one of the next size: text is rewritten once per size. */
const fanIn = 4;

/**
 * Returns the packs to merge into one: those of the smallest size that has several, or a single pack half of whose
 * documents are no longer wanted. Null where nothing is to be done.
 * @param more whether more contents come in
 */
export function planMerge(packs: readonly PackSize[], more = false): PackSize[] | null {
  const wasted = packs.find(({ documents, live }) => live * 2 < documents);
  if (wasted !== undefined) return [wasted];
  const closed = more && packs.length <= packsForNowMax ? closedForNowBytes : closedBytes;
  const levels = Map.groupBy(
    packs.filter(({ textBytes }) => textBytes < closed),
    levelOf,
  );
  for (const level of [...levels.keys()].toSorted((one, other) => one - other)) {
    const group = levels.get(level) ?? [];
    if (group.length < fanIn) continue;
    const taken: PackSize[] = [];
    let bytes = 0;
    for (const pack of group) {
      if (bytes + pack.textBytes > mergedMaxBytes) break;
      taken.push(pack);
      bytes += pack.textBytes;
    }
    if (taken.length > 1) return taken;
  }
  return null;
}

function levelOf({ textBytes }: PackSize): number {
  return Math.max(0, Math.floor(Math.log(textBytes / smallestBytes) / Math.log(fanIn)) + 1);
}
