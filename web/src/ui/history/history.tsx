import type { HistoryTick, RunSummary } from "@web-tester/contracts/entities";
import { limits } from "@web-tester/contracts/limits";
import { barHeights, tickHeight } from "./scale.js";
import classes from "./history.module.css";

/** One bar per finished fetch run, newest right, failures on top; a picture beside the words, so hidden from readers. */
export function RunBars({ history }: { history: readonly RunSummary[] }) {
  const shown = history.slice(-limits.historyRuns);
  const heights = barHeights(shown, 28);
  return (
    <span className={classes["bars"]} aria-hidden>
      {shown.map((run, index) => (
        <span key={run.id} className={classes["bar"]}>
          {(heights[index]?.failed ?? 0) > 0 && <i data-part="failed" style={{ height: heights[index]?.failed }} />}
          {(heights[index]?.changed ?? 0) > 0 && <i data-part="changed" style={{ height: heights[index]?.changed }} />}
          {run.changed + run.failed === 0 && <i data-part="none" />}
        </span>
      ))}
    </span>
  );
}

/** One tick per snapshot, newest right: short where nothing changed, taller for a larger change. */
export function SnapshotTicks({ history }: { history: readonly HistoryTick[] }) {
  return (
    <span className={classes["ticks"]} aria-hidden>
      {history.slice(-limits.historyRuns).map((tick) => (
        <i key={tick.snapshot_id} data-status={tick.status} style={{ height: tickHeight(tick) }} />
      ))}
    </span>
  );
}
