import { useMediaQuery } from "@mantine/hooks";
import type { TestInstanceListItem } from "@web-tester/contracts/entities/instance";
import type { TestObject } from "@web-tester/contracts/entities/object";
import { limits } from "@web-tester/contracts/limits";
import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useLayoutEffect, useRef } from "react";
import { messageOf } from "../../api/api-error.js";
import type { InstanceView } from "../../api/keys.js";
import { Empty, InlineError, RowSkeletons, Waiting } from "../../ui/feedback/states.js";
import { t } from "../../texts/text.js";
import { allShown, someShown } from "../../ui/format/words.js";
import { usePrinting } from "../../ui/layout/use-printing.js";
import { usePlace } from "../../ui/layout/use-place.js";
import { InstanceRow } from "./instance-row.js";
import { LoadingMore, RowSkeleton, ShowAll } from "./list-parts.js";
import type { SelectionState } from "./use-selection.js";
import { useInstancePages } from "./use-instance-pages.js";
import classes from "./instances.module.css";

interface Props {
  object: TestObject;
  view: InstanceView;
  /** Undefined while no pages are being selected. */
  selection: SelectionState | undefined;
  disabled: boolean;
  onDelete: (instance: TestInstanceListItem) => void;
  onShowAll: () => void;
}

/** The rows themselves, virtualised; more are loaded 200 px before the end. */
export function InstanceRows({ object, view, selection, disabled, onDelete, onShowAll }: Props) {
  const pages = useInstancePages(object.id, view);
  const isPhone = useMediaQuery("(max-width: 47.99em)", undefined, { getInitialValueInEffect: false }) === true;
  const rowHeight = isPhone ? 97 : 60;
  const { box, items, top, heightPx } = useRows(pages, rowHeight);

  const sentinel = useEndInSight(pages);
  const choose = useChoosing(pages, selection);

  // rows of the previous filter stay until those of this one arrive, and keep the focus; but that it had none says nothing about this one
  if (!pages.first.isSuccess || (pages.first.isPlaceholderData && pages.total === 0))
    return <FirstRows first={pages.first} rowHeight={rowHeight} />;
  if (pages.total === 0)
    return (
      <NoRows object={object} filtered={view.status !== undefined || view.q !== undefined} onShowAll={onShowAll} />
    );
  const row = { pages, selection, choose, object, view, disabled, onDelete };
  return (
    <div className={pages.first.isPlaceholderData ? classes["stale"] : undefined}>
      <div
        ref={box}
        role="list"
        aria-label={t("Instances")}
        className={classes["canvas"]}
        data-unfetched={object.snapshots_total === 0 || undefined}
        style={{ height: heightPx }}
      >
        {items.map(({ key, index, start }) => (
          <Slot key={key} {...row} index={index} topPx={start - top} heightPx={rowHeight} />
        ))}
      </div>
      <div ref={sentinel} />
      <EndOfRows pages={pages} words={endWords(object, view, pages.total)} />
    </div>
  );
}

/** The rows near the screen, or all when printing, and their position in the document. */
function useRows(pages: Pages, rowHeight: number) {
  const [box, { top }] = usePlace();
  const virtualizer = useWindowVirtualizer({
    count: pages.count,
    estimateSize: () => rowHeight,
    overscan: 6,
    scrollMargin: top,
  });
  const printing = usePrinting();
  const items = printing ? everyRow(pages.count, rowHeight, top) : virtualizer.getVirtualItems();
  const first = items[0]?.index ?? 0;
  const last = items.at(-1)?.index ?? 0;

  useLayoutEffect(() => virtualizer.measure(), [rowHeight, virtualizer]);
  useEffect(() => pages.see(first, last));
  return { box, items, top, heightPx: virtualizer.getTotalSize() };
}

interface SlotProps extends Omit<Props, "onShowAll"> {
  pages: Pages;
  choose: ReturnType<typeof useChoosing>;
  index: number;
  topPx: number;
  heightPx: number;
}

function Slot({ pages, selection, choose, object, view, disabled, onDelete, index, topPx, heightPx }: SlotProps) {
  return (
    <div
      role="listitem"
      aria-setsize={pages.total}
      aria-posinset={index + 1}
      className={classes["slot"]}
      data-choosing={selection === undefined ? undefined : true}
      style={{ transform: `translateY(${topPx}px)`, height: heightPx }}
    >
      {selection !== undefined && (
        <ChoiceOf
          instance={pages.rowAt(index)}
          selection={selection}
          onChoose={(on, range) => choose(index, on, range)}
        />
      )}
      <RowAt
        instance={pages.rowAt(index)}
        siteUrl={object.url}
        sort={view.sort}
        disabled={disabled}
        onDelete={onDelete}
      />
    </div>
  );
}

