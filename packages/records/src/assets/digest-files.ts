import { createHash } from "node:crypto";

/**
 * One value for all files of a page, so that two snapshots with the same files are known to have them without reading rows.
 * Snapshots with equal values have equal files; others may have them all the same.
 * @param files hashes in hex, null where the file is missing
 * @returns hex; null where there are no files
 */
export function digestFiles(files: readonly { url: string; hash: string | null }[]): string | null {
  if (files.length === 0) return null;
  const lines = files.map(({ url, hash }) => `${url} ${hash ?? ""}`).toSorted();
  return createHash("sha256").update(lines.join("\n")).digest("hex");
}
