import type { TakenWith } from "@web-tester/contracts/visitor";

/**
 * The viewport that a snapshot is shown in, in the form that `readViewport` parses: the one it was taken with, or, for a snapshot of
 * an earlier release, that of its object. Empty: the default one.
 */
export function shownViewport(takenWith: TakenWith | null, ofObject: string): string {
  return takenWith === null ? ofObject : (takenWith.viewport ?? "");
}
