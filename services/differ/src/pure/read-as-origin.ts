import type { OriginMap } from "@web-tester/contracts/messages";

const meant = /[.*+?^${}()|[\]\\]/g;

/**
 * Returns a document with the addresses of one origin replaced by those of another, for comparing two sites: with a scheme
 * or without, as in HTML, in JSON (`https:\/\/`) or in a query (`https%3A%2F%2F`). All charsets of pages but UTF-16 keep
 * addresses in ASCII, so bytes are replaced. Linear.
 */
export function readAsOrigin(bytes: Uint8Array, { from, to }: OriginMap): Buffer {
  const [older, newer] = [new URL(from), new URL(to)];
  const pattern = new RegExp(
    `(?:https?(?<colon>:|%3A))?(?<slashes>//|\\\\/\\\\/|%2F%2F)${older.host.replaceAll(meant, "\\$&")}(?![\\w.:-])`,
    "gi",
  );
  const scheme = newer.protocol.slice(0, -1);
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
  const read = text.replaceAll(
    pattern,
    (_: string, colon: string | undefined, slashes: string) =>
      `${colon === undefined ? "" : scheme + colon}${slashes}${newer.host}`,
  );
  return Buffer.from(read, "latin1");
}
