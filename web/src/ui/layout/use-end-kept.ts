import { useEffect, useRef } from "react";
import { isField } from "../keys/use-keys.js";

/** What people do to go somewhere else. */
const departures = ["wheel", "touchmove", "pointerdown", "keydown"] as const;

/**
 * Has the key End lead to the end of a list although its rows turn out taller than was thought: drawing the last ones moves the
 * end away from under whoever went there.
 * @param total height of all rows as known now, in px
 * @param scroller what scrolls; the page where it is left out
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
    // rows are measured one after the other: asking for the height of the page in between would lay it out for each
    const frame = requestAnimationFrame(() => {
      const element = scroller === undefined ? document.documentElement : scroller.current;
      if (element !== null) element.scrollTop = element.scrollHeight;
    });
    return () => cancelAnimationFrame(frame);
  }, [total, scroller]);
}
