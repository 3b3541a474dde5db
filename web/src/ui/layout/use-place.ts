import { useLayoutEffect, useState } from "react";

/** Where an element stands in the document and how wide it is, in px. */
export interface Place {
  readonly top: number;
  readonly width: number;
}

/** Follows the place of an element while the page around it grows and shrinks. @returns the element's ref, and its place. */
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
