import { memo, useMemo } from "react";
import type { RowModel } from "./row-model.js";
import { rulerMarks } from "./ruler.js";
import classes from "./diff-view.module.css";

const slots = 240;

/**
 * Draws all changes of the document next to the visible part; clicking scrolls there. It is only a picture: the stepper does the same
 * by keyboard.
 */
export function Ruler({
  model,
  first,
  last,
  onGo,
}: {
  model: RowModel;
  first: number;
  last: number;
  onGo: (row: number) => void;
}) {
  const count = model.rows.length;
  const go = (event: React.PointerEvent<HTMLDivElement>) => {
    const box = event.currentTarget.getBoundingClientRect();
    onGo(Math.max(0, Math.min(count - 1, Math.floor(((event.clientY - box.top) / box.height) * count))));
  };
  return (
    <div className={classes["ruler"]} aria-hidden data-screen-only>
      <div
        className={classes["rulerTrack"]}
        onPointerDown={go}
        onPointerMove={(event) => event.buttons === 1 && go(event)}
      >
        <Marks model={model} />
        <span
          className={classes["viewport"]}
          style={{ top: `${(first / count) * 100}%`, height: `max(12px, ${((last + 1 - first) / count) * 100}%)` }}
        />
      </div>
    </div>
  );
}

const Marks = memo(function Marks({ model }: { model: RowModel }) {
  const marks = useMemo(() => rulerMarks(model, slots), [model]);
  return marks.map((mark) => (
    <i
      key={mark.from}
      data-removed={mark.removed || undefined}
      data-added={mark.added || undefined}
      data-share={mark.share}
      style={{ top: `${(mark.from / slots) * 100}%`, height: `max(3px, ${((mark.to - mark.from) / slots) * 100}%)` }}
    />
  ));
});
