import { useCallback, useEffect, useRef, useState } from "react";

/** The list's further pages, as an infinite query has them. */
interface Further {
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  fetchNextPage: () => unknown;
}

/** The page that was gone to, and where its card was put: px from the top of the screen, in a document of so many px. */
interface Hold {
  index: number;
  topPx: number;
  documentPx: number;
}

const cardOf = (index: number) => document.getElementById(`page-${index}`);
const documentPx = () => document.documentElement.scrollHeight;

/** Puts a card to the top of the screen, or as near as the end of the document lets it come. */
function put(index: number): Hold | undefined {
  const card = cardOf(index);
  card?.scrollIntoView({ block: "start" });
  return card === null ? undefined : { index, topPx: card.getBoundingClientRect().top, documentPx: documentPx() };
}

/** Whether something else has scrolled since: cards that are drawn meanwhile change the document's length too. */
function isScrolledAway({ index, topPx, documentPx: before }: Hold): boolean {
  const card = cardOf(index);
  return card === null || (documentPx() === before && Math.abs(card.getBoundingClientRect().top - topPx) > 2);
}

/**
 * Which page is read: the one that was gone to, until the person scrolls; else the first of those in the upper part of the screen.
 * @param count how many are loaded
 * @returns `step` goes to the next or the one before; behind the last that is loaded it loads more, and only where all are loaded do the
 * ends meet. `cardsRef` is for what holds the cards: the page that was gone to keeps its place while others are drawn
 */
export function useCurrentPage(count: number, { hasNextPage, isFetchingNextPage, fetchNextPage }: Further) {
  const read = useRef(new Set<number>());
  // the last pages cannot come to the top, so being read does not tell that they were gone to
  const hold = useRef<Hold>(undefined);
  const [current, setCurrent] = useState(0);
  const [awaited, setAwaited] = useState<number>();

  const onRead = useCallback((index: number, isRead: boolean) => {
    if (isRead) read.current.add(index);
    else read.current.delete(index);
    if (hold.current === undefined && read.current.size > 0) setCurrent(Math.min(...read.current));
  }, []);
  const go = useCallback((index: number) => {
    setAwaited(undefined);
    setCurrent(index);
    hold.current = put(index);
  }, []);
  useEffect(() => {
    if (awaited !== undefined && awaited < count) go(awaited);
  }, [awaited, count, go]);
  useLetGoByHand(hold);
  const cardsRef = useKeptInPlace(hold);

  const shown = Math.min(current, Math.max(0, count - 1));
  const step = (by: 1 | -1) => {
    const next = shown + by;
    if (count === 0) return;
    if (next >= 0 && next < count) go(next);
    else if (!hasNextPage) go((next + count) % count);
    else if (by === 1) {
      setAwaited(next);
      if (!isFetchingNextPage) void fetchNextPage();
    }
  };
  return { current: shown, cardsRef, onRead, go, step };
}

type HoldRef = React.RefObject<Hold | undefined>;

/** The page that was gone to is let go when somebody scrolls, or something else does. */
function useLetGoByHand(hold: HoldRef): void {
  useEffect(() => {
    const onHand = () => (hold.current = undefined);
    const onScroll = () => {
      if (hold.current !== undefined && isScrolledAway(hold.current)) hold.current = undefined;
    };
    const hands = ["wheel", "touchmove", "pointerdown"] as const;
    for (const name of hands) window.addEventListener(name, onHand, { capture: true, passive: true });
    window.addEventListener("scroll", onScroll, { passive: true });
    return () => {
      for (const name of hands) window.removeEventListener(name, onHand, { capture: true });
      window.removeEventListener("scroll", onScroll);
    };
  }, [hold]);
}

/** Keeps the page that was gone to in its place while cards are drawn. @returns the ref of what holds the cards */
function useKeptInPlace(hold: HoldRef) {
  return useCallback(
    (cards: HTMLElement | null) => {
      if (cards === null) return undefined;
      const observer = new ResizeObserver(() => {
        if (hold.current !== undefined) hold.current = put(hold.current.index);
      });
      observer.observe(cards);
      return () => observer.disconnect();
    },
    [hold],
  );
}
