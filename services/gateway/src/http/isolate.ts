import { storedContentPolicy } from "@web-tester/replay/isolation";
import type { Response } from "express";

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
