import { useElementSize } from "@mantine/hooks";
import { readViewport, usualWindow, type Viewport } from "@web-tester/contracts/visitor";
import { usePrinting } from "../layout/use-printing.js";
import { StoredFrame } from "./stored-frame.js";
import classes from "./stored-frame.module.css";

/** The printable width on the narrower of the usual papers (A4), without margins and the edges of a card. */
const paperPx = 620;

/**
 * The viewport that a page is shown in.
 * @param viewport of a snapshot
 */
export function windowOf(viewport: string): Viewport {
  return readViewport(viewport) ?? usualWindow;
}

/**
 * A stored page in a viewport as wide as when it was taken, scaled down where there is less room, so that its layout and its choice of
 * pictures are the same as then.
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
  // while printing, elements are not measured again
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
