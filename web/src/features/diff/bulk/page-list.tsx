import { TextInput } from "@mantine/core";
import type { BulkDiffEntry } from "@web-tester/contracts/entities/compare";
import { IconSearch } from "@tabler/icons-react";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useMemo, useRef, useState } from "react";
import { counted, pathOf } from "../../../ui/format/words.js";
import { ChangeCounts } from "../../../ui/status/status.js";
import { t } from "../../../texts/text.js";
import classes from "./bulk.module.css";

const rowHeight = 50;

/** The pages that differ, at the left: follows what is read, and leads to each. */
export function PageList({
  entries,
  total,
  current,
  siteUrl,
  hasMore,
  onMore,
  onGo,
}: {
  entries: readonly BulkDiffEntry[];
  total: number;
  current: number;
  siteUrl: string | undefined;
  hasMore: boolean;
  /** Loads the next ones, whose names are then filtered too. */
  onMore: () => unknown;
  onGo: (index: number) => void;
}) {
  const [text, setText] = useState("");
  const scroller = useRef<HTMLDivElement>(null);
  const rows = useMemo(() => {
    const wanted = text.trim().toLowerCase();
    return entries
      .map((entry, index) => ({ entry, index }))
      .filter(({ entry }) => `${entry.instanceName}\n${entry.instanceUrl}`.toLowerCase().includes(wanted));
  }, [entries, text]);
  const searching = text.trim() !== "" && hasMore;
  useEffect(() => {
    // what is looked for may be on any page, not only on those that were scrolled to
    if (searching) onMore();
    // each part that came asks for the next
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [searching, entries.length]);
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
    <nav className={classes["list"]} data-screen-only aria-label={t("Pages that differ")}>
      <TextInput
        data-filter
        aria-label={t("Filter pages")}
        placeholder={t("Filter {pages}", { pages: counted(total, "page") })}
        leftSection={<IconSearch size={15} aria-hidden />}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <div ref={scroller} className={classes["scroller"]}>
        <ul style={{ height: virtualizer.getTotalSize(), position: "relative" }}>
          {virtualizer.getVirtualItems().map((item) => {
            const row = rows[item.index];
            if (row === undefined) return null;
            const { entry, index } = row;
            return (
              <li
                key={entry.instanceId}
                className={classes["slot"]}
                style={{ transform: `translateY(${item.start}px)` }}
              >
                <button
                  type="button"
                  className={classes["row"]}
                  aria-current={index === current ? "true" : undefined}
                  onClick={() => onGo(index)}
                >
                  <span className={classes["rowNames"]}>
                    <span className="truncate strong">{entry.instanceName || entry.instanceUrl}</span>
                    <span className="truncate mono text-2" title={entry.instanceUrl}>
                      {pathOf(entry.instanceUrl, siteUrl)}
                    </span>
                  </span>
                  {entry.linesAdded !== null && entry.linesRemoved !== null && (
                    <ChangeCounts added={entry.linesAdded} removed={entry.linesRemoved} />
                  )}
                </button>
              </li>
            );
          })}
        </ul>
        {rows.length === 0 && !searching && <p className={`label ${classes["more"]}`}>{t("No results found")}</p>}
      </div>
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
