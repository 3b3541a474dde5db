import type { SearchResult, SearchScope, SnapshotMatches } from "@web-tester/contracts/entities/search";
import { limits } from "@web-tester/contracts/limits";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { snapshotMatchesQuery } from "../../api/search.js";
import { t } from "../../texts/text.js";
import classes from "./search.module.css";

/** The most lines that one press of the button shows; the snapshot itself has all. */
const moreLines = 200;

/** Shows the lines of a snapshot that contain the phrase, three until more are asked for. */
export function MatchLines({ result, q, scope }: { result: SearchResult; q: string; scope: SearchScope }) {
  const [limit, setLimit] = useState<number>(limits.searchContextLines);
  const query = useQuery({
    ...snapshotMatchesQuery(result.snapshotId, q, scope, limit),
    placeholderData: keepPreviousData,
  });
  if (query.isError) return <p className="label">{t("The lines of this snapshot cannot be shown.")}</p>;
  if (query.data === undefined) return <div className={classes["linesWait"]} aria-hidden />;
  const { items, matches, lines } = query.data;
  const shown = items.reduce((sum, item) => sum + item.ranges.length, 0);
  return (
    <ol className={classes["lines"]}>
      {items.map((item) => (
        <Line key={item.line} item={item} />
      ))}
      {shown < matches && (
        <li className={classes["line"]}>
          <span className={classes["number"]} aria-hidden>
            …
          </span>
          {items.length < lines && limit < moreLines ? (
            <button type="button" className={classes["more"]} onClick={() => setLimit(moreLines)}>
              {t("{count} more on this page", { count: matches - shown })}
            </button>
          ) : (
            <span className="label">{t("{count} more on this page", { count: matches - shown })}</span>
          )}
        </li>
      )}
    </ol>
  );
}

function Line({ item }: { item: SnapshotMatches["items"][number] }) {
  const { text, ranges, cutStart, cutEnd } = item;
  const parts: React.ReactNode[] = [];
  let at = 0;
  for (const [from, to] of ranges) {
    parts.push(
      text.slice(at, from),
      <mark key={from} className={classes["hit"]}>
        {text.slice(from, to)}
      </mark>,
    );
    at = to;
  }
  parts.push(text.slice(at));
  return (
    <li className={classes["line"]}>
      <span className={classes["number"]}>
        <span className="sr-only">{t("Line")} </span>
        {item.line}
      </span>
      <span className={classes["text"]} dir="auto">
        {cutStart && "…"}
        {parts}
        {cutEnd && "…"}
      </span>
    </li>
  );
}
