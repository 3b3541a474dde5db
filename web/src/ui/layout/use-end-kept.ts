import { useEffect, useRef } from "react";
import { isField } from "../keys/use-keys.js";

/** Events by which people go somewhere else. */
const departures = ["wheel", "touchmove", "pointerdown", "keydown"] as const;

/**
 * Makes the key End reach the end of a list although its rows turn out taller than estimated: rendering the last ones moves the end
 * away again.
 * @param total height of all rows as known now, in px
 * @param scroller the scrolling element; the page where it is left out
 */
export function useEndKept(total: number, scroller?: React.RefObject<HTMLElement | null>): void {
  const wanted = useRef(false);
  useEffect(() => {
    const decide = (event: Event) => {
      const isHere =
        scroller === undefined || (event.target instanceof Node && scroller.current?.contains(event.target));
      wanted.current =
        event instanceof KeyboardEvent && event.key === "End" && isHere === true && !isField(event.target);
    };
    for (const name of departures) window.addEventListener(name, decide, { passive: true });
    return () => {
      for (const name of departures) window.removeEventListener(name, decide);
    };
  }, [scroller]);
  useEffect(() => {
    if (!wanted.current) return undefined;
    // rows are measured one after the other: reading the page's height in between would force a layout for each
    const frame = requestAnimationFrame(() => {
      const element = scroller === undefined ? document.documentElement : scroller.current;
      if (element !== null) element.scrollTop = element.scrollHeight;
    });
    return () => cancelAnimationFrame(frame);
  }, [total, scroller]);
}
