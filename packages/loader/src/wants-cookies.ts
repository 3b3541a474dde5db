import type { ErrorCode } from "@web-tester/contracts/errors";

const codes = new Set<ErrorCode>(["too_many_redirects", "reload_loop"]);

/** Whether a page may have failed because it sets a cookie first and expects it back, as a browser would send it. */
export function wantsCookies(code: ErrorCode | null): boolean {
  return code !== null && codes.has(code);
}
