import { storedContentPolicy } from "@web-tester/replay/isolation";
import type { Response } from "express";

/** Replaces the application's own headers of an answer by those that all stored content is served with. */
export function isolate(response: Response): void {
  response.setHeader("Content-Security-Policy", storedContentPolicy);
  response.setHeader("X-Content-Type-Options", "nosniff");
  response.setHeader("Referrer-Policy", "no-referrer");
  response.setHeader("X-DNS-Prefetch-Control", "off");
  // `frame-ancestors` is more precise, and a sandboxed document cannot have an opener policy
  response.removeHeader("X-Frame-Options");
  response.removeHeader("Cross-Origin-Opener-Policy");
}
