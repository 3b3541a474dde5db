import type { HistoryTick } from "@web-tester/contracts/entities/instance";
import type { RunSummary } from "@web-tester/contracts/entities/run";
import { limits } from "@web-tester/contracts/limits";
import { barPaths, tickHeight } from "./scale.js";
import classes from "./history.module.css";

const barHeight = 28;

/** One bar per finished fetch run, newest right, failures on top; hidden from screen readers, as words beside it say the same. */
export function RunBars({ history }: { history: readonly RunSummary[] }) {
  const { width, failed, changed, quiet } = barPaths(history.slice(-limits.historyRuns), barHeight);
  if (width === 0) return null;
  return (
    <svg
      className={classes["bars"]}
      viewBox={`0 0 ${width} ${barHeight + 2}`}
      style={{ ["--width" as string]: width }}
      preserveAspectRatio="none"
      aria-hidden
    >
      {quiet !== "" && <path data-part="quiet" d={quiet} />}
      {changed !== "" && <path data-part="changed" d={changed} />}
      {failed !== "" && <path data-part="failed" d={failed} />}
    </svg>
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
