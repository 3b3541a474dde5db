import { useIsFetching, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";

/**
 * Prints a page as a whole: what is normally loaded or opened on demand is loaded first.
 * @returns `whole` while the page has to show everything that it has; `print` begins it
 */
export function usePrintWhole(): { whole: boolean; print: () => void } {
  const client = useQueryClient();
  const [whole, setWhole] = useState(false);
  const fetching = useIsFetching();
  useEffect(() => {
    if (!whole || fetching > 0) return undefined;
    let frame = 0;
    // the last rendering may request more data, which it has done two frames later
    const whenStill = (left: number) => {
      frame = window.requestAnimationFrame(() => {
        if (client.isFetching() > 0) return;
        if (left > 0) whenStill(left - 1);
        else window.print();
      });
    };
    whenStill(2);
    return () => window.cancelAnimationFrame(frame);
  }, [whole, fetching, client]);
  useEffect(() => {
    const end = () => setWhole(false);
    window.addEventListener("afterprint", end);
    return () => window.removeEventListener("afterprint", end);
  }, []);
  return { whole, print: () => setWhole(true) };
}
