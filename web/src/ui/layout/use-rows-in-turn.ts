import type { VirtualItem } from "@tanstack/react-virtual";
import { useLayoutEffect, useReducer, useState } from "react";

/** The most new rows that are rendered in one frame, over all lists of the page: a screenful at once would block the page. */
const perFrame = 20;
let left = perFrame;
let isCounting = false;

function take(wanted: number): number {
  const given = Math.min(wanted, left);
  left -= given;
  if (given > 0 && !isCounting) {
    isCounting = true;
    requestAnimationFrame(() => {
      left = perFrame;
      isCounting = false;
    });
  }
  return given;
}

/** Chooses the rows of a list that are rendered now: all that are there already, and as many new ones as the frame has time for. */
export function useRowsInTurn(items: VirtualItem[]): VirtualItem[] {
  const [drawn] = useState(() => new Set<VirtualItem["key"]>());
  const [, drawMore] = useReducer((count: number) => count + 1, 0);
  const fresh = items.filter(({ key }) => !drawn.has(key));
  const late = new Set(fresh.slice(take(fresh.length)));
  const shown = late.size === 0 ? items : items.filter((item) => !late.has(item));
  useLayoutEffect(() => {
    drawn.clear();
    for (const { key } of shown) drawn.add(key);
    if (shown.length === items.length) return undefined;
    const frame = requestAnimationFrame(drawMore);
    return () => cancelAnimationFrame(frame);
  }, [drawn, items, shown]);
  return shown;
}
