import type { TakenWith } from "@web-tester/contracts/visitor";

/**
 * The window that a snapshot is shown in, as `readViewport` reads it: the one that it was taken with; of a snapshot of an earlier
 * release that of its object. Empty: the usual one.
 */
export function shownViewport(takenWith: TakenWith | null, ofObject: string): string {
  return takenWith === null ? ofObject : (takenWith.viewport ?? "");
}
