import { useEffect, useState } from "react";

const line = new Set<() => void>();
let isBusy = false;

/** The next one, and when the screen has shown it the one behind. */
function callNext(): void {
  const [first] = line;
  isBusy = first !== undefined;
  if (first === undefined) return;
  line.delete(first);
  // in a task of its own: the frame has the scrolling to follow
  requestAnimationFrame(() => setTimeout(callNext));
  first();
}

/**
 * Whether it is this part's turn to be drawn: of many heavy parts that could be at the same moment, one is after each frame, so
 * that the page answers in between. A part keeps its turn as long as it lives.
 * @param wanted whether there is something to draw
 */
export function useTurn(wanted: boolean): boolean {
  const [called, setCalled] = useState(false);
  useEffect(() => {
    if (!wanted || called) return undefined;
    const call = () => setCalled(true);
    line.add(call);
    if (!isBusy) callNext();
    return () => void line.delete(call);
  }, [wanted, called]);
  return called;
}
