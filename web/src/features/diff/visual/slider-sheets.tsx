import type { PictureRegion } from "@web-tester/contracts/entities/compare";
import { IconGripVertical } from "@tabler/icons-react";
import { useEffect, useRef, useState } from "react";
import { formatDate } from "../../../ui/format/dates.js";
import { SideLetter } from "../../../ui/layout/side-letter.js";
import { t } from "../../../texts/text.js";
import { Sheet, sheetWidth } from "./sheet.js";
import type { SheetsProps } from "./sheets-props.js";
import classes from "./visual.module.css";

/** Shows A on top of B, with an edge between them that can be dragged or moved by the arrow keys. */
export function SliderSheets({
  pair,
  asPictures,
  regions,
  mask,
  current,
  onPick,
  scale,
}: SheetsProps & { scale: number }) {
  const [place, setPlace] = useState(50);
  const stage = useRef<HTMLDivElement>(null);
  const pane = useRef<HTMLDivElement>(null);
  const width = Math.max(sheetWidth(pair.a), sheetWidth(pair.b));
  useShown(pane, regions[current], scale);
  return (
    <section className={classes["pane"]} data-slider style={{ maxWidth: width * scale + 2 }} aria-label={t("A over B")}>
      <Titles pair={pair} />
      <div ref={pane} className={classes["scroll"]} tabIndex={0} role="group" aria-label={t("Pages A and B")}>
        <div ref={stage} className={classes["stage"]} style={{ width: width * scale }}>
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
          <div className={classes["over"]} style={{ clipPath: `inset(0 ${100 - place}% 0 0)` }}>
            <Sheet {...pair.a} letter="A" asPicture={asPictures} scale={scale} />
          </div>
          <Edge place={place} onPlace={setPlace} stage={stage} />
        </div>
      </div>
    </section>
  );
}

/** Scrolls to a region so that it is a third below the pane's upper edge. */
function useShown(
  paneRef: React.RefObject<HTMLElement | null>,
  region: PictureRegion | undefined,
  scale: number,
): void {
  useEffect(() => {
    if (region !== undefined)
      paneRef.current?.scrollTo({ top: Math.max(0, region.y * scale - paneRef.current.clientHeight / 3) });
  }, [paneRef, region, scale]);
}

function Titles({ pair }: Pick<SheetsProps, "pair">) {
  return (
    <div className={classes["paneHead"]}>
      <SideLetter side="A" />
      <span className="strong">#{pair.a.side.number}</span>
      <span className="dense text-2">{formatDate(pair.a.side.created_at)}</span>
      <span className={classes["size"]}>
        <span className="dense text-2">
          #{pair.b.side.number}, {formatDate(pair.b.side.created_at)}
        </span>
        <SideLetter side="B" />
      </span>
    </div>
  );
}

interface EdgeProps {
  /** Its position in per cent of the stage's width, from the left. */
  place: number;
  onPlace: (percent: number) => void;
  stage: React.RefObject<HTMLElement | null>;
}

function Edge({ place, onPlace, stage }: EdgeProps) {
  const put = (percent: number) => onPlace(Math.min(100, Math.max(0, percent)));
  const drag = (event: React.PointerEvent<HTMLDivElement>) => {
    const box = stage.current?.getBoundingClientRect();
    if (box === undefined || !event.currentTarget.hasPointerCapture(event.pointerId)) return;
    put(((event.clientX - box.left) / box.width) * 100);
  };
  const onKey = (event: React.KeyboardEvent) => {
    const next = placeByKey(event, place);
    if (next === undefined) return;
    event.preventDefault();
    put(next);
  };
  return (
    <div
      className={classes["edge"]}
      style={{ left: `${place}%` }}
      role="slider"
      tabIndex={0}
      aria-label={t("Edge between A and B")}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.round(place)}
      aria-valuetext={t("{percent} % of A", { percent: Math.round(place) })}
      onKeyDown={onKey}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={drag}
    >
      <span className={classes["grip"]}>
        <IconGripVertical size={16} aria-hidden />
      </span>
    </div>
  );
}

/** The position that a key moves the edge to; undefined for other keys. */
function placeByKey({ key, shiftKey }: React.KeyboardEvent, place: number): number | undefined {
  const size = shiftKey ? 10 : 1;
  const steps: Record<string, number> = {
    ArrowLeft: place - size,
    ArrowRight: place + size,
    Home: 0,
    End: 100,
  };
  return steps[key];
}
