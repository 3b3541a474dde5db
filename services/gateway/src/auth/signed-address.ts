import { LRUCache } from "lru-cache";
import { createHmac, timingSafeEqual } from "node:crypto";
import type { Sign } from "../http/actor.js";

/**
 * The period of expiry times, one hour: within it an address stays the same, so that browsers can cache the answer, and it is valid
 * for one to two hours.
 */
const periodMs = 3_600_000;

/** Recent signatures by key: within the hour a screen asks for the same addresses again and again. */
const given = new WeakMap<Buffer, LRUCache<string, string>>();

/**
 * Returns a function that signs addresses.
 * @param key shared by all gateways
 * @param by the token, sign-in or link whose end also ends the addresses; null: none
 */
export function signWith(key: Buffer, by: string | null): Sign {
  return (address) => signAddress(address, key, by, Date.now());
}

/**
 * Signs an address.
 * @param address path, with or without query. @param by the token, sign-in or link whose end also ends it; null: none
 */
export function signAddress(address: string, key: Buffer, by: string | null, now: number): string {
  const expires = (Math.floor(now / periodMs) + 2) * periodMs;
  const whose = by === null ? "" : `by=${by}&`;
  const signed = `${address}${address.includes("?") ? "&" : "?"}${whose}expires=${expires / 1_000}`;
  const signatures = given.get(key) ?? new LRUCache<string, string>({ max: 5_000 });
  given.set(key, signatures);
  let signature = signatures.get(signed);
  if (signature === undefined) {
    signature = signatureOf(signed, key);
    signatures.set(signed, signature);
  }
  return `${signed}&signature=${signature}`;
}

/**
 * Reads under which credential an address, as it was requested, was signed; null where the signature is not of this key, or has
 * expired.
 */
export function readSigned(address: string, key: Buffer, now: number): { by: string | null } | null {
  const end = address.lastIndexOf("&signature=");
  if (end === -1) return null;
  const signed = address.slice(0, end);
  const offered = Buffer.from(address.slice(end + "&signature=".length));
  const right = Buffer.from(signatureOf(signed, key));
  if (offered.length !== right.length || !timingSafeEqual(offered, right)) return null;
  const [, by, expires] = /[?&](?:by=([\da-f-]{36})&)?expires=(\d+)$/.exec(signed) ?? [];
  return Number(expires ?? 0) * 1_000 > now ? { by: by ?? null } : null;
}

function signatureOf(text: string, key: Buffer): string {
  return createHmac("sha256", key).update(text).digest("base64url");
}
