import { useLayoutEffect, useState } from "react";

/** The position of an element in the document and its width, in px. */
export interface Place {
  readonly top: number;
  readonly width: number;
}

/**
 * Follows the position of an element while the page around it grows and shrinks.
 * @returns the element's ref, and its place.
 */
export function usePlace(): [ref: (element: HTMLElement | null) => void, place: Place] {
  const [element, setElement] = useState<HTMLElement | null>(null);
  const [place, setPlace] = useState<Place>({ top: 0, width: 0 });
  useLayoutEffect(() => {
    if (element === null) return undefined;
    const measure = () => {
      const box = element.getBoundingClientRect();
      const next = { top: Math.round(box.top + window.scrollY), width: Math.round(box.width) };
      setPlace((now) => (now.top === next.top && now.width === next.width ? now : next));
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(document.body);
    observer.observe(element);
    return () => observer.disconnect();
  }, [element]);
  return [setElement, place];
}
