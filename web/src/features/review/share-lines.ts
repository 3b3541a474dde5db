import type { LifecycleEntry, LifecycleKind } from "@web-tester/contracts/entities/lifecycle";

/** The pages of one kind that are shown, and how many there are. */
export interface KindShown {
  kind: LifecycleKind;
  shown: LifecycleEntry[];
  total: number;
}

/** What somebody has to know comes first: thousands of new pages must not hide the one that is gone. */
const order: readonly LifecycleKind[] = ["gone", "moved", "unlinked", "flapping", "back", "new"];

/**
 * Shares a few lines among kinds of pages in turn, so that each kind has some.
 * @param items the newest of each kind @param counts how many there are of each kind @param lines at most so many pages
 */
export function shareLines(
  items: readonly LifecycleEntry[],
  counts: Readonly<Partial<Record<LifecycleKind, number>>>,
  lines: number,
): KindShown[] {
  const kinds = order
    .map((kind) => ({ kind, of: items.filter((item) => item.kind === kind), many: 0 }))
    .filter(({ of }) => of.length > 0);
  let left = lines;
  while (left > 0 && kinds.some(({ of, many }) => many < of.length))
    for (const each of kinds) {
      if (left === 0 || each.many === each.of.length) continue;
      each.many += 1;
      left -= 1;
    }
  return kinds.map(({ kind, of, many }) => {
    const total = counts[kind] ?? of.length;
    // a line that says "1 more" has room for that one
    return { kind, shown: of.slice(0, total - many === 1 ? total : many), total };
  });
}
