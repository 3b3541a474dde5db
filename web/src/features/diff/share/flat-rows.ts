import type { DiffHunks } from "@web-tester/contracts/entities/compare";
import { t } from "../../../texts/text.js";
import { buildRows } from "../row-model.js";

/** A line of an exported difference: one column, removed before added; a gap says how many unchanged lines are left out. */
export type FlatRow =
  | { readonly kind: "gap"; readonly count: number }
  | {
      readonly kind: "context" | "removed" | "added";
      /** Its numbers on both sides; undefined on a side without this line. */
      readonly a: number | undefined;
      readonly b: number | undefined;
      readonly text: string;
      /** Changed ranges, ascending, in UTF-16 units, end exclusive. */
      readonly marks: readonly (readonly [number, number])[];
      readonly ignored: boolean;
      /** Words for an invisible difference at its end; empty where there is none. */
      readonly end: string;
    };

/** Converts a difference to lines for reading without controls. */
export function flatRows(diff: DiffHunks): FlatRow[] {
  // versions of a line stay two lines, because colour alone could not show what was removed
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

/** Cuts a text at its marks: `[text, isMarked]` in order, without empty parts. */
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
