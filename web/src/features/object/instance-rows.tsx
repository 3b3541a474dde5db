import { useMediaQuery } from "@mantine/hooks";
import type { TestInstanceListItem } from "@web-tester/contracts/entities/instance";
import type { TestObject } from "@web-tester/contracts/entities/object";
import { limits } from "@web-tester/contracts/limits";
import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useLayoutEffect, useRef } from "react";
import { messageOf } from "../../api/api-error.js";
import type { InstanceView } from "../../api/keys.js";
import { Empty, InlineError, RowSkeletons, Waiting } from "../../ui/feedback/states.js";
import { allShown, someShown } from "../../ui/format/words.js";
import { usePlace } from "../../ui/layout/use-place.js";
import { InstanceRow } from "./instance-row.js";
import { LoadingMore, RowSkeleton, ShowAll } from "./list-parts.js";
import { useInstancePages } from "./use-instance-pages.js";
import classes from "./instances.module.css";

interface Props {
  object: TestObject;
  view: InstanceView;
  disabled: boolean;
  onDelete: (instance: TestInstanceListItem) => void;
  onShowAll: () => void;
}

/** The rows themselves, drawn where they are seen, loaded 200 px ahead of the end. */
export function InstanceRows({ object, view, disabled, onDelete, onShowAll }: Props) {
  const pages = useInstancePages(object.id, view);
  const isPhone = useMediaQuery("(max-width: 47.99em)", undefined, { getInitialValueInEffect: false }) === true;
  const [box, { top }] = usePlace();
  const rowHeight = isPhone ? 97 : 60;
  const virtualizer = useWindowVirtualizer({
    count: pages.count,
    estimateSize: () => rowHeight,
    overscan: 6,
    scrollMargin: top,
  });
  const items = virtualizer.getVirtualItems();
  const first = items[0]?.index ?? 0;
  const last = items.at(-1)?.index ?? 0;

  useLayoutEffect(() => virtualizer.measure(), [rowHeight, virtualizer]);
  useEffect(() => pages.see(first, last));

  const sentinel = useRef<HTMLDivElement>(null);
  const { hasMore, loadingMore, openMore, count } = pages;
  useEffect(() => {
    const element = sentinel.current;
    if (element === null || !hasMore || loadingMore) return undefined;
    const observer = new IntersectionObserver(
      (entries) => entries.some((entry) => entry.isIntersecting) && openMore(),
      { rootMargin: `${limits.infiniteScrollMarginPx}px` },
    );
    observer.observe(element);
    return () => observer.disconnect();
    // A new count moves the sentinel: look again whether it is still near.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [hasMore, loadingMore, count]);

  if (pages.first.isPending) {
    return (
      <div className={classes["waiting"]}>
        <Waiting words="Loading instances…">
          <RowSkeletons count={8} height={rowHeight} />
        </Waiting>
      </div>
    );
  }
  if (pages.first.isError) {
    return (
      <div className={classes["message"]}>
        <InlineError
          title="The instances could not be loaded"
          detail={messageOf(pages.first.error)}
          onRetry={() => void pages.first.refetch()}
        />
      </div>
    );
  }
  if (pages.total === 0)
    return (
      <NoRows object={object} filtered={view.status !== undefined || view.q !== undefined} onShowAll={onShowAll} />
    );

  return (
    <div className={pages.first.isPlaceholderData ? classes["stale"] : undefined}>
      <div
        ref={box}
        role="list"
        aria-label="Instances"
        className={classes["canvas"]}
        style={{ height: virtualizer.getTotalSize() }}
      >
        {items.map((item) => {
          const instance = pages.rowAt(item.index);
          return (
            <div
              key={item.key}
              role="listitem"
              aria-setsize={pages.total}
              aria-posinset={item.index + 1}
              className={classes["slot"]}
              style={{ transform: `translateY(${item.start - top}px)`, height: rowHeight }}
            >
              {instance === undefined ? (
                <RowSkeleton />
              ) : (
                <InstanceRow instance={instance} siteUrl={object.url} disabled={disabled} onDelete={onDelete} />
              )}
            </div>
          );
        })}
      </div>
      <div ref={sentinel} />
      {pages.failedPage !== undefined ? (
        <div className={classes["message"]}>
          <InlineError
            title="More instances could not be loaded"
            detail={messageOf(pages.failedPage.error)}
            onRetry={() => void pages.failedPage?.refetch()}
          />
        </div>
      ) : hasMore || loadingMore ? (
        <LoadingMore
          from={Math.min(pages.total, loadingMore ? Math.max(1, count - limits.instancesPageSize + 1) : count + 1)}
          to={Math.min(pages.total, loadingMore ? count : count + limits.instancesPageSize)}
          total={pages.total}
        />
      ) : (
        <p className={classes["end"]}>
          {view.status === undefined && view.q === undefined
            ? allShown(pages.total, "instance")
            : someShown(pages.total, object.instances_total, "instance")}
        </p>
      )}
    </div>
  );
}

function NoRows({ object, filtered, onShowAll }: { object: TestObject; filtered: boolean; onShowAll: () => void }) {
  if (filtered) {
    return (
      <Empty title="No instance matches this filter">
        <ShowAll onClick={onShowAll} />
      </Empty>
    );
  }
  if (object.progress.crawl.running)
    return <Empty title="Looking for pages">Each page appears here as soon as the crawl has found it.</Empty>;
  return (
    <Empty title="No instances yet">
      Crawl the site to find its pages, or use Create / Fetch to take its root page alone.
    </Empty>
  );
}
