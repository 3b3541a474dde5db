import type { HistoryTick, RunSummary } from "@web-tester/contracts/entities";

/**
 * Heights in px of each run's bar, the tallest `max`. Small numbers are drawn a little too tall: one page that changed
 * stays visible beside a run in which a thousand did.
 */
export function barHeights(
  runs: readonly Pick<RunSummary, "changed" | "failed">[],
  max: number,
): { changed: number; failed: number }[] {
  const largest = Math.max(1, ...runs.map((run) => run.changed + run.failed));
  return runs.map(({ changed, failed }) => {
    const sum = changed + failed;
    if (sum === 0) return { changed: 0, failed: 0 };
    const height = Math.max(3, (sum / Math.max(largest, 4)) ** 0.75 * max);
    const failedHeight = failed === 0 ? 0 : Math.max(2, (failed / sum) * height);
    return {
      changed: changed === 0 ? 0 : Math.round(Math.max(2, height - failedHeight)),
      failed: Math.round(failedHeight),
    };
  });
}

/** Height in px of one tick: 5 where nothing changed, 9 to 16 by the size of a change, 14 for a failure. */
export function tickHeight(tick: Pick<HistoryTick, "status" | "size">): number {
  if (tick.status === "failed") return 14;
  if (tick.status !== "changed") return 5;
  return Math.round(Math.min(16, 9 + Math.log2(1 + Math.max(0, tick.size))));
}
