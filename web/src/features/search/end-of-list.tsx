import { Button } from "@mantine/core";
import { limits } from "@web-tester/contracts/limits";
import { useEffect, useRef } from "react";
import { EndLine } from "../../ui/feedback/states.js";

/** The end of a list: loads more before it is on screen, or says that this is all. */
export function EndOfList({
  more,
  loading,
  failed,
  onMore,
  all,
}: {
  more: boolean;
  loading: boolean;
  failed: boolean;
  onMore: () => void;
  /** What the end says where there is no more. */
  all: string;
}) {
  const end = useRef<HTMLDivElement>(null);
  const load = useRef(onMore);
  useEffect(() => {
    load.current = onMore;
  });
  useEffect(() => {
    if (!more || loading || failed || end.current === null) return undefined;
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some((entry) => entry.isIntersecting)) load.current();
      },
      { rootMargin: `${limits.infiniteScrollMarginPx}px` },
    );
    observer.observe(end.current);
    return () => observer.disconnect();
  }, [more, loading, failed]);
  return (
    <div ref={end}>
      <EndLine>
        {failed ? (
          <Button variant="default" size="xs" onClick={onMore}>
            Loading more failed. Try again
          </Button>
        ) : more ? (
          "Loading more…"
        ) : (
          all
        )}
      </EndLine>
    </div>
  );
}
