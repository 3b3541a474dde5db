import { budgets } from "@web-tester/contracts/limits";
import type { PageResult } from "@web-tester/loader/page-result";

/** Pages up to this size are fetched as fast as the host answers. */
const freeBytes = 1024 * 1024;
const msPerMiB = 100;

/**
 * Returns how long a host is left alone after a page because of its size, so that no site gets more than 10 MiB of HTML
 * per second unpacked, read, compressed and stored while other sites' pages wait. A page refused as too large counts as
 * the largest size that is read.
 * @returns ms, 0 for nearly every page
 */
export function pauseAfter(page: PageResult): number {
  const bytes =
    page.kind === "page"
      ? page.body.length
      : page.kind === "failed" && page.code === "too_large"
        ? budgets.htmlMaxBytes
        : 0;
  return Math.max(0, Math.round(((bytes - freeBytes) / 1024 / 1024) * msPerMiB));
}
