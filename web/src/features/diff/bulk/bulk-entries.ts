import type { BulkDiffEntry } from "@web-tester/contracts/entities/compare";

/** Pages with more changed lines than this, which do not fit on a screen, are collapsed at first. */
export const foldedFromLines = 60;

/** The number of lines added and removed. */
export function changedLines({ linesAdded, linesRemoved }: BulkDiffEntry): number {
  return (linesAdded ?? 0) + (linesRemoved ?? 0);
}

/** Whether a page's differences are collapsed at first. */
export function comesFolded(entry: BulkDiffEntry): boolean {
  return changedLines(entry) > foldedFromLines;
}
