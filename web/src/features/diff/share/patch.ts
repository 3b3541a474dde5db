import type { DiffHunks } from "@web-tester/contracts/entities/compare";

/** Writes a difference as a unified patch (POSIX diff -u) for `patch` and `git apply`. Lines end in \n. */
export function toPatch(diff: Pick<DiffHunks, "hunks">, fromName: string, toName: string): string {
  const out = [`--- ${fromName}`, `+++ ${toName}`];
  for (const hunk of diff.hunks) {
    out.push(`@@ -${range(hunk.aStart, hunk.aCount)} +${range(hunk.bStart, hunk.bCount)} @@`);
    for (const line of hunk.lines) {
      out.push(`${signs[line.kind]}${line.text}`);
      if (line.noEol === true) out.push("\\ No newline at end of file");
    }
  }
  return `${out.join("\n")}\n`;
}

const signs = { context: " ", removed: "-", added: "+" } as const;

/** Writes the range of a side; one without lines is given by the line before it. */
function range(start: number, count: number): string {
  if (count === 0) return `${Math.max(0, start - 1)},0`;
  return count === 1 ? String(start) : `${start},${count}`;
}
