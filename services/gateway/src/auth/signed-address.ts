import { LRUCache } from "lru-cache";
import { createHmac, timingSafeEqual } from "node:crypto";

/** Addresses stay the same for an hour, so that browsers keep what they fetched, and open for one to two hours. */
const periodMs = 3_600_000;

/** Signatures given lately: what a screen shows is asked for again and again within the hour. */
const signatures = new LRUCache<string, string>({ max: 5_000 });

/**
 * An address that opens without the API token until it expires; the same address where no token is set. Frames, pictures and
 * stylesheets cannot send headers.
 * @param address path, with or without query
 */
export function signAddress(address: string, token: string | null, now: number): string {
  if (token === null) return address;
  const expires = (Math.floor(now / periodMs) + 2) * periodMs;
  const signed = `${address}${address.includes("?") ? "&" : "?"}expires=${expires / 1_000}`;
  const key = `${token} ${signed}`;
  let signature = signatures.get(key);
  if (signature === undefined) {
    signature = signatureOf(signed, token);
    signatures.set(key, signature);
  }
  return `${signed}&signature=${signature}`;
}

/** Whether an address, as it was asked for, was signed with this token and has not expired. */
export function isSignedAddress(address: string, token: string, now: number): boolean {
  const end = address.lastIndexOf("&signature=");
  if (end === -1) return false;
  const signed = address.slice(0, end);
  const given = Buffer.from(address.slice(end + "&signature=".length));
  const right = Buffer.from(signatureOf(signed, token));
  if (given.length !== right.length || !timingSafeEqual(given, right)) return false;
  const expires = Number(/[?&]expires=(\d+)$/.exec(signed)?.[1] ?? 0);
  return expires * 1_000 > now;
}

function signatureOf(text: string, token: string): string {
  return createHmac("sha256", `web-tester address ${token}`).update(text).digest("base64url");
}
