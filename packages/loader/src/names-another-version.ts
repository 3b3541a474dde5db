import { type HeaderRecord, lastHeader } from "./response-headers.js";

/** Servers that compress an answer add the coding to its tag, but not always to the one of a 304 (Apache's DeflateAlterETag). */
const codingSuffix = /[-;:.]+(?:gzip|br|zstd|deflate|df)$/i;

/**
 * Whether a 304 names another version than the one that was asked about. The stored version is not the current one then, and the 304 says
 * nothing about it (RFC 9111 §4.3.3). Tags are compared weakly (RFC 9110 §8.8.3.2).
 */
export function namesAnotherVersion(
  asked: { etag: string | null; lastModified: string | null },
  headers: HeaderRecord,
): boolean {
  const etag = lastHeader(headers, "etag");
  if (asked.etag !== null && etag !== null && etag.trim() !== "") return opaque(etag) !== opaque(asked.etag);
  // a date that cannot be read is neither later nor earlier
  return Date.parse(lastHeader(headers, "last-modified") ?? "") > Date.parse(asked.lastModified ?? "");
}

const opaque = (etag: string): string => etag.trim().replace(/^W\//i, "").replaceAll('"', "").replace(codingSuffix, "");
