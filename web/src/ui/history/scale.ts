import type { HistoryTick } from "@web-tester/contracts/entities/instance";
import type { RunSummary } from "@web-tester/contracts/entities/run";

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

/** One bar and the space after it, in the units of the picture. */
const [barWidth, barPitch, corner] = [8, 11, 1.5];

/** What a history is drawn with: one path for all that failed, one for all that changed, one for quiet runs. */
export interface BarPaths {
  /** Width of the whole picture; its height is `max` and 2 for the space between two parts of a bar. */
  readonly width: number;
  readonly failed: string;
  readonly changed: string;
  readonly quiet: string;
}

/** The bars as outlines, failures on top: a row of a list has three elements for them, however many runs there were. */
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
