import { useEffect, useLayoutEffect, useRef } from "react";
import { useLocation, useNavigationType } from "react-router";
import { keepPlaces, placeKey, placeOf } from "../../ui/layout/places.js";

/** The longest that a list may take to reach its former length. */
const patienceMs = 5_000;
const settledMs = 800;

/**
 * Restores the scroll position after going back, however deep: the router scrolls at once, when the list of the page is not loaded
 * yet; this continues while it grows, until the position is reached or the reader scrolls.
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

/** Notes how far the page is scrolled, so that it can be restored. */
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

/**
 * Scrolls to a position as soon as the page is long enough.
 * @returns a function that ends it early
 */
function restore(y: number, onEnd: () => void): () => void {
  const go = () => {
    window.scrollTo(0, y);
    if (Math.abs(window.scrollY - y) > 2) return;
    // content above may still grow or shrink for a moment
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
