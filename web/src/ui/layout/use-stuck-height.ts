import { useCallback } from "react";

const name = "--wt-toolbar";

/** How high what sticks under the header is now, in px; 0 where nothing does. */
export const stuckHeight = (): number => Number.parseFloat(document.documentElement.style.getPropertyValue(name)) || 0;

/**
 * Tells styles how high what sticks under the header is: `--wt-toolbar`. It takes a second row where its words are long or the window
 * is narrow, and what is scrolled to, by keys too, has to end below it.
 * @returns the ref of what sticks
 */
export function useStuckHeight() {
  return useCallback((bar: HTMLElement | null) => {
    if (bar === null) return undefined;
    const { style } = document.documentElement;
    const observer = new ResizeObserver(() => style.setProperty(name, `${bar.offsetHeight}px`));
    observer.observe(bar);
    return () => {
      observer.disconnect();
      style.removeProperty(name);
    };
  }, []);
}
