/**
 * The policy for stored content in a browser: it may show itself, with pictures, styles, fonts and videos from here. It
 * has an opaque origin, no scripts, no forms, no windows, and no requests to anybody else.
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
