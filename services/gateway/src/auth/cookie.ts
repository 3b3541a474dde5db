import { createHash } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";

/**
 * Names of the sign-in cookie: over TLS one that only this host can have set (`__Host-`), else a plain one. Cookies do not distinguish
 * ports, so the name keeps two installations on one host apart.
 * @param key of this installation
 */
export function cookieNamesFor(key: Buffer): { plain: string; overTls: string } {
  const mark = createHash("sha256").update(key).digest("hex").slice(0, 8);
  return { plain: `web-tester-${mark}`, overTls: `__Host-web-tester-${mark}` };
}

/** The `Set-Cookie` header that sets a cookie or, with an empty value and `maxAgeSeconds` 0, deletes it. */
export function setCookie(
  name: string,
  value: string,
  { maxAgeSeconds, isSecure, sameSite }: { maxAgeSeconds: number; isSecure: boolean; sameSite: "Strict" | "Lax" },
): string {
  const secure = isSecure ? "; Secure" : "";
  return `${name}=${value}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=${sameSite}${secure}`;
}

/** Whether a page that sends these headers was loaded over TLS: browsers send the origin with requests that change something. */
export function isOverTls({ origin }: IncomingHttpHeaders): boolean {
  return origin?.startsWith("https:") === true;
}
