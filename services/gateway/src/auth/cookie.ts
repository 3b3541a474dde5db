import { createHash } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";

/**
 * Names of the cookie of a sign-in: over TLS one that only this host can have set (`__Host-`), else a plain one. Cookies know no ports, so
 * the name tells two installations of one host apart.
 * @param key of this installation
 */
export function cookieNamesFor(key: Buffer): { plain: string; overTls: string } {
  const mark = createHash("sha256").update(key).digest("hex").slice(0, 8);
  return { plain: `web-tester-${mark}`, overTls: `__Host-web-tester-${mark}` };
}

/** The header that gives a browser a cookie, or with an empty value takes it. */
export function setCookie(
  name: string,
  value: string,
  { maxAgeSeconds, isSecure, sameSite }: { maxAgeSeconds: number; isSecure: boolean; sameSite: "Strict" | "Lax" },
): string {
  const secure = isSecure ? "; Secure" : "";
  return `${name}=${value}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=${sameSite}${secure}`;
}

/** Whether a page that sends these headers was loaded over TLS: a browser says so of what changes something. */
export function isOverTls({ origin }: IncomingHttpHeaders): boolean {
  return origin?.startsWith("https:") === true;
}
