import { useElementSize } from "@mantine/hooks";
import type { PictureRegion } from "@web-tester/contracts/entities/compare";
import { useEffect, useRef } from "react";
import { formatDate } from "../../../ui/format/dates.js";
import { SideLetter } from "../../../ui/layout/side-letter.js";
import { t } from "../../../texts/text.js";
import { Sheet, sheetWidth } from "./sheet.js";
import type { SheetSide, SheetsProps } from "./sheets-props.js";
import { SliderSheets } from "./slider-sheets.js";
import { useTwins } from "./use-twins.js";
import classes from "./visual.module.css";

/**
 * Shows both pages. Each has its full height within a pane, so that the panes can scroll together: a sandboxed page cannot be scrolled
 * from outside.
 */
export function Sheets(props: SheetsProps) {
  const { ref, width } = useElementSize();
  const columns = props.layout === "side" ? 2 : 1;
  const gap = 16;
  const paneWidth = Math.max(0, (width - gap * (columns - 1)) / columns - 2);
  const widest = Math.max(sheetWidth(props.pair.a), sheetWidth(props.pair.b));
  const fit = Math.min(1, Math.max(0.05, paneWidth / widest));
  const scale = props.zoom === "fit" ? fit : Number(props.zoom) / 100;
  return (
    <div ref={ref}>
      {width > 0 &&
        (props.layout === "slider" ? <SliderSheets {...props} scale={scale} /> : <TwoPanes {...props} scale={scale} />)}
    </div>
  );
}

function TwoPanes({
  pair,
  asPictures,
  layout,
  regions,
  mask,
  current,
  onPick,
  scale,
}: SheetsProps & { scale: number }) {
  const first = useRef<HTMLDivElement>(null);
  const second = useRef<HTMLDivElement>(null);
  useTwins(first, second);
  useShown(second, regions[current], scale);
  return (
    <div className={classes["panes"]} data-layout={layout}>
      <Pane ref={first} letter="A" {...pair.a}>
        <Sheet {...pair.a} letter="A" asPicture={asPictures} scale={scale} />
      </Pane>
      <Pane ref={second} letter="B" {...pair.b}>
        <Sheet
          {...pair.b}
          letter="B"
          asPicture={asPictures}
          scale={scale}
          regions={regions}
          mask={mask}
          current={current}
          onPick={onPick}
        />
      </Pane>
    </div>
  );
}

/** Scrolls to a region so that it is a third below the pane's upper left corner. */
function useShown(paneRef: React.RefObject<HTMLElement | null>, region: PictureRegion | undefined, scale: number) {
  useEffect(() => {
    const pane = paneRef.current;
    if (region === undefined || pane === null) return;
    pane.scrollTo({
      top: Math.max(0, region.y * scale - pane.clientHeight / 3),
      left: Math.max(0, region.x * scale - pane.clientWidth / 3),
    });
  }, [paneRef, region, scale]);
}

interface PaneProps extends SheetSide {
  ref: React.Ref<HTMLDivElement>;
  letter: "A" | "B";
  children: React.ReactNode;
}

/** One of the two pages below its title, in a scrolling box. */
function Pane({ ref, letter, children, ...shown }: PaneProps) {
  return (
    <section
      className={classes["pane"]}
      aria-label={t("{letter}: snapshot {number}", { letter, number: String(shown.side.number) })}
    >
      <SheetTitle letter={letter} {...shown} />
      <div
        ref={ref}
        className={classes["scroll"]}
        tabIndex={0}
        role="group"
        aria-label={t("Page {letter}", { letter })}
      >
        {children}
      </div>
    </section>
  );
}

function SheetTitle({ letter, side, picture }: SheetSide & { letter: "A" | "B" }) {
  return (
    <div className={classes["paneHead"]}>
      <SideLetter side={letter} />
      <span className="strong">#{side.number}</span>
      <span className="dense text-2">{formatDate(side.created_at)}</span>
      {picture !== undefined && (
        <span className={`mono text-2 ${classes["size"]}`}>
          {picture.width} × {picture.pageHeight}
        </span>
      )}
    </div>
  );
}
