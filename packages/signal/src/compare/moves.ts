import type { DiffHunk, DiffLine } from "@web-tester/diff/hunks/hunks";

/** A part of a page that is the same as before, but elsewhere: it is removed in one place and added in another. */
interface Move {
  readonly moved: readonly DiffLine[];
}

/** The least number of characters besides white space, as in comparisons on the screen: short texts are often written twice. */
const movedMinChars = 20;

/** Replaces each pair of hunks in which the same lines went and came by one move, at the place of the first of them. */
export function withMoves(hunks: readonly DiffHunk[]): (DiffHunk | Move)[] {
  const found: (DiffHunk | Move | null)[] = [...hunks];
  const waiting = { removed: new Map<string, number[]>(), added: new Map<string, number[]>() };
  for (const [index, { lines }] of hunks.entries()) {
    const kind = onlyKindOf(lines);
    const key = lines.map(({ text }) => text.trim()).join("\n");
    if (kind === null || key.replaceAll(/\s/g, "").length < movedMinChars) continue;
    const partner = waiting[kind === "removed" ? "added" : "removed"].get(key)?.shift();
    if (partner === undefined) {
      const alike = waiting[kind].get(key);
      if (alike === undefined) waiting[kind].set(key, [index]);
      else alike.push(index);
    } else {
      found[partner] = { moved: lines };
      found[index] = null;
    }
  }
  return found.filter((one) => one !== null);
}

/** The kind of all lines; null where there are both removed and added ones. */
function onlyKindOf(lines: readonly DiffLine[]): "removed" | "added" | null {
  const [first] = lines;
  if (first === undefined || first.kind === "context") return null;
  return lines.every(({ kind }) => kind === first.kind) ? first.kind : null;
}
