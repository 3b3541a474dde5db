import type { PhraseHistory } from "@web-tester/contracts/entities/search";
import { IconArrowDown, IconArrowUp, IconCircleCheck, IconCircleMinus, IconMinus, IconPlus } from "@tabler/icons-react";
import { Link } from "react-router";
import { formatDate } from "../../ui/format/dates.js";
import { counted, formatCount } from "../../ui/format/words.js";
import { rich, t } from "../../texts/text.js";
import { ArticleHead } from "./result-list.js";
import { snapshotAddress } from "./search-address.js";
import classes from "./search.module.css";

const kinds = {
  added: { word: "Added", tone: "added", icon: IconPlus },
  removed: { word: "Removed", tone: "removed", icon: IconMinus },
  more: { word: "More", tone: "quiet", icon: IconArrowUp },
  fewer: { word: "Fewer", tone: "quiet", icon: IconArrowDown },
} as const;

interface Props {
  pages: readonly PhraseHistory[];
  q: string;
  siteUrl: string | undefined;
}

/** Shows the history of a phrase on each page: when it was first and last there, and which snapshots added or removed it. */
export function HistoryList({ pages, q, siteUrl }: Props) {
  return (
    <div className={classes["list"]}>
      {pages.map((page) => (
        <PageHistory key={page.testInstanceId} page={page} q={q} siteUrl={siteUrl} />
      ))}
    </div>
  );
}

function PageHistory({ page, q, siteUrl }: Omit<Props, "pages"> & { page: PhraseHistory }) {
  return (
    <article className={classes["article"]} aria-label={page.testInstanceName || page.testInstanceUrl}>
      <ArticleHead id={page.testInstanceId} name={page.testInstanceName} url={page.testInstanceUrl} siteUrl={siteUrl}>
        <Presence page={page} />
      </ArticleHead>
      <Life page={page} q={q} />
      <ol className={classes["events"]}>
        {page.eventsTotal > page.events.length && (
          <li className="label">{t("{count} earlier changes", { count: page.eventsTotal - page.events.length })}</li>
        )}
        {page.events.map((event) => (
          <Event key={event.snapshotId} event={event} />
        ))}
      </ol>
    </article>
  );
}

function Life({ page, q }: { page: PhraseHistory; q: string }) {
  const seen = (of: PhraseHistory["first"], isRow: boolean) => (
    <Link className="link" to={snapshotAddress(of.snapshotId, q, "html")} data-row={isRow || undefined}>
      #{of.snapshotNumber}
    </Link>
  );
  return (
    <p className={`dense ${classes["life"]}`}>
      {rich("First seen in {first}, {firstDate} · last seen in {last}, {lastDate} · {share}", {
        first: seen(page.first, true),
        firstDate: formatDate(page.first.snapshotCreatedAt),
        last: seen(page.last, false),
        lastDate: formatDate(page.last.snapshotCreatedAt),
        share: (
          <span className="text-2">
            {t("in {count} of {snapshots}", {
              count: page.snapshotsWith,
              snapshots: counted(page.snapshots, "snapshot"),
            })}
          </span>
        ),
      })}
    </p>
  );
}

function Presence({ page }: { page: PhraseHistory }) {
  return page.present ? (
    <span className={classes["presence"]} data-tone="added">
      <IconCircleCheck size={15} aria-hidden /> {t("On the page now")}
    </span>
  ) : (
    <span className={classes["presence"]} data-tone="removed">
      <IconCircleMinus size={15} aria-hidden /> {t("Not on the page any more")}
    </span>
  );
}

function Event({ event }: { event: PhraseHistory["events"][number] }) {
  const { word, tone, icon: Glyph } = kinds[event.kind];
  return (
    <li className={classes["event"]}>
      <span className={classes["kind"]} data-tone={tone}>
        <Glyph size={14} aria-hidden /> {t(word)}
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
          {t("Compare")}
        </Link>
      )}
    </li>
  );
}
