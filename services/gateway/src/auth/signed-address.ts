import { LRUCache } from "lru-cache";
import { createHmac, timingSafeEqual } from "node:crypto";
import type { Sign } from "../http/actor.js";

/** Addresses stay the same for an hour, so that browsers keep what they fetched, and open for one to two hours. */
const periodMs = 3_600_000;

/** Signatures given lately with each key: what a screen shows is asked for again and again within the hour. */
const given = new WeakMap<Buffer, LRUCache<string, string>>();

/**
 * @param key of all gateways
 * @param by the token, sign-in or link that the addresses end with; null: none
 */
export function signWith(key: Buffer, by: string | null): Sign {
  return (address) => signAddress(address, key, by, Date.now());
}

/** @param address path, with or without query. @param by the token, sign-in or link that it ends with; null: none */
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

/** Whom an address, as it was asked for, was signed for; null where it was not signed with this key, or has expired. */
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
