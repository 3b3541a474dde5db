import { useEffect, useState } from "react";
import { flushSync } from "react-dom";

/** Whether the page is being printed: then lists are rendered as a whole, not only where they are seen. */
export function usePrinting(): boolean {
  const [printing, setPrinting] = useState(false);
  useEffect(() => {
    // the browser takes its picture right after the event, so that rendering has to be synchronous
    const set = (on: boolean) => flushSync(() => setPrinting(on));
    const begin = () => set(true);
    const end = () => set(false);
    const media = window.matchMedia("print");
    const follow = (event: MediaQueryListEvent) => set(event.matches);
    window.addEventListener("beforeprint", begin);
    window.addEventListener("afterprint", end);
    media.addEventListener("change", follow);
    return () => {
      window.removeEventListener("beforeprint", begin);
      window.removeEventListener("afterprint", end);
      media.removeEventListener("change", follow);
    };
  }, []);
  return printing;
}
