import { observeWindowOffset, type Virtualizer } from "@tanstack/react-virtual";
import { flushSync } from "react-dom";

type Follow = (offset: number, isScrolling: boolean) => void;

const waiting = new Map<Follow, () => void>();
let frame = 0;

function tellAll(): void {
  frame = 0;
  const calls = [...waiting.values()];
  waiting.clear();
  flushSync(() => {
    for (const call of calls) call();
  });
}

/**
 * Follows the window's scrolling for a list (`observeElementOffset`, with `useFlushSync: false`), so that all lists of a page render
 * together in the next frame. One after the other, each would force a layout of its own.
 * @returns how to stop
 */
export function followWindow<Item extends Element>(
  list: Virtualizer<Window, Item>,
  follow: Follow,
): (() => void) | undefined {
  const stop = observeWindowOffset(list, (offset, isScrolling) => {
    waiting.set(follow, () => follow(offset, isScrolling));
    // scroll events are dispatched before the callbacks of the same frame
    frame ||= requestAnimationFrame(tellAll);
  });
  return () => {
    waiting.delete(follow);
    stop?.();
  };
}
