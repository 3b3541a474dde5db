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
