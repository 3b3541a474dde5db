import type { DiffHunks } from "@web-tester/contracts/entities/compare";
import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useImperativeHandle, useLayoutEffect, useMemo, useRef } from "react";
import { formatBytes } from "../../ui/format/bytes.js";
import { formatDate } from "../../ui/format/dates.js";
import { wrappedLines } from "../../ui/code/wrapped-lines.js";
import { guessedHeights } from "../../ui/layout/guessed-heights.js";
import { followWindow } from "../../ui/layout/observe-window.js";
import { SideLetter } from "../../ui/layout/side-letter.js";
import { useEndKept } from "../../ui/layout/use-end-kept.js";
import { usePlace } from "../../ui/layout/use-place.js";
import { usePrinting } from "../../ui/layout/use-printing.js";
import { useRowsInTurn } from "../../ui/layout/use-rows-in-turn.js";
import { t } from "../../texts/text.js";
import { GapRow, SplitRow, UnifiedRow } from "./diff-rows.js";
import { type LineAddress, placeOfLine, writeLine } from "./linked-line.js";
import { Ruler } from "./ruler-view.js";
import { changeNear } from "./ruler.js";
import type { Drawn, Gap, Row, RowModel } from "./row-model.js";
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
  /** The address of a line, where lines have addresses of their own. */
  link?: ((line: LineAddress) => string) | undefined;
  /** The line that a link led to: it is brought into view once, and stays marked. */
  linked?: LineAddress | undefined;
  /** A number of a line was clicked. */
  onLine?: (line: LineAddress) => void;
  /** The page, where several differences stand on one screen. */
  of?: string;
  /** How tall it is likely to be, until its width is known: nothing moves in between. */
  expectedPx?: number;
  ref?: React.Ref<DiffViewHandle>;
}

const lineHeight = 20;
const gapHeight = 30;
/** Of a character, in px. */
const charWidth = 7.5;
/** Header and toolbar, which stay on top. */
const stuckPx = 108;

/** The difference itself, drawn where it is seen, with the overview ruler at its right. */
export function DiffView({
  diff,
  model,
  titles,
  view,
  numbers,
  current,
  busyGap,
  onPick,
  onOpen,
  link,
  linked,
  onLine,
  of,
  expectedPx,
  ref,
}: Props) {
  const [canvas, place] = usePlace();
  const { rows, changes } = model;
  const digits = String(Math.max(diff.a.lines, diff.b.lines)).length;
  const columns = textColumns(place.width, view, numbers ? Math.max(digits, 2) : 0);
  const guessed = useMemo(
    () => guessedHeights(rows.length, (index) => guessHeight(rows[index], columns)),
    [rows, columns],
  );
  const virtualizer = useWindowVirtualizer({
    observeElementOffset: followWindow,
    useFlushSync: false,
    // Rows measured before their place is known would be taken for rows above the screen, and the page would jump.
    count: place.width === 0 ? 0 : rows.length,
    estimateSize: guessed,
    // A turn of the wheel brings a screen of new rows; each row ahead is drawn in the same task.
    overscan: 2,
    scrollMargin: place.top,
    scrollPaddingStart: stuckPx + 24,
  });

  useLayoutEffect(() => virtualizer.measure(), [virtualizer, model, columns]);
  // a part of something larger ends where the next one begins
  useEndKept(titles === undefined ? 0 : virtualizer.getTotalSize());

  const items = virtualizer.getVirtualItems();
  const inTurn = useRowsInTurn(items);
  const printing = usePrinting();
  const drawn = printing ? rows.map((_, index) => ({ key: index, index, start: undefined })) : inTurn;
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

  const linkedPlace = useMemo(() => (linked === undefined ? undefined : placeOfLine(rows, linked)), [rows, linked]);
  const linkedRow = linkedPlace !== undefined && "row" in linkedPlace ? linkedPlace.row : undefined;
  const shownLine = useRef<string>(undefined);
  const isPlaced = place.width > 0;
  useEffect(() => {
    if (linked === undefined || linkedRow === undefined || !isPlaced || shownLine.current === writeLine(linked)) return;
    shownLine.current = writeLine(linked);
    virtualizer.scrollToIndex(linkedRow, { align: "center" });
  }, [linked, linkedRow, isPlaced, virtualizer]);
  const lineLink = useLineLink(link, (line) => {
    // who clicks on it is there already
    shownLine.current = writeLine(line);
    onLine?.(line);
  });

  return (
    <div className={classes["viewGrid"]} data-part={titles === undefined || undefined}>
      <section
        className={classes["view"]}
        aria-label={of === undefined ? t("Differences") : t("Differences of {of}", { of })}
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
        <div
          ref={canvas}
          className={classes["canvas"]}
          style={{ height: printing ? "auto" : place.width === 0 ? expectedPx : virtualizer.getTotalSize() }}
        >
          {drawn.map((item) => {
            const row = rows[item.index];
            if (row === undefined) return null;
            const isCurrent = row.type === "line" && row.change === current;
            return (
              <div
                key={item.key}
                data-index={item.index}
                ref={item.start === undefined ? undefined : virtualizer.measureElement}
                className={item.start === undefined ? undefined : classes["slot"]}
                style={item.start === undefined ? undefined : { transform: `translateY(${item.start - place.top}px)` }}
              >
                {row.type === "gap" ? (
                  <GapRow gap={row} busy={busyGap === row.bFrom} onOpen={onOpen} />
                ) : view === "split" ? (
                  <SplitRow row={row} current={isCurrent} linked={item.index === linkedRow} link={lineLink} />
                ) : (
                  <UnifiedRow row={row} current={isCurrent} linked={item.index === linkedRow} link={lineLink} />
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

/** Links of lines that stay the same while rows are drawn again. */
function useLineLink(
  address: Props["link"],
  onPick: (line: LineAddress) => void,
): { address: (line: LineAddress) => string; onPick: (line: LineAddress) => void } | undefined {
  const pick = useRef(onPick);
  useEffect(() => {
    pick.current = onPick;
  });
  return useMemo(
    () => (address === undefined ? undefined : { address, onPick: (line) => pick.current(line) }),
    [address],
  );
}

/** How high a row will be, as far as its text tells. */
function guessHeight(row: Row | undefined, columns: number): number {
  if (row === undefined || row.type === "gap") return gapHeight;
  return Math.max(wrappedLines(row.a?.text ?? "", columns), wrappedLines(row.b?.text ?? "", columns)) * lineHeight;
}

/** Characters that a line of text has room for, beside the numbers and the sign (see the style sheet). @param digits 0: no numbers */
function textColumns(width: number, view: Props["view"], digits: number): number {
  const number = digits === 0 ? 8 : digits * charWidth;
  const beside = view === "split" ? number + (digits === 0 ? 0 : 30) : 2 * number + (digits === 0 ? 0 : 2 * 18);
  const side = view === "split" ? (width - 1) / 2 : width;
  return Math.max(20, Math.floor((side - beside - 22 - 8) / charWidth));
}

/** The title of a side that is a snapshot. */
export function SnapshotTitle({ side, snapshot }: { side: "A" | "B"; snapshot: DiffHunks["a"] }) {
  return (
    <>
      <SideLetter side={side} />
      <b>{t("Snapshot {number}", { number: String(snapshot.number) })}</b>
      <span className="text-2">{formatDate(snapshot.created_at)}</span>
      <span className={`mono text-2 ${classes["sideSize"]}`}>{formatBytes(snapshot.html_bytes)}</span>
    </>
  );
}
