import type { DiffHunks } from "@web-tester/contracts/entities/compare";
import { useWindowVirtualizer, type VirtualItem } from "@tanstack/react-virtual";
import { useEffect, useImperativeHandle, useLayoutEffect, useMemo, useRef, useState } from "react";
import { formatBytes } from "../../ui/format/bytes.js";
import { formatDate } from "../../ui/format/dates.js";
import { wrappedLines } from "../../ui/code/wrapped-lines.js";
import { guessedHeights } from "../../ui/layout/guessed-heights.js";
import { followWindow } from "../../ui/layout/observe-window.js";
import { SideLetter } from "../../ui/layout/side-letter.js";
import { useEndKept } from "../../ui/layout/use-end-kept.js";
import { type Place, usePlace } from "../../ui/layout/use-place.js";
import { usePrinting } from "../../ui/layout/use-printing.js";
import { useRowsInTurn } from "../../ui/layout/use-rows-in-turn.js";
import { stuckHeight } from "../../ui/layout/use-stuck-height.js";
import { t } from "../../texts/text.js";
import { GapRow, SplitRow, UnifiedRow } from "./diff-rows.js";
import { type LineAddress, placeOfLine, writeLine } from "./linked-line.js";
import { Ruler } from "./ruler-view.js";
import { changeNear } from "./ruler.js";
import type { Drawn, Gap, Row, RowModel } from "./row-model.js";
import classes from "./diff-view.module.css";

export interface DiffViewHandle {
  /** Scrolls a change into view. */
  show: (change: number) => void;
  /** Where a change is, relative to the visible part. */
  where: (change: number) => "above" | "here" | "below";
}

interface Props {
  diff: Drawn;
  model: RowModel;
  /** The titles of the two sides. Without them the view is part of something larger, and has neither frame nor ruler. */
  titles?: readonly [a: React.ReactNode, b: React.ReactNode];
  view: "unified" | "split";
  numbers: boolean;
  current: number;
  busyGap: number | undefined;
  onPick?: (change: number) => void;
  onOpen: (gap: Gap) => void;
  /** Makes the link of a line, where lines have links. */
  link?: ((line: LineAddress) => string) | undefined;
  /** The line that a link points to: it is scrolled into view once, and stays marked. */
  linked?: LineAddress | undefined;
  /** Called when a line's number is clicked. */
  onLine?: (line: LineAddress) => void;
  /** The page's name, where several differences are on one screen. */
  of?: string;
  /** The likely height until the width is known, so that nothing moves in between. */
  expectedPx?: number;
  ref?: React.Ref<DiffViewHandle>;
}

const lineHeight = 20;
const gapHeight = 30;
/** Width of a character, in px. */
const charWidth = 7.5;
/** Height of header and toolbar, which stick to the top, in px. */
const stuckPx = () => 54 + (stuckHeight() || 54);

/** Renders the difference itself, virtualised, with the overview ruler at its right. */
export function DiffView({ diff, model, titles, view, numbers, current, of, expectedPx, ref, ...acts }: Props) {
  const [canvas, place] = usePlace();
  const digits = String(Math.max(diff.a.lines, diff.b.lines)).length;
  const columns = textColumns(place.width, view, numbers ? Math.max(digits, 2) : 0);
  const virtualizer = useVirtualRows(model, place, columns);
  // a part of something larger ends where the next part begins
  useEndKept(titles === undefined ? 0 : virtualizer.getTotalSize());
  const items = virtualizer.getVirtualItems();
  const { printing, drawn } = useDrawnRows(items, model.rows);
  const seen = seenOf(items, virtualizer.scrollOffset ?? 0);
  useShowing(ref, { changes: model.changes, virtualizer, seen });
  const linking = useLinkedRow({ ...acts, rows: model.rows, virtualizer, isPlaced: place.width > 0 });
  const { busyGap, onOpen, onPick } = acts;
  const row = { topPx: place.top, view, current, busyGap, onOpen, ...linking, measure: virtualizer.measureElement };
  return (
    <div className={classes["viewGrid"]} data-part={titles === undefined || undefined}>
      <section
        className={classes["view"]}
        aria-label={of === undefined ? t("Differences") : t("Differences of {of}", { of })}
        style={{ ["--digits" as string]: digits }}
        data-numbers={numbers || undefined}
        data-view={view}
        {...useSelectedSide()}
      >
        {titles !== undefined && <Titles titles={titles} />}
        <div
          ref={canvas}
          className={classes["canvas"]}
          style={{ height: printing ? "auto" : place.width === 0 ? expectedPx : virtualizer.getTotalSize() }}
        >
          {drawn.map((item) => (
            <DrawnRow key={item.key} item={item} row={model.rows[item.index]} {...row} />
          ))}
        </div>
      </section>
      {titles !== undefined && <Overview {...{ model, seen, virtualizer, onPick }} />}
    </div>
  );
}

