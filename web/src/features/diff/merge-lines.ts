type Range = readonly [from: number, to: number];

/** A line of one side; the marks are what only this side has. */
interface Marked {
  readonly text: string;
  readonly marks: readonly Range[] | undefined;
}

/** Two versions of a line merged into one, with the removed and added parts in their places. */
export interface MergedLine {
  readonly text: string;
  readonly removed: readonly Range[];
  readonly added: readonly Range[];
}

/**
 * Merges two lines into one with the removed and the added parts of both.
 * @returns null where they are not versions of one line: what remains is not the same, or only white space
 */
export function mergeLines(a: Marked, b: Marked): MergedLine | null {
  if (a.marks === undefined || b.marks === undefined) return null;
  const kept = keptOf(a);
  if (kept.trim() === "" || kept !== keptOf(b)) return null;
  const merged = { text: "", removed: [] as Range[], added: [] as Range[] };
  const put = (part: string, into: Range[]): void => {
    if (part !== "") into.push([merged.text.length, merged.text.length + part.length]);
    merged.text += part;
  };
  const [fromA, fromB] = [piecesOf(a), piecesOf(b)];
  let [atA, atB] = [0, 0];
  for (let at = 0; ;) {
    // copies what both have in common up to where a side has a part of its own
    while (fromA[atA]?.at === at) put(fromA[atA++]?.text ?? "", merged.removed);
    while (fromB[atB]?.at === at) put(fromB[atB++]?.text ?? "", merged.added);
    if (at === kept.length) return merged;
    const next = Math.min(fromA[atA]?.at ?? kept.length, fromB[atB]?.at ?? kept.length);
    merged.text += kept.slice(at, next);
    at = next;
  }
}

/** The parts that only this side has; `at` is the position within the common text. */
function piecesOf({ text, marks = [] }: Marked): { at: number; text: string }[] {
  let marked = 0;
  return marks.map(([from, to]) => {
    const piece = { at: from - marked, text: text.slice(from, to) };
    marked += to - from;
    return piece;
  });
}

function keptOf({ text, marks = [] }: Marked): string {
  let [kept, at] = ["", 0];
  for (const [from, to] of marks) {
    kept += text.slice(at, from);
    at = to;
  }
  return kept + text.slice(at);
}
