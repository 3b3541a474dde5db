import type { Gap, Row } from "./row-model.js";

/** The line that a link points to: on the older side (a) or the newer one (b), counted from 1. */
export interface LineAddress {
  readonly side: "a" | "b";
  readonly no: number;
}

/** Parses `line` of an address, such as `b120`; undefined where it is invalid. */
export function readLine(text: string | null): LineAddress | undefined {
  const found = /^([ab])([1-9]\d{0,8})$/.exec(text ?? "");
  return found === null ? undefined : { side: found[1] === "a" ? "a" : "b", no: Number(found[2]) };
}

export const writeLine = ({ side, no }: LineAddress): string => `${side}${no}`;

/** How many unchanged lines are opened before and after a linked one. */
const around = 3;

/** The place of a line: a row, or folded unchanged lines, of which `part` has to be opened. */
export type LinePlace = { readonly row: number } | { readonly part: Gap };

/** Finds the place of a line among the rows; undefined where the comparison has no such line. */
export function placeOfLine(rows: readonly Row[], { side, no }: LineAddress): LinePlace | undefined {
  for (const [row, each] of rows.entries()) {
    if (each.type === "line") {
      if (each[side]?.no === no) return { row };
      continue;
    }
    const from = side === "a" ? each.aFrom : each.bFrom;
    if (no < from || no >= from + each.count) continue;
    const first = Math.max(0, no - from - around);
    const last = Math.min(each.count - 1, no - from + around);
    return {
      part: {
        type: "gap",
        aFrom: each.aFrom + first,
        bFrom: each.bFrom + first,
        count: last - first + 1,
        place: "middle",
      },
    };
  }
  return undefined;
}

/** The first line of a change, on the newer side where it has one. */
export function firstLineOf(rows: readonly Row[], change: { first: number; last: number }): LineAddress | undefined {
  const lines = rows.slice(change.first, change.last + 1).filter((row) => row.type === "line");
  for (const side of ["b", "a"] as const) {
    const no = lines.find((row) => row[side] !== undefined)?.[side]?.no;
    if (no !== undefined) return { side, no };
  }
  return undefined;
}

/** The parts of a comparison that a link to a line contains. */
interface Shown {
  readonly a: { readonly id: string };
  readonly b: { readonly id: string };
  readonly by: string;
  readonly as: string;
}

/**
 * Makes links to exactly these lines: both snapshots by id and the form by name, so that they show the same after any number of
 * fetches.
 * @param view the present address; its choices about this comparison are kept, all others are left out
 */
export function lineAddress({ a, b, by, as }: Shown, view: URLSearchParams, file?: string) {
  const params = new URLSearchParams({ a: a.id, b: b.id });
  // `numbers` is not kept, because without numbers nobody sees which line it is
  for (const name of ["view", "ignored", "context"]) {
    const said = view.get(name);
    if (said !== null) params.set(name, said);
  }
  if (by !== "lines") params.set("diffType", by);
  if (file === undefined) params.set("as", as);
  else params.set("file", file);
  return (line: LineAddress): string => `/diff?${params.toString()}&line=${writeLine(line)}`;
}
