import type { Response } from "express";

/**
 * What stored content may do in a browser: show itself, with pictures, styles, fonts and film from here. An origin of its
 * own, no scripts, no forms, no windows, no requests to anybody else.
 */
export const storedContentPolicy = [
  "sandbox",
  "default-src 'none'",
  "img-src 'self' data:",
  "style-src 'self' 'unsafe-inline'",
  "font-src 'self' data:",
  "media-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
].join("; ");

/** Gives an answer the headers that all stored content is served with, in place of the application's own. */
export function isolate(response: Response): void {
  response.setHeader("Content-Security-Policy", storedContentPolicy);
  response.setHeader("X-Content-Type-Options", "nosniff");
  response.setHeader("Referrer-Policy", "no-referrer");
  response.setHeader("X-DNS-Prefetch-Control", "off");
  // frame-ancestors says it better, and a sandboxed document may not ask for an opener policy
  response.removeHeader("X-Frame-Options");
  response.removeHeader("Cross-Origin-Opener-Policy");
}
