import type { Comparison } from "../compare.js";
import { lineStarts } from "../lines/line-range.js";
import { PatchError } from "./patch-error.js";

/**
 * Rebuilds the second text from the first one and their comparison.
 * @throws PatchError when the comparison is of another text, or lacks hunks (`truncated`); a retry does not help.
 */
export function rebuildB(a: string, comparison: Comparison): string {
  return rebuild(a, comparison, "removed", "added");
}

/** Rebuilds the first text from the second one and their comparison. @throws PatchError as `rebuildB` does. */
export function rebuildA(b: string, comparison: Comparison): string {
  return rebuild(b, comparison, "added", "removed");
}

function rebuild(
  text: string,
  { hunks, truncated, breaks }: Comparison,
  drop: "removed" | "added",
  take: "removed" | "added",
): string {
  if (truncated)
    throw new PatchError(
      "The comparison holds only part of the hunks. Compare again with a higher limit of hunk lines.",
    );
  const starts = lineStarts(text, breaks);
  const parts: string[] = [];
  let done = 0;
  for (const hunk of hunks) {
    const at = starts[(drop === "removed" ? hunk.aStart : hunk.bStart) - 1];
    if (at === undefined || at < done) throw foreign();
    parts.push(text.slice(done, at));
    done = at;
    for (const line of hunk.lines) {
      const whole = line.noEol ? line.text : `${line.text}\n`;
      if (line.kind !== drop) parts.push(whole);
      if (line.kind === take) continue;
      if (!text.startsWith(whole, done)) throw foreign();
      done += whole.length;
    }
  }
  parts.push(text.slice(done));
  return parts.join("");
}

function foreign(): PatchError {
  return new PatchError("The comparison was made of another text. Compare again.");
}
