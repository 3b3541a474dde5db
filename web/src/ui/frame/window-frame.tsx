import { useElementSize } from "@mantine/hooks";
import { readViewport, usualWindow, type Viewport } from "@web-tester/contracts/visitor";
import { usePrinting } from "../layout/use-printing.js";
import { StoredFrame } from "./stored-frame.js";
import classes from "./stored-frame.module.css";

/** Room on the narrower of the usual papers (A4), margins and the edges of a card taken off. */
const paperPx = 620;

/** @param viewport of a snapshot @returns the window that its page is shown in */
export function windowOf(viewport: string): Viewport {
  return readViewport(viewport) ?? usualWindow;
}

/**
 * A stored page in a window as wide as the one that it was taken in, made small where there is less room, so that it is laid out, and
 * chooses its pictures, as it did then.
 * @param height that it takes here; without it, all that there is
 * @param viewport of the snapshot
 */
export function WindowFrame({
  address,
  title,
  height,
  viewport,
}: {
  address: string;
  title: string;
  height?: number;
  viewport: string;
}) {
  const { ref, ...room } = useElementSize();
  const { width } = windowOf(viewport);
  // on its way to paper nobody measures anew
  const paper = usePrinting() ? paperPx : Infinity;
  const scale = room.width === 0 ? 1 : Math.min(1, room.width / width, paper / width);
  return (
    <div ref={ref} className={classes["window"]} style={{ height: height ?? "100%" }}>
      <div
        className={classes["scaled"]}
        style={{ width, height: (height ?? room.height) / scale, transform: `scale(${scale})` }}
      >
        <StoredFrame address={address} title={title} />
      </div>
    </div>
  );
}
