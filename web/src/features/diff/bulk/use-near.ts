import { useEffect, useState } from "react";

/**
 * Whether an element is near the visible part of the page.
 * @param margin an observer's `rootMargin`: how near
 */
export function useNear(margin: string): [ref: (element: HTMLElement | null) => void, near: boolean] {
  const [element, setElement] = useState<HTMLElement | null>(null);
  const [near, setNear] = useState(false);
  useEffect(() => {
    if (element === null) return undefined;
    const observer = new IntersectionObserver(
      (entries) => {
        const last = entries.at(-1);
        if (last !== undefined) setNear(last.isIntersecting);
      },
      { rootMargin: margin },
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, [element, margin]);
  return [setElement, near];
}
