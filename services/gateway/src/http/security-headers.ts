import { LRUCache } from "lru-cache";
import type { NextFunction, Request, Response } from "express";

/** The browser application loads from its own origin only and renders stored text as text; see also the sandbox that stored pages get. */
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

/** Headers of every answer, an upgrade that is refused included. */
export const appHeaders = {
  "Content-Security-Policy": appPolicy(""),
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
  "X-Frame-Options": "DENY",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  // it is for who has asked: a cache on the way may know nothing of a token in a header of ours
  "Cache-Control": "private, no-cache",
} as const;

/** Policies for the names that the server was asked by lately; it has a few. */
const policies = new LRUCache<string, string>({ max: 100 });

/**
 * The policy of a page that was asked for by this name. Its websockets are named, those of TLS too, which a proxy may add: what `'self'`
 * says of them differs between browsers, and `ws:` alone would let a page talk to anybody.
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

/** Sets them; a handler that serves stored content replaces the policy by a stricter one. */
export function securityHeaders(request: Request, response: Response, next: NextFunction): void {
  for (const [name, value] of Object.entries(appHeaders)) response.setHeader(name, value);
  response.setHeader("Content-Security-Policy", policyFor(request.headers.host));
  next();
}
