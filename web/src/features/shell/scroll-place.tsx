import { useEffect, useLayoutEffect, useRef } from "react";
import { useLocation, useNavigationType } from "react-router";
import { keepPlaces, placeKey, placeOf } from "../../ui/layout/places.js";

/** How long a list may take until it is as long again as it was. */
const patienceMs = 5_000;
const settledMs = 800;

/**
 * Comes back to the place that one left, however deep: the router scrolls at once, when the list behind the address has not been read yet; this goes on as it
 * grows, until it is there or the reader scrolls.
 */
export function ScrollPlace() {
  const location = useLocation();
  const type = useNavigationType();
  const key = placeKey(location);
  const here = useRef(key);
  const restoring = useRef(false);
  useNotedPlace(here, restoring);
  useLayoutEffect(() => {
    here.current = key;
    const { y } = placeOf(key);
    if (type !== "POP" || y === 0) return undefined;
    restoring.current = true;
    return restore(y, () => (restoring.current = false));
  }, [key, type]);
  return null;
}

/** Notes how far down the page is, so that one can come back. */
function useNotedPlace(here: React.RefObject<string>, restoring: React.RefObject<boolean>): void {
  useEffect(() => {
    const note = () => {
      if (!restoring.current) placeOf(here.current).y = window.scrollY;
    };
    window.addEventListener("scroll", note, { passive: true });
    window.addEventListener("pagehide", keepPlaces);
    return () => {
      window.removeEventListener("scroll", note);
      window.removeEventListener("pagehide", keepPlaces);
    };
  }, [here, restoring]);
}

/** Scrolls to a height as soon as the page is that long. @returns what ends it early */
function restore(y: number, onEnd: () => void): () => void {
  const go = () => {
    window.scrollTo(0, y);
    if (Math.abs(window.scrollY - y) > 2) return;
    // what stands above may still grow or shrink for a moment
    window.clearTimeout(settled);
    settled = window.setTimeout(() => end(), settledMs);
  };
  let settled = 0;
  const observer = new ResizeObserver(go);
  const timer = window.setTimeout(() => end(), patienceMs);
  const acts = ["wheel", "touchstart", "keydown", "pointerdown"] as const;
  function end() {
    onEnd();
    observer.disconnect();
    window.clearTimeout(timer);
    window.clearTimeout(settled);
    for (const act of acts) window.removeEventListener(act, end);
  }
  for (const act of acts) window.addEventListener(act, end, { passive: true });
  observer.observe(document.body);
  return end;
}
