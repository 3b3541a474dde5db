import { LRUCache } from "lru-cache";
import type { NextFunction, Request, Response } from "express";

/**
 * The content security policy of the browser application, which loads from its own origin only and renders stored text as text. Stored
 * pages get a sandbox of their own, see `isolate`.
 */
const appPolicy = (sockets: string): string =>
  [
    "default-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self' data:",
    "worker-src 'self' blob:",
    `connect-src 'self'${sockets}`,
    "frame-src 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "object-src 'none'",
    "base-uri 'none'",
  ].join("; ");

/** Headers of every answer, also of a refused websocket upgrade. */
export const appHeaders = {
  "Content-Security-Policy": appPolicy(""),
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
  "X-Frame-Options": "DENY",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  // answers are for their caller only: a shared cache may not know that a header of ours carries a token
  "Cache-Control": "private, no-cache",
} as const;

/** Policies by the host names that requests used lately; a server has few names. */
const policies = new LRUCache<string, string>({ max: 100 });

/**
 * The policy of a page loaded by this host name. It lists the page's websocket addresses, also those over TLS, which a proxy may add:
 * browsers disagree on whether `'self'` covers websockets, and `ws:` alone would let a page connect to anybody.
 */
function policyFor(host: string | undefined): string {
  if (host === undefined || !/^[\w.-]+(?::\d{1,5})?$|^\[[\da-f:.]+\](?::\d{1,5})?$/i.test(host)) return appPolicy("");
  let policy = policies.get(host);
  if (policy === undefined) {
    policy = appPolicy(` ws://${host} wss://${host}`);
    policies.set(host, policy);
  }
  return policy;
}

/** Sets the security headers; a handler that serves stored content replaces the policy by a stricter one. */
export function securityHeaders(request: Request, response: Response, next: NextFunction): void {
  for (const [name, value] of Object.entries(appHeaders)) response.setHeader(name, value);
  response.setHeader("Content-Security-Policy", policyFor(request.headers.host));
  next();
}
