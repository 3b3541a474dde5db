import type { DiffHunks } from "@web-tester/contracts/entities";
import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { useImperativeHandle, useLayoutEffect } from "react";
import { formatBytes } from "../../ui/format/bytes.js";
import { formatDate } from "../../ui/format/dates.js";
import { SideLetter } from "../../ui/layout/side-letter.js";
import { usePlace } from "../../ui/layout/use-place.js";
import { GapRow, SplitRow, UnifiedRow } from "./diff-rows.js";
import { Ruler } from "./ruler-view.js";
import { changeNear } from "./ruler.js";
import type { Drawn, Gap, RowModel } from "./row-model.js";
import classes from "./diff-view.module.css";

export interface DiffViewHandle {
  /** Brings a change into view. */
  show: (change: number) => void;
  /** Where a change is as seen from what is on screen. */
  where: (change: number) => "above" | "here" | "below";
}

interface Props {
  diff: Drawn;
  model: RowModel;
  /** What stands above the two sides. Without it the view is a part of something larger: no frame and no ruler of its own. */
  titles?: readonly [a: React.ReactNode, b: React.ReactNode];
  view: "unified" | "split";
  numbers: boolean;
  current: number;
  busyGap: number | undefined;
  onPick?: (change: number) => void;
  onOpen: (gap: Gap) => void;
  /** The page, where several differences stand on one screen. */
  of?: string;
  ref?: React.Ref<DiffViewHandle>;
}

const lineHeight = 20;
const gapHeight = 30;
/** Header and toolbar, which stay on top. */
const stuckPx = 108;

/** The difference itself, drawn where it is seen, with the overview ruler at its right. */
export function DiffView({ diff, model, titles, view, numbers, current, busyGap, onPick, onOpen, of, ref }: Props) {
  const [canvas, place] = usePlace();
  const { rows, changes } = model;
  const columns = Math.max(20, Math.floor((place.width / (view === "split" ? 2 : 1) - 74) / 7.5));
  const estimate = (index: number) => {
    const row = rows[index];
    if (row === undefined || row.type === "gap") return gapHeight;
    const chars = Math.min(3_000, Math.max(row.a?.text.length ?? 0, row.b?.text.length ?? 0));
    return Math.max(1, Math.ceil(chars / columns)) * lineHeight;
  };
  const virtualizer = useWindowVirtualizer({
    // Rows measured before their place is known would be taken for rows above the screen, and the page would jump.
    count: place.width === 0 ? 0 : rows.length,
    estimateSize: estimate,
    // A turn of the wheel brings a screen of new rows; each row ahead is drawn in the same task.
    overscan: 6,
    scrollMargin: place.top,
    scrollPaddingStart: stuckPx + 24,
  });

  useLayoutEffect(() => virtualizer.measure(), [virtualizer, model, columns]);

  const items = virtualizer.getVirtualItems();
  const scrollTop = virtualizer.scrollOffset ?? 0;
  const visible = items.filter((item) => item.end > scrollTop + stuckPx && item.start < scrollTop + window.innerHeight);
  const first = visible[0]?.index ?? 0;
  const last = visible.at(-1)?.index ?? 0;

  useImperativeHandle(ref, () => ({
    show: (change) => {
      const found = changes[change];
      if (found !== undefined)
        virtualizer.scrollToIndex(found.first, { align: found.last - found.first > 15 ? "start" : "center" });
    },
    where: (change) => {
      const found = changes[change];
      if (found === undefined || (found.last >= first && found.first <= last)) return "here";
      return found.last < first ? "above" : "below";
    },
  }));

  const digits = String(Math.max(diff.a.lines, diff.b.lines)).length;
  return (
    <div className={classes["viewGrid"]} data-part={titles === undefined || undefined}>
      <section
        className={classes["view"]}
        aria-label={of === undefined ? "Differences" : `Differences of ${of}`}
        style={{ ["--digits" as string]: digits }}
        data-numbers={numbers || undefined}
        data-view={view}
      >
        {titles !== undefined && (
          <header className={classes["sides"]}>
            <div className={classes["sideTitle"]}>{titles[0]}</div>
            <div className={classes["sideTitle"]}>{titles[1]}</div>
          </header>
        )}
        <div ref={canvas} className={classes["canvas"]} style={{ height: virtualizer.getTotalSize() }}>
          {items.map((item) => {
            const row = rows[item.index];
            if (row === undefined) return null;
            const isCurrent = row.type === "line" && row.change === current;
            return (
              <div
                key={item.key}
                data-index={item.index}
                ref={virtualizer.measureElement}
                className={classes["slot"]}
                style={{ transform: `translateY(${item.start - place.top}px)` }}
              >
                {row.type === "gap" ? (
                  <GapRow gap={row} busy={busyGap === row.bFrom} onOpen={onOpen} />
                ) : view === "split" ? (
                  <SplitRow row={row} current={isCurrent} />
                ) : (
                  <UnifiedRow row={row} current={isCurrent} />
                )}
              </div>
            );
          })}
        </div>
      </section>
      {titles !== undefined && (
        <Ruler
          model={model}
          first={first}
          last={last}
          onGo={(row) => {
            virtualizer.scrollToIndex(row, { align: "center" });
            const near = changeNear(changes, row);
            if (near !== undefined) onPick?.(near);
          }}
        />
      )}
    </div>
  );
}

/** The title of a side that is a snapshot. */
export function SnapshotTitle({ side, snapshot }: { side: "A" | "B"; snapshot: DiffHunks["a"] }) {
  return (
    <>
      <SideLetter side={side} />
      <b>Snapshot {snapshot.number}</b>
      <span className="text-2">{formatDate(snapshot.created_at)}</span>
      <span className={`mono text-2 ${classes["sideSize"]}`}>{formatBytes(snapshot.html_bytes)}</span>
    </>
  );
}
