import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useMemo, useRef } from "react";
import { CodeText } from "./code-line.js";
import { LineStates, linesOf } from "./line-states.js";
import { wrappedLines } from "./wrapped-lines.js";
import { counted } from "../format/words.js";
import { guessedHeights } from "../layout/guessed-heights.js";
import { useEndKept } from "../layout/use-end-kept.js";
import { usePrinting } from "../layout/use-printing.js";
import { t } from "../../texts/text.js";
import classes from "./code.module.css";

const lineHeight = 20;
/** The most lines that are printed: about 400 sheets. */
const printedLines = 20_000;
/** Roughly how many characters fit in a line. */
const columns = 90;

interface Props {
  text: string;
  label: string;
  maxHeight?: number;
  markup?: boolean;
  /** Ranges to mark, by the number of the line from 1. */
  found?: ReadonlyMap<number, readonly (readonly [number, number])[]> | undefined;
  /** The line to scroll to, from 1. */
  current?: number | undefined;
  /** What clicking a line's number does; this is a shortcut for the mouse, so there has to be another way for the keyboard. */
  line?: { label: (line: number) => string; onPick: (line: number) => void } | undefined;
}

/** Shows read-only text with line numbers, virtualised: a page of any length costs a screenful of DOM. */
export function CodeView({ text, label, maxHeight = 400, markup = true, found, current, line }: Props) {
  const scroller = useRef<HTMLDivElement>(null);
  const lines = useMemo(() => linesOf(text), [text]);
  const states = useMemo(() => new LineStates(lines), [lines]);
  const digits = String(lines.length).length;
  const virtualizer = useLinesInView(lines, scroller, current);
  const printing = usePrinting();
  if (lines.length === 0) return <p className={`label ${classes["nothing"]}`}>{t("Empty")}</p>;
  const drawn = printing
    ? lines.slice(0, printedLines).map((_, index) => ({ key: index, index, start: undefined }))
    : virtualizer.getVirtualItems();
  return (
    <div
      ref={scroller}
      className={classes["view"]}
      style={{ maxHeight: printing ? "none" : maxHeight, ["--digits" as string]: digits }}
      tabIndex={0}
      role="region"
      aria-label={label}
    >
      <div style={{ height: printing ? "auto" : virtualizer.getTotalSize() }} className={classes["canvas"]}>
        {drawn.map((item) => (
          <Slot key={item.key} item={item} isCurrent={item.index + 1 === current} measure={virtualizer.measureElement}>
            <LineNumber number={item.index + 1} line={line} />
            <span className={classes["text"]}>
              <CodeText
                text={lines[item.index] ?? ""}
                state={markup ? states.at(item.index) : "raw:style"}
                marks={found?.get(item.index + 1)}
                side="found"
                whole={printing}
              />
            </span>
          </Slot>
        ))}
      </div>
      {printing && lines.length > printedLines && <NotPrinted count={lines.length - printedLines} />}
    </div>
  );
}

/** Virtualises the lines, and scrolls `current` into view. */
function useLinesInView(
  lines: readonly string[],
  scroller: React.RefObject<HTMLDivElement | null>,
  current: number | undefined,
) {
  const guessed = useMemo(
    () => guessedHeights(lines.length, (index) => wrappedLines(lines[index] ?? "", columns) * lineHeight),
    [lines],
  );
  const virtualizer = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: guessed,
    overscan: 12,
  });
  useEndKept(virtualizer.getTotalSize(), scroller);
  useEffect(() => {
    if (current !== undefined) virtualizer.scrollToIndex(current - 1, { align: "center" });
  }, [current, virtualizer]);
  return virtualizer;
}

interface SlotProps {
  /** `start` is undefined in print, where lines simply follow each other. */
  item: { index: number; start: number | undefined };
  isCurrent: boolean;
  measure: (element: HTMLElement | null) => void;
  children: React.ReactNode;
}

/** Positions one line. */
function Slot({ item: { index, start }, isCurrent, measure, children }: SlotProps) {
  return (
    <div
      data-index={index}
      ref={start === undefined ? undefined : measure}
      className={classes["line"]}
      data-current={isCurrent || undefined}
      data-printed={start === undefined || undefined}
      style={start === undefined ? undefined : { transform: `translateY(${start}px)` }}
    >
      {children}
    </div>
  );
}

function LineNumber({ number, line }: Pick<Props, "line"> & { number: number }) {
  if (line === undefined)
    return (
      <span className={classes["number"]} aria-hidden>
        {number}
      </span>
    );
  return (
    <button
      type="button"
      data-print
      tabIndex={-1}
      className={classes["number"]}
      aria-label={line.label(number)}
      title={line.label(number)}
      onClick={() => line.onPick(number)}
    >
      {number}
    </button>
  );
}

function NotPrinted({ count }: { count: number }) {
  return <p className={classes["nothing"]}>{t("{lines} more are not printed", { lines: counted(count, "line") })}</p>;
}
