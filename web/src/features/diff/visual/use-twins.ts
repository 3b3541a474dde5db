import { type RefObject, useEffect } from "react";

/** Makes two panes scroll together; where only one of them has further content, it scrolls alone. */
export function useTwins(first: RefObject<HTMLElement | null>, second: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const one = first.current;
    const other = second.current;
    if (one === null || other === null) return undefined;
    /** The position that a pane was scrolled to from here: its scroll event must not be passed back to the other pane. */
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
