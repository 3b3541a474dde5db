import { useCallback } from "react";

const name = "--wt-toolbar";

/** The height in px of what sticks below the header now; 0 where nothing does. */
export const stuckHeight = (): number => Number.parseFloat(document.documentElement.style.getPropertyValue(name)) || 0;

/**
 * Provides the height of what sticks below the header to CSS as `--wt-toolbar`. It takes a second row where its words are long or the
 * window is narrow, and scrolling to something, by keys too, has to end below it.
 * @returns the ref of the sticky element
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
