import type { NextFunction, Request, Response } from "express";

/** The browser application loads from its own origin only and renders stored text as text; see also the sandbox that stored pages get. */
export const appPolicy = [
  "default-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "worker-src 'self' blob:",
  "connect-src 'self' ws: wss:",
  "frame-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "object-src 'none'",
  "base-uri 'none'",
].join("; ");

/** Headers of every answer, an upgrade that is refused included. */
export const appHeaders = {
  "Content-Security-Policy": appPolicy,
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
  "X-Frame-Options": "DENY",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
} as const;

/** Sets them; a handler that serves stored content replaces the policy by a stricter one. */
export function securityHeaders(_request: Request, response: Response, next: NextFunction): void {
  for (const [name, value] of Object.entries(appHeaders)) response.setHeader(name, value);
  next();
}
