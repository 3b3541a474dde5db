// @ts-check

/**
 * Rebuilds B from A and the hunks between them, refusing hunks that do not fit: every context and removed line must be in
 * A where the hunk says, and the counts must match its lines. Positions are 1-based.
 * @param {readonly string[]} a lines of A, without terminators
 * @param {readonly import("@web-tester/contracts/entities/compare").DiffHunk[]} hunks
 * @returns {string[]} lines of B
 * @throws when a hunk does not fit, naming it
 */
export function applyHunks(a, hunks) {
  /** @type {string[]} */
  const b = [];
  let at = 0;
  for (const [index, hunk] of hunks.entries()) {
    const refuse = (/** @type {string} */ why) =>
      new Error(
        `hunk ${index + 1} (a ${hunk.aStart},${hunk.aCount} b ${hunk.bStart},${hunk.bCount}) does not fit: ${why}`,
      );
    // the start of a side without lines is the line before it in unified diffs, the line after it elsewhere; the other
    // side decides
    const start = hunk.aCount > 0 ? hunk.aStart - 1 : at + (hunk.bStart - 1 - b.length);
    if (start < at || start > a.length) throw refuse(`it begins at line ${start + 1}, the one before ends at ${at}`);
    while (at < start) b.push(a[at++] ?? "");
    if (hunk.bCount > 0 && b.length !== hunk.bStart - 1) throw refuse(`${b.length} lines of B are before it`);
    const [fromA, fromB] = [at, b.length];
    for (const { kind, text } of hunk.lines) {
      if (kind !== "added" && a[at++] !== text)
        throw refuse(`line ${at} of A is ${JSON.stringify(a[at - 1])}, not ${JSON.stringify(text)}`);
      if (kind !== "removed") b.push(text);
    }
    if (at - fromA !== hunk.aCount || b.length - fromB !== hunk.bCount)
      throw refuse(`it holds ${at - fromA} and ${b.length - fromB} lines`);
  }
  while (at < a.length) b.push(a[at++] ?? "");
  return b;
}
