import type { PackSize } from "@web-tester/records/search/search-segments";

/** Packs of this much distinct text are large enough: what waits at most (`waitingMax`) has about as much. */
const closedBytes = 6 * 1024 * 1024;
/** The same while more contents come in: these wait for no merge that takes seconds. */
const closedForNowBytes = 2 * 1024 * 1024;
/** From here on the merges that take longer are worth it: each pack costs a search some reads. */
const packsForNowMax = 128;
const mergedMaxBytes = 24 * 1024 * 1024;
const smallestBytes = 256 * 1024;
/** This many of one size become one of the next: text is rewritten once for each size. */
const fanIn = 4;

/**
 * Packs that should become one: the least of those of one size where there are several, or a pack of which half is not
 * wanted any more. Null where all is well.
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