/** Restricts the selection of text to the side on which it began, so that it can be copied without the other side's lines in between. */
function useSelectedSide() {
  const [side, setSide] = useState<string>();
  return {
    "data-selects": side,
    onMouseDown: ({ target, button }: React.MouseEvent) => {
      if (button !== 0) return;
      const next = target instanceof Element ? target.closest<HTMLElement>("[data-side]")?.dataset["side"] : undefined;
      // a selection on the other side also spans this side's lines, and pressing the mouse on it would drag it
      if (next !== side) window.getSelection()?.removeAllRanges();
      setSide(next);
    },
  };
}

function Titles({ titles }: { titles: NonNullable<Props["titles"]> }) {
  return (
    <header className={classes["sides"]}>
      <div className={classes["sideTitle"]}>{titles[0]}</div>
      <div className={classes["sideTitle"]}>{titles[1]}</div>
    </header>
  );
}

interface DrawnRowProps extends Pick<Props, "view" | "current" | "busyGap" | "onOpen"> {
  /** `start` is undefined in print, where rows simply follow each other. */
  item: { index: number; start: number | undefined };
  row: Row | undefined;
  /** Position of the first row in the document. */
  topPx: number;
  linkedRow: number | undefined;
  link: ReturnType<typeof useLineLink>;
  measure: (element: HTMLElement | null) => void;
}

function DrawnRow({ item, row, topPx, view, current, busyGap, onOpen, linkedRow, link, measure }: DrawnRowProps) {
  if (row === undefined) return null;
  const shown = {
    current: row.type === "line" && row.change === current,
    linked: item.index === linkedRow,
    link,
    whole: item.start === undefined,
  };
  return (
    <div
      data-index={item.index}
      ref={item.start === undefined ? undefined : measure}
      className={item.start === undefined ? undefined : classes["slot"]}
      style={item.start === undefined ? undefined : { transform: `translateY(${item.start - topPx}px)` }}
    >
      {row.type === "gap" ? (
        <GapRow gap={row} busy={busyGap === row.bFrom} onOpen={onOpen} />
      ) : view === "split" ? (
        <SplitRow row={row} {...shown} />
      ) : (
        <UnifiedRow row={row} {...shown} />
      )}
    </div>
  );
}

interface OverviewProps extends Pick<Props, "model" | "onPick"> {
  seen: { first: number; last: number };
  virtualizer: Virtualizer;
}

/** The overview ruler: scrolls to a row, and selects the change next to it. */
function Overview({ model, seen: { first, last }, virtualizer, onPick }: OverviewProps) {
  return (
    <Ruler
      model={model}
      first={first}
      last={last}
      onGo={(row) => {
        virtualizer.scrollToIndex(row, { align: "center" });
        const near = changeNear(model.changes, row);
        if (near !== undefined) onPick?.(near);
      }}
    />
  );
}

type Virtualizer = ReturnType<typeof useVirtualRows>;

