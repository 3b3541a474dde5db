import { type RefObject, useEffect } from "react";

/** Two panes that scroll as one; what one cannot scroll to, the other may show alone. */
export function useTwins(first: RefObject<HTMLElement | null>, second: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const one = first.current;
    const other = second.current;
    if (one === null || other === null) return undefined;
    /** Where a pane was put from here: the event that tells of it is no answer to be passed back. */
    const put = new WeakMap<HTMLElement, { top: number; left: number }>();
    const follow = (from: HTMLElement, to: HTMLElement) => () => {
      const own = put.get(from);
      put.delete(from);
      if (own !== undefined && own.top === from.scrollTop && own.left === from.scrollLeft) return;
      to.scrollTop = from.scrollTop;
      to.scrollLeft = from.scrollLeft;
      put.set(to, { top: to.scrollTop, left: to.scrollLeft });
    };
    const ahead = follow(one, other);
    const back = follow(other, one);
    one.addEventListener("scroll", ahead, { passive: true });
    other.addEventListener("scroll", back, { passive: true });
    return () => {
      one.removeEventListener("scroll", ahead);
      other.removeEventListener("scroll", back);
    };
  }, [first, second]);
}