/** Selects a row or, with Shift, all rows from the last selected one. */
function useChoosing(pages: Pages, selection: SelectionState | undefined) {
  const lastChosen = useRef(0);
  return (index: number, on: boolean, range: boolean) => {
    const [from, to] = range
      ? [Math.min(lastChosen.current, index), Math.max(lastChosen.current, index)]
      : [index, index];
    lastChosen.current = index;
    const rows = Array.from({ length: to - from + 1 }, (_, offset) => pages.rowAt(from + offset));
    selection?.toggle(
      rows.filter((row) => row !== undefined),
      on,
    );
  };
}

/** All loaded rows, for printing. */
const everyRow = (count: number, height: number, top: number) =>
  Array.from({ length: count }, (_, index) => ({ key: index, index, start: top + index * height }));

type Pages = ReturnType<typeof useInstancePages>;

/**
 * Loads more rows when the end of the list comes near the window.
 * @returns the ref of the element after the last row
 */
function useEndInSight({ hasMore, loadingMore, openMore, count }: Pages) {
  const sentinel = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = sentinel.current;
    if (element === null || !hasMore || loadingMore) return undefined;
    const observer = new IntersectionObserver(
      (entries) => entries.some((entry) => entry.isIntersecting) && openMore(),
      { rootMargin: `${limits.infiniteScrollMarginPx}px` },
    );
    observer.observe(element);
    return () => observer.disconnect();
    // A new count moves the sentinel, so that the observer has to check again whether it is near.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [hasMore, loadingMore, count]);
  return sentinel;
}

/** Shown while the first rows are loading, or where they could not be loaded. */
function FirstRows({ first, rowHeight }: { first: Pages["first"]; rowHeight: number }) {
  if (first.isError)
    return (
      <div className={classes["message"]}>
        <InlineError
          title={t("The instances could not be loaded")}
          detail={messageOf(first.error)}
          onRetry={() => void first.refetch()}
        />
      </div>
    );
  return (
    <div className={classes["waiting"]}>
      <Waiting words={t("Loading instances…")}>
        <RowSkeletons count={8} height={rowHeight} />
      </Waiting>
    </div>
  );
}

function ChoiceOf({
  instance,
  selection,
  onChoose,
}: {
  instance: TestInstanceListItem | undefined;
  selection: SelectionState;
  onChoose: (on: boolean, range: boolean) => void;
}) {
  return (
    <label className={classes["choice"]}>
      <input
        type="checkbox"
        aria-label={t("Choose {page}", { page: instance?.name || instance?.url || "" })}
        checked={instance !== undefined && (selection.all || selection.chosen.has(instance.id))}
        disabled={instance === undefined}
        onChange={(event) => {
          const { nativeEvent } = event;
          onChoose(event.currentTarget.checked, nativeEvent instanceof MouseEvent && nativeEvent.shiftKey);
        }}
      />
    </label>
  );
}

function RowAt({
  instance,
  ...row
}: Pick<Props, "disabled" | "onDelete"> & {
  instance: TestInstanceListItem | undefined;
  siteUrl: string;
  sort: InstanceView["sort"];
}) {
  return instance === undefined ? <RowSkeleton /> : <InstanceRow instance={instance} {...row} />;
}

const endWords = (object: TestObject, view: InstanceView, total: number): string =>
  view.status === undefined && view.q === undefined
    ? allShown(total, "instance")
    : someShown(total, object.instances_total, "instance");

/**
 * Says that there are more rows, that they are loading, or that loading failed.
 * @param words shown at the end of the list
 */
function EndOfRows({ pages, words }: { pages: Pages; words: string }) {
  const { failedPage, hasMore, loadingMore, total, count } = pages;
  if (failedPage !== undefined)
    return (
      <div className={classes["message"]}>
        <InlineError
          title={t("More instances could not be loaded")}
          detail={messageOf(failedPage.error)}
          onRetry={() => void failedPage.refetch()}
        />
      </div>
    );
  if (!hasMore && !loadingMore) return <p className={classes["end"]}>{words}</p>;
  return (
    <LoadingMore
      from={Math.min(total, loadingMore ? Math.max(1, count - limits.instancesPageSize + 1) : count + 1)}
      to={Math.min(total, loadingMore ? count : count + limits.instancesPageSize)}
      total={total}
    />
  );
}

function NoRows({ object, filtered, onShowAll }: { object: TestObject; filtered: boolean; onShowAll: () => void }) {
  if (filtered) {
    return (
      <Empty title={t("No instance matches this filter")}>
        <ShowAll onClick={onShowAll} />
      </Empty>
    );
  }
  if (object.progress.crawl.running)
    return (
      <Empty title={t("Looking for pages")}>{t("Each page appears here as soon as the crawl has found it.")}</Empty>
    );
  return (
    <Empty title={t("No instances yet")}>
      {t("Crawl the site to find its pages, or use Create / Fetch to take its root page alone.")}
    </Empty>
  );
}
