import { go } from "fuzzysort";

export interface FuzzyMatch<T> {
  readonly item: T;
  /** Positions of the matched letters in the label, ascending. */
  readonly indexes: readonly number[];
}

/**
 * Finds the items whose label contains the letters of the query in order, best first; all of them, in their own order, for an empty
 * query. Source: specification §2 (fuzzy subsequence match).
 */
export function fuzzyFilter<T>(
  query: string,
  items: readonly T[],
  labelOf: (item: T) => string,
  limit: number,
): FuzzyMatch<T>[] {
  const wanted = query.trim();
  if (wanted === "") return items.slice(0, limit).map((item) => ({ item, indexes: [] }));
  return go(wanted, items, { key: (item) => labelOf(item), limit, threshold: 0 }).map((result) => ({
    item: result.obj,
    indexes: result.indexes,
  }));
}

/** Cuts a label wherever matched letters begin or end. */
export function fuzzyParts(label: string, indexes: readonly number[]): { text: string; matched: boolean }[] {
  const hit = new Set(indexes);
  const parts: { text: string; matched: boolean }[] = [];
  for (let index = 0; index < label.length; index += 1) {
    const matched = hit.has(index);
    const last = parts.at(-1);
    if (last !== undefined && last.matched === matched) last.text += label[index] ?? "";
    else parts.push({ text: label[index] ?? "", matched });
  }
  return parts;
}
