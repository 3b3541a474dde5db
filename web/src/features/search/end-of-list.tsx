import { Button } from "@mantine/core";
import type { UseInfiniteQueryResult } from "@tanstack/react-query";
import { limits } from "@web-tester/contracts/limits";
import { useEffect, useRef } from "react";
import { EndLine } from "../../ui/feedback/states.js";
import { allShown } from "../../ui/format/words.js";
import { t } from "../../texts/text.js";

/** The end of a list of pages that a query loads in parts: loads more before it is on screen, or says that this is all. */
export function EndOfList({ query, count }: { query: UseInfiniteQueryResult; count: number }) {
  const { hasNextPage: more, isFetchingNextPage: loading, isFetchNextPageError: failed } = query;
  const end = useRef<HTMLDivElement>(null);
  const load = useRef(query.fetchNextPage);
  useEffect(() => {
    load.current = query.fetchNextPage;
  });
  useEffect(() => {
    if (!more || loading || failed || end.current === null) return undefined;
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some((entry) => entry.isIntersecting)) void load.current();
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
          <Button variant="default" size="xs" onClick={() => void query.fetchNextPage()}>
            {t("Loading more failed. Try again")}
          </Button>
        ) : more ? (
          t("Loading more…")
        ) : (
          allShown(count, "page")
        )}
      </EndLine>
    </div>
  );
}
