import { hash } from "node:crypto";

const strengths = ["sha256", "sha384", "sha512"];

/**
 * Whether a file is the one that a page names by `integrity` (Subresource Integrity §3.3): of several digests those of the strongest algorithm
 * count, and one of them has to be the file's. Where browsers understand none, every file is.
 */
export function isNamedFile(bytes: Uint8Array, integrity: string): boolean {
  const named = integrity.split(/[\t\n\f\r ]+/).flatMap((token) => {
    const [, algorithm = "", digest = ""] = /^(sha256|sha384|sha512)-([\w+/-]+={0,2})(?:\?.*)?$/i.exec(token) ?? [];
    return algorithm === "" ? [] : [{ algorithm: algorithm.toLowerCase(), digest }];
  });
  const strongest = strengths.findLast((each) => named.some(({ algorithm }) => algorithm === each));
  if (strongest === undefined) return true;
  const own = hash(strongest, bytes, "base64");
  return named.some(({ algorithm, digest }) => algorithm === strongest && plain(digest) === own);
}

const plain = (digest: string) => digest.replaceAll("-", "+").replaceAll("_", "/");
