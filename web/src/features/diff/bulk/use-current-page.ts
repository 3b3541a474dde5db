import { useCallback, useEffect, useRef, useState } from "react";

/** The part of an infinite query that loads further pages. */
interface Further {
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  fetchNextPage: () => unknown;
}

/** The page that the reader jumped to, the position of its card in px from the top of the screen, and the document's height then. */
interface Hold {
  index: number;
  topPx: number;
  documentPx: number;
}

const cardOf = (index: number) => document.getElementById(`page-${index}`);
const documentPx = () => document.documentElement.scrollHeight;

/** Scrolls a card to the top of the screen, or as near as the end of the document allows. */
function put(index: number): Hold | undefined {
  const card = cardOf(index);
  card?.scrollIntoView({ block: "start" });
  return card === null ? undefined : { index, topPx: card.getBoundingClientRect().top, documentPx: documentPx() };
}

/** Whether something else has scrolled since: a changed height of the document only means that cards were rendered. */
function isScrolledAway({ index, topPx, documentPx: before }: Hold): boolean {
  const card = cardOf(index);
  return card === null || (documentPx() === before && Math.abs(card.getBoundingClientRect().top - topPx) > 2);
}

/**
 * Determines the page that is being read: the one that the reader jumped to, until they scroll; else the first one in the upper part
 * of the screen.
 * @param count how many pages are loaded
 * @returns `step` goes to the next or previous page; behind the last loaded page it loads more, and only when all are loaded does it
 * wrap around. `cardsRef` is for the cards' container: the page that the reader jumped to keeps its position while other cards are
 * rendered
 */
export function useCurrentPage(count: number, { hasNextPage, isFetchingNextPage, fetchNextPage }: Further) {
  const read = useRef(new Set<number>());
  // the last pages cannot reach the top, so that their position does not tell that the reader jumped to them
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

/** Releases the page that the reader jumped to when the reader, or something else, scrolls. */
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

/**
 * Keeps the page that the reader jumped to in its position while cards are rendered.
 * @returns the ref of the cards' container
 */
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
