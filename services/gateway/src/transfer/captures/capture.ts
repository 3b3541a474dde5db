import { createHash } from "node:crypto";
import type { KeptAnswer } from "./kept-files.js";
import { ownText } from "./own-text.js";

/** One captured answer of a web archive. */
export interface Capture {
  url: string;
  /** When it was requested, in milliseconds since 1970. */
  ms: number;
  status: number;
  headers: Record<string, string | string[]>;
  contentType: string;
  content: CapturedContent;
}

/**
 * The content of a capture: its own bytes; or those of an earlier capture, identified by the digest of its payload, by the record
 * (`recordKey`), or by address and time (`isDated`: at exactly that time, else about then).
 */
export type CapturedContent =
  | { kind: "bytes"; bytes: Buffer; digest: string | null; record: string | null }
  | { kind: "kept"; answer: KeptAnswer }
  | { kind: "same"; digest: string | null; record: string | null; url: string; ms: number; isDated: boolean };

/**
 * Parses an address of an archive, which some programs put between angle brackets. A user name and password in it stay behind: they would
 * be shown and exported with the page.
 */
export function addressOf(field: string): string | null {
  const address = URL.parse(field.replace(/^<(.*)>$/, "$1"));
  if (address === null) return null;
  address.username = "";
  address.password = "";
  // an address that needs no change is a part of the record's header
  return ownText(address.href, address.href.length);
}

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** SHA-1 in base32 (RFC 4648 §6), as web archives write it. */
export function sha1Base32(bytes: Uint8Array): string {
  let text = "";
  let bits = 0;
  let value = 0;
  for (const byte of createHash("sha1").update(bytes).digest()) {
    value = ((value << 8) | byte) & 0xffff;
    for (bits += 8; bits >= 5; bits -= 5) text += alphabet[(value >>> (bits - 5)) & 31] ?? "";
  }
  return text;
}

/** Whether a digest field such as `sha1:…` matches the bytes; true where its algorithm is not known. */
export function isDigestOf(field: string, bytes: Uint8Array): boolean {
  const [, algorithm = "", digest = ""] = /^([\w-]+):(\S+)$/.exec(field) ?? [];
  const sum = (name: string) => createHash(name).update(bytes);
  switch (algorithm.toLowerCase()) {
    case "sha1":
      return digest.toUpperCase() === sha1Base32(bytes) || digest.toLowerCase() === sum("sha1").digest("hex");
    case "sha256":
    case "sha-256":
      return digest.length !== 64 || digest.toLowerCase() === sum("sha256").digest("hex");
    default:
      return true;
  }
}

/** A short key for the id of a record, by which others may repeat it; null where it has none. */
export function recordKey(id: string | undefined): string | null {
  return id === undefined || id === "" ? null : `id:${createHash("sha1").update(id).digest("base64url").slice(0, 16)}`;
}
