import { useElementSize } from "@mantine/hooks";
import { useEffect, useRef } from "react";
import { formatDate } from "../../../ui/format/dates.js";
import { SideLetter } from "../../../ui/layout/side-letter.js";
import { Sheet } from "./sheet.js";
import type { SheetSide, SheetsProps } from "./sheets-props.js";
import { SliderSheets } from "./slider-sheets.js";
import { useTwins } from "./use-twins.js";
import classes from "./visual.module.css";

/** Width of the window that pages are laid out for. */
export const sheetWidth = 1280;

/** Both pages. Each stands at its full height in a pane, so that the panes can scroll together: nobody can scroll a sandboxed page from outside. */
export function Sheets(props: SheetsProps) {
  const { ref, width } = useElementSize();
  const columns = props.layout === "side" ? 2 : 1;
  const gap = 16;
  const paneWidth = Math.max(0, (width - gap * (columns - 1)) / columns - 2);
  const fit = Math.min(1, Math.max(0.05, paneWidth / sheetWidth));
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
  const region = regions[current];
  useEffect(() => {
    const pane = second.current;
    if (region === undefined || pane === null) return;
    pane.scrollTo({
      top: Math.max(0, region.y * scale - pane.clientHeight / 3),
      left: Math.max(0, region.x * scale - pane.clientWidth / 3),
    });
  }, [region, scale]);
  return (
    <div className={classes["panes"]} data-layout={layout}>
      <section className={classes["pane"]} aria-label={`A: snapshot ${pair.a.side.number}`}>
        <SheetTitle letter="A" {...pair.a} />
        <div ref={first} className={classes["scroll"]} tabIndex={0} role="group" aria-label="Page A">
          <Sheet {...pair.a} letter="A" asPicture={asPictures} scale={scale} />
        </div>
      </section>
      <section className={classes["pane"]} aria-label={`B: snapshot ${pair.b.side.number}`}>
        <SheetTitle letter="B" {...pair.b} />
        <div ref={second} className={classes["scroll"]} tabIndex={0} role="group" aria-label="Page B">
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
        </div>
      </section>
    </div>
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