/** Virtualises the rows, by their position in the document. */
function useVirtualRows(model: RowModel, place: Place, columns: number) {
  const { rows } = model;
  const guessed = useMemo(
    () => guessedHeights(rows.length, (index) => guessHeight(rows[index], columns)),
    [rows, columns],
  );
  const virtualizer = useWindowVirtualizer({
    observeElementOffset: followWindow,
    useFlushSync: false,
    // Rows measured before their position is known would be taken for rows above the screen, and the page would jump.
    count: place.width === 0 ? 0 : rows.length,
    estimateSize: guessed,
    // A turn of the wheel brings a screenful of new rows; every row of overscan would be rendered in the same task.
    overscan: 2,
    scrollMargin: place.top,
    scrollPaddingStart: stuckPx() + 24,
  });
  useLayoutEffect(() => {
    virtualizer.measure();
    // `measure` also drops the heights of rendered rows, which nobody reports again unless they change. A measured height only counts where it
    // differs from the present one, so that the estimated sizes have to be computed first.
    virtualizer.getTotalSize();
    for (const element of virtualizer.elementsCache.values()) virtualizer.measureElement(element);
  }, [virtualizer, model, columns]);
  return virtualizer;
}

/** The rows to render now; when printing all of them, one below the other. */
function useDrawnRows(items: VirtualItem[], rows: readonly Row[]) {
  const inTurn = useRowsInTurn(items);
  const printing = usePrinting();
  const drawn = printing ? rows.map((_, index) => ({ key: index, index, start: undefined })) : inTurn;
  return { printing, drawn };
}

/** The first and last visible row below the sticky header. */
function seenOf(items: readonly VirtualItem[], scrollTop: number): { first: number; last: number } {
  const stuck = stuckPx();
  const visible = items.filter((item) => item.end > scrollTop + stuck && item.start < scrollTop + window.innerHeight);
  return { first: visible[0]?.index ?? 0, last: visible.at(-1)?.index ?? 0 };
}

interface Showing {
  changes: RowModel["changes"];
  virtualizer: Virtualizer;
  seen: { first: number; last: number };
}

function useShowing(ref: Props["ref"], { changes, virtualizer, seen: { first, last } }: Showing): void {
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
}

interface Linking extends Pick<Props, "link" | "linked" | "onLine"> {
  rows: readonly Row[];
  virtualizer: Virtualizer;
  /** Whether rows can be scrolled to. */
  isPlaced: boolean;
}

/**
 * Scrolls the row that a link points to into view, once.
 * @returns this row, and the links of the lines
 */
function useLinkedRow({ link, linked, onLine, rows, virtualizer, isPlaced }: Linking) {
  const linkedPlace = useMemo(() => (linked === undefined ? undefined : placeOfLine(rows, linked)), [rows, linked]);
  const linkedRow = linkedPlace !== undefined && "row" in linkedPlace ? linkedPlace.row : undefined;
  const shownLine = useRef<string>(undefined);
  useEffect(() => {
    if (linked === undefined || linkedRow === undefined || !isPlaced || shownLine.current === writeLine(linked)) return;
    shownLine.current = writeLine(linked);
    virtualizer.scrollToIndex(linkedRow, { align: "center" });
  }, [linked, linkedRow, isPlaced, virtualizer]);
  const lineLink = useLineLink(link, (line) => {
    // whoever clicks on a line is there already
    shownLine.current = writeLine(line);
    onLine?.(line);
  });
  return { linkedRow, link: lineLink };
}

/** Keeps the links of lines stable while rows are rendered again. */
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

/** Estimates the height of a row from its text. */
function guessHeight(row: Row | undefined, columns: number): number {
  if (row === undefined || row.type === "gap") return gapHeight;
  return Math.max(wrappedLines(row.a?.text ?? "", columns), wrappedLines(row.b?.text ?? "", columns)) * lineHeight;
}

/**
 * How many characters fit in a line of text, beside the numbers and the sign (see the style sheet).
 * @param digits 0: no numbers
 */
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
