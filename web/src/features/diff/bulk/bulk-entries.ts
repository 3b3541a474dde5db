import type { BulkDiffEntry } from "@web-tester/contracts/entities/compare";

/** Changed lines from which on a page comes folded: longer than a screen. */
export const foldedFromLines = 60;

/** Lines that a page gained and lost. */
export function changedLines({ linesAdded, linesRemoved }: BulkDiffEntry): number {
  return (linesAdded ?? 0) + (linesRemoved ?? 0);
}

/** Whether the differences of a page are shown only when somebody asks for them. */
export function comesFolded(entry: BulkDiffEntry): boolean {
  return changedLines(entry) > foldedFromLines;
}
