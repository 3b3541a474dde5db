import { createHash } from "node:crypto";

/**
 * Returns one hash over all files of a page, so that two snapshots can be compared without reading the rows of their files. Equal hashes
 * mean equal files; different hashes may mean equal files too.
 * @param files hashes in hex, null when the file is missing
 * @returns the hash in hex; null when there are no files
 */
export function digestFiles(files: readonly { url: string; hash: string | null }[]): string | null {
  if (files.length === 0) return null;
  const lines = files.map(({ url, hash }) => `${url} ${hash ?? ""}`).toSorted();
  return createHash("sha256").update(lines.join("\n")).digest("hex");
}
