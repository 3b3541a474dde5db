import { useEffect, useState } from "react";

const line = new Set<() => void>();
let isBusy = false;

/** Calls the next part in the queue and, after the screen has shown it, the one after it. */
function callNext(): void {
  const [first] = line;
  isBusy = first !== undefined;
  if (first === undefined) return;
  line.delete(first);
  // in a task of its own, so that the frame can follow scrolling
  requestAnimationFrame(() => setTimeout(callNext));
  first();
}

/**
 * Whether it is this part's turn to be rendered: of many heavy parts one is rendered after each frame, so that the page responds in
 * between. A part keeps its turn until it is unmounted.
 * @param wanted whether there is something to render
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
