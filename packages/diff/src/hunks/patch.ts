import {
  applyPatch as apply,
  FILE_HEADERS_ONLY,
  formatPatch as format,
  parsePatch as parse,
  type StructuredPatch,
} from "diff";
import type { Comparison } from "../compare.js";
import type { DiffHunk, DiffLine } from "./hunks.js";
import { PatchError } from "./patch-error.js";

/** The names of the two sides of a patch in its header. */
export interface PatchNames {
  readonly a: string;
  readonly b: string;
}

const NO_EOL = "\\ No newline at end of file";
const sign = { context: " ", removed: "-", added: "+" } as const;
const kinds: Readonly<Record<string, DiffLine["kind"]>> = { " ": "context", "-": "removed", "+": "added" };

/**
 * Writes a comparison as a unified patch that `git apply` and `patch` understand; an empty text for identical sides, as `git diff` does.
 * @throws PatchError when the comparison lacks hunks (`truncated`) or was broken at tags.
 */
export function formatPatch(comparison: Comparison, names: PatchNames): string {
  if (comparison.breaks !== "newline")
    throw new PatchError("A patch needs lines that end in newlines. Compare without breaking lines at tags.");
  if (comparison.truncated)
    throw new PatchError(
      "The comparison holds only part of the hunks. Compare again with a higher limit of hunk lines.",
    );
  if (comparison.hunks.length === 0) return "";
  const hunks = comparison.hunks.map((hunk) => ({
    oldStart: hunk.aStart,
    oldLines: hunk.aCount,
    newStart: hunk.bStart,
    newLines: hunk.bCount,
    lines: hunk.lines.flatMap((line) =>
      line.noEol ? [sign[line.kind] + line.text, NO_EOL] : [sign[line.kind] + line.text],
    ),
  }));
  return format(
    { oldFileName: names.a, newFileName: names.b, oldHeader: undefined, newHeader: undefined, hunks },
    FILE_HEADERS_ONLY,
  );
}

/**
 * Reads the hunks of a unified patch of one file; an empty text is a patch without hunks.
 * @throws PatchError when the text is no patch or covers several files.
 */
export function parsePatch(patch: string): DiffHunk[] {
  return read(patch).hunks.map((hunk) => {
    const lines: DiffLine[] = [];
    for (const line of hunk.lines) {
      const kind = kinds[line.charAt(0)] ?? (line === "" ? "context" : undefined);
      const last = lines.at(-1);
      if (kind !== undefined) lines.push({ kind, text: line.slice(1) });
      else if (last) last.noEol = true;
    }
    return { aStart: hunk.oldStart, aCount: hunk.oldLines, bStart: hunk.newStart, bCount: hunk.newLines, lines };
  });
}

/**
 * Applies a unified patch of one file, byte for byte: no fuzz, no conversion of line endings. Hunks may have moved as a whole.
 * @throws PatchError when the text is no patch, or does not fit `text`.
 */
export function applyPatch(text: string, patch: string): string {
  const result = apply(text, read(patch), { autoConvertLineEndings: false });
  if (result === false)
    throw new PatchError("The patch does not fit this text. It was made from another version; make it again.");
  return result;
}

function read(patch: string): StructuredPatch {
  if (patch.trim() === "")
    return { oldFileName: "", newFileName: "", oldHeader: undefined, newHeader: undefined, hunks: [] };
  let files: StructuredPatch[];
  try {
    files = parse(patch);
  } catch (cause) {
    throw new PatchError(
      `This is not a unified patch: ${cause instanceof Error ? cause.message : String(cause)}. Paste the whole output of a diff.`,
      { cause },
    );
  }
  const [file, ...others] = files;
  if (file === undefined || file.hunks.length === 0)
    throw new PatchError(
      "This is not a unified patch: it has no hunk (a line that starts with @@). Paste the whole output of a diff.",
    );
  if (others.length > 0) throw new PatchError(`The patch covers ${files.length} files. Apply one file at a time.`);
  return file;
}
