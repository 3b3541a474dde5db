import type { DiffHunks } from "@web-tester/contracts/entities/compare";
import { t } from "../../../texts/text.js";
import { buildRows } from "../row-model.js";

/** A line of a difference on paper: one column, removed before added; a gap says how many unchanged lines are left out. */
export type FlatRow =
  | { readonly kind: "gap"; readonly count: number }
  | {
      readonly kind: "context" | "removed" | "added";
      /** Its numbers on both sides; undefined on a side that has no such line. */
      readonly a: number | undefined;
      readonly b: number | undefined;
      readonly text: string;
      /** Changed ranges, ascending, in UTF-16 units, without the end. */
      readonly marks: readonly (readonly [number, number])[];
      readonly ignored: boolean;
      /** What cannot be seen of its end, in words; empty where there is nothing to say. */
      readonly end: string;
    };

/** A difference line by line, as it is read without anything to click. */
export function flatRows(diff: DiffHunks): FlatRow[] {
  // versions of a line stay two lines: what went cannot be struck through in colour alone
  return buildRows({ ...diff, by: "lines" }, "unified").rows.flatMap((row): FlatRow[] => {
    if (row.type === "gap") return [{ kind: "gap", count: row.count }];
    const line = row.b ?? row.a;
    if (line === undefined) return [];
    return [
      {
        kind: line.kind,
        a: row.a?.no,
        b: row.b?.no,
        text: line.text,
        marks: line.marks ?? [],
        ignored: line.ignored !== undefined,
        end: line.noEol === true ? t("no newline at the end") : "",
      },
    ];
  });
}

/** A text cut at its marks: `[text, isMarked]` in order, without empty parts. */
export function cutAtMarks(text: string, marks: readonly (readonly [number, number])[]): [string, boolean][] {
  const parts: [string, boolean][] = [];
  let at = 0;
  for (const [from, to] of marks) {
    parts.push([text.slice(at, from), false], [text.slice(from, to), true]);
    at = to;
  }
  parts.push([text.slice(at), false]);
  return parts.filter(([part]) => part !== "");
}
