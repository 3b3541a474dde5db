import { TextInput } from "@mantine/core";
import type { BulkDiffEntry } from "@web-tester/contracts/entities/compare";
import { IconSearch } from "@tabler/icons-react";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useMemo, useRef } from "react";
import { useTypedParam } from "../../../ui/address-params.js";
import { Path } from "../../../ui/format/path.js";
import { counted, pathOf, readable } from "../../../ui/format/words.js";
import { ChangeCounts } from "../../../ui/status/status.js";
import { t } from "../../../texts/text.js";
import classes from "./bulk.module.css";

const rowHeight = 50;

interface Props {
  entries: readonly BulkDiffEntry[];
  total: number;
  current: number;
  siteUrl: string | undefined;
  hasMore: boolean;
  /** Loads the next pages, so that they are filtered too. */
  onMore: () => unknown;
  onGo: (index: number) => void;
}

/** The list, at the left, of the pages that differ: highlights the one being read, and links to each. */
export function PageList({ entries, total, current, siteUrl, hasMore, onMore, onGo }: Props) {
  const [text, setText] = useTypedParam("pages");
  const rows = useMemo(() => rowsNamed(entries, text), [entries, text]);
  const searching = text.trim() !== "" && hasMore;
  useEffect(() => {
    // a filter has to cover all pages, not only those that were scrolled to
    if (searching) onMore();
    // `entries.length`: each loaded part makes the next one be asked for
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [searching, entries.length]);

  return (
    <nav className={classes["list"]} data-screen-only aria-label={t("Pages that differ")}>
      <TextInput
        data-filter
        aria-label={t("Filter pages")}
        placeholder={t("Filter {pages}", { pages: counted(total, "page") })}
        leftSection={<IconSearch size={15} aria-hidden />}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <Rows rows={rows} current={current} siteUrl={siteUrl} onGo={onGo}>
        {rows.length === 0 && !searching && <p className={`label ${classes["more"]}`}>{t("No results found")}</p>}
      </Rows>
      {entries.length < total && (
        <p className={`label ${classes["more"]}`}>
          {searching
            ? t("Searching {count} more…", { count: total - entries.length })
            : t("{count} more load as you scroll", { count: total - entries.length })}
        </p>
      )}
    </nav>
  );
}

/** A page with its index among all. */
interface PageRow {
  entry: BulkDiffEntry;
  index: number;
}

/** The pages whose names or addresses contain a text. */
function rowsNamed(entries: readonly BulkDiffEntry[], text: string): PageRow[] {
  const wanted = text.normalize("NFC").trim().toLowerCase();
  return entries
    .map((entry, index) => ({ entry, index }))
    .filter(({ entry: { instanceName: name, instanceUrl: url } }) =>
      `${name}\n${url}\n${readable(url)}`.toLowerCase().includes(wanted),
    );
}

interface RowsProps extends Pick<Props, "current" | "siteUrl" | "onGo"> {
  rows: readonly PageRow[];
  /** Content below the rows. */
  children: React.ReactNode;
}

/** The rows in a scrolling box, which follows the page being read. */
function Rows({ rows, current, siteUrl, onGo, children }: RowsProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 8,
  });
  const at = rows.findIndex(({ index }) => index === current);
  useEffect(() => {
    if (at >= 0) virtualizer.scrollToIndex(at, { align: "auto" });
  }, [at, virtualizer]);
  return (
    <div ref={scroller} className={classes["scroller"]}>
      <ul style={{ height: virtualizer.getTotalSize(), position: "relative" }}>
        {virtualizer.getVirtualItems().map((item) => {
          const row = rows[item.index];
          if (row === undefined) return null;
          const { entry, index } = row;
          return (
            <li key={entry.instanceId} className={classes["slot"]} style={{ transform: `translateY(${item.start}px)` }}>
              <RowButton entry={entry} siteUrl={siteUrl} isCurrent={index === current} onGo={() => onGo(index)} />
            </li>
          );
        })}
      </ul>
      {children}
    </div>
  );
}

interface RowButtonProps extends Pick<Props, "siteUrl"> {
  entry: BulkDiffEntry;
  isCurrent: boolean;
  onGo: () => void;
}

function RowButton({ entry, siteUrl, isCurrent, onGo }: RowButtonProps) {
  return (
    <button type="button" className={classes["row"]} aria-current={isCurrent ? "true" : undefined} onClick={onGo}>
      <span className={classes["rowNames"]}>
        <span className="truncate strong" title={entry.instanceName || entry.instanceUrl}>
          {entry.instanceName || entry.instanceUrl}
        </span>
        <Path path={pathOf(entry.instanceUrl, siteUrl)} title={entry.instanceUrl} className="text-2" />
      </span>
      {entry.linesAdded !== null && entry.linesRemoved !== null && (
        <ChangeCounts added={entry.linesAdded} removed={entry.linesRemoved} />
      )}
    </button>
  );
}
