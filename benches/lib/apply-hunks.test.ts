import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { structuredPatch } from "diff";
import type { DiffHunk } from "@web-tester/contracts/entities/compare";
import { applyHunks } from "./apply-hunks.mjs";

/** Returns hunks by the `diff` package; it gives positions of empty sides as unified diffs do. */
function hunksOf(a: string[], b: string[], context: number): DiffHunk[] {
  const kinds: Record<string, "context" | "removed" | "added"> = { " ": "context", "-": "removed", "+": "added" };
  const text = (lines: string[]) => lines.map((line) => `${line}\n`).join("");
  return structuredPatch("", "", text(a), text(b), "", "", { context }).hunks.map((hunk) => ({
    aStart: hunk.oldStart,
    aCount: hunk.oldLines,
    bStart: hunk.newStart,
    bCount: hunk.newLines,
    lines: hunk.lines.flatMap((line) => {
      const kind = kinds[line.charAt(0)];
      return kind === undefined ? [] : [{ kind, text: line.slice(1) }];
    }),
  }));
}

describe("applyHunks", () => {
  const lines = fc.array(fc.constantFrom("a", "b", "c", "d"), { maxLength: 12 });

  test("rebuilds B from A and their hunks", () => {
    fc.assert(
      fc.property(lines, lines, fc.integer({ min: 1, max: 3 }), (a, b, context) =>
        expect(applyHunks(a, hunksOf(a, b, context))).toEqual(b),
      ),
    );
  });

  test("gives A back where there are no hunks", () => {
    expect(applyHunks(["x", "y"], [])).toEqual(["x", "y"]);
  });

  test.each([
    [
      "context that is not in A",
      { aStart: 1, aCount: 1, bStart: 1, bCount: 1, lines: [{ kind: "context" as const, text: "other" }] },
      "line 1 of A",
    ],
    [
      "a start behind the end of A",
      { aStart: 9, aCount: 1, bStart: 9, bCount: 0, lines: [{ kind: "removed" as const, text: "x" }] },
      "begins at line 9",
    ],
    [
      "counts that are not those of its lines",
      { aStart: 1, aCount: 2, bStart: 1, bCount: 1, lines: [{ kind: "context" as const, text: "x" }] },
      "it holds 1 and 1 lines",
    ],
    [
      "a start in B that does not follow",
      { aStart: 2, aCount: 1, bStart: 1, bCount: 1, lines: [{ kind: "context" as const, text: "y" }] },
      "1 lines of B are before it",
    ],
  ])("refuses %s", (_, hunk, message) => {
    expect(() => applyHunks(["x", "y"], [hunk])).toThrow(message);
  });
});
