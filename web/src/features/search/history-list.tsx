import type { PhraseHistory } from "@web-tester/contracts/entities/search";
import { IconArrowDown, IconArrowUp, IconCircleCheck, IconCircleMinus, IconMinus, IconPlus } from "@tabler/icons-react";
import { Link } from "react-router";
import { formatDate } from "../../ui/format/dates.js";
import { counted, formatCount } from "../../ui/format/words.js";
import { ArticleHead } from "./result-list.js";
import { snapshotAddress } from "./search-address.js";
import classes from "./search.module.css";

const kinds = {
  added: { word: "Added", tone: "added", icon: IconPlus },
  removed: { word: "Removed", tone: "removed", icon: IconMinus },
  more: { word: "More", tone: "quiet", icon: IconArrowUp },
  fewer: { word: "Fewer", tone: "quiet", icon: IconArrowDown },
} as const;

/** The life of a phrase on each page: when it was first and last there, and which snapshots added or removed it. */
export function HistoryList({
  pages,
  q,
  siteUrl,
}: {
  pages: readonly PhraseHistory[];
  q: string;
  siteUrl: string | undefined;
}) {
  return (
    <div className={classes["list"]}>
      {pages.map((page) => (
        <article
          key={page.testInstanceId}
          className={classes["article"]}
          aria-label={page.testInstanceName || page.testInstanceUrl}
        >
          <ArticleHead
            id={page.testInstanceId}
            name={page.testInstanceName}
            url={page.testInstanceUrl}
            siteUrl={siteUrl}
          >
            <Presence page={page} />
          </ArticleHead>
          <p className={`dense ${classes["life"]}`}>
            First seen in{" "}
            <Link className="link" to={snapshotAddress(page.first.snapshotId, q, "html")} data-row>
              #{page.first.snapshotNumber}
            </Link>
            , {formatDate(page.first.snapshotCreatedAt)} · last seen in{" "}
            <Link className="link" to={snapshotAddress(page.last.snapshotId, q, "html")}>
              #{page.last.snapshotNumber}
            </Link>
            , {formatDate(page.last.snapshotCreatedAt)} ·{" "}
            <span className="text-2">
              in {formatCount(page.snapshotsWith)} of {counted(page.snapshots, "snapshot")}
            </span>
          </p>
          <ol className={classes["events"]}>
            {page.eventsTotal > page.events.length && (
              <li className="label">{formatCount(page.eventsTotal - page.events.length)} earlier changes</li>
            )}
            {page.events.map((event) => (
              <Event key={event.snapshotId} event={event} />
            ))}
          </ol>
        </article>
      ))}
    </div>
  );
}

function Presence({ page }: { page: PhraseHistory }) {
  return page.present ? (
    <span className={classes["presence"]} data-tone="added">
      <IconCircleCheck size={15} aria-hidden /> On the page now
    </span>
  ) : (
    <span className={classes["presence"]} data-tone="removed">
      <IconCircleMinus size={15} aria-hidden /> Not on the page any more
    </span>
  );
}

function Event({ event }: { event: PhraseHistory["events"][number] }) {
  const { word, tone, icon: Glyph } = kinds[event.kind];
  return (
    <li className={classes["event"]}>
      <span className={classes["kind"]} data-tone={tone}>
        <Glyph size={14} aria-hidden /> {word}
      </span>
      <Link className="link" to={`/snapshots/${event.snapshotId}`}>
        #{event.snapshotNumber}
      </Link>
      <span className="text-2">{formatDate(event.snapshotCreatedAt)}</span>
      <span className="text-2">
        {formatCount(event.matchCountBefore)} → {counted(event.matchCount, "match", "matches")}
      </span>
      {event.previousId !== null && (
        <Link className="link" to={`/diff?a=${event.previousId}&b=${event.snapshotId}`}>
          Compare
        </Link>
      )}
    </li>
  );
}
