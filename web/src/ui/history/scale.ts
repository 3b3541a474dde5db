import type { HistoryTick } from "@web-tester/contracts/entities/instance";
import type { RunSummary } from "@web-tester/contracts/entities/run";

/**
 * Computes the heights in px of each run's bar, the tallest being `max`. Small numbers are drawn a little too tall, so that one
 * changed page stays visible beside a run with a thousand.
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

/** The height in px of one tick: 5 where nothing changed, 9 to 16 by the size of a change, 14 for a failure. */
export function tickHeight(tick: Pick<HistoryTick, "status" | "size">): number {
  if (tick.status === "failed") return 14;
  if (tick.status !== "changed") return 5;
  return Math.round(Math.min(16, 9 + Math.log2(1 + Math.max(0, tick.size))));
}

/** Width of a bar, distance from one bar to the next, and radius of its corners, in the units of the picture. */
const [barWidth, barPitch, corner] = [8, 11, 1.5];

/** The SVG paths of a history: one for everything that failed, one for everything that changed, one for quiet runs. */
export interface BarPaths {
  /** Width of the whole picture; its height is `max` plus 2 for the gap between two parts of a bar. */
  readonly width: number;
  readonly failed: string;
  readonly changed: string;
  readonly quiet: string;
}

/** Draws the bars as outlines, failures on top: a row of a list needs only three elements for them, however many runs there were. */
export function barPaths(runs: readonly Pick<RunSummary, "changed" | "failed">[], max: number): BarPaths {
  const paths = { failed: "", changed: "", quiet: "" };
  const ground = max + 2;
  barHeights(runs, max).forEach(({ changed, failed }, index) => {
    const x = index * barPitch;
    const rest = changed === 0 ? ground : ground - changed - 1;
    if (changed > 0) paths.changed += outline(x, ground - changed, changed);
    if (failed > 0) paths.failed += outline(x, rest - failed, failed);
    if (changed + failed === 0) paths.quiet += outline(x, ground - 2, 2);
  });
  return { width: Math.max(0, runs.length * barPitch - (barPitch - barWidth)), ...paths };
}

function outline(x: number, y: number, height: number): string {
  const round = Math.min(corner, height / 2);
  const arc = (dx: number, dy: number) => `a${round} ${round} 0 0 1 ${dx} ${dy}`;
  const [across, down] = [barWidth - 2 * round, height - 2 * round];
  return `M${x + round} ${y}h${across}${arc(round, round)}v${down}${arc(-round, round)}h${-across}${arc(-round, -round)}v${-down}${arc(round, -round)}z`;
}
