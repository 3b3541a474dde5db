import { Button, Collapse, NativeSelect, Progress } from "@mantine/core";
import type { CrawlReport as Report, ReportGroup, ReportItem, Run } from "@web-tester/contracts/entities/run";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { IconChevronDown } from "@tabler/icons-react";
import { useEffect, useId, useRef, useState } from "react";
import { Link, useSearchParams } from "react-router";
import { messageOf } from "../../api/api-error.js";
import { endedWords, reasonOf } from "../../api/reasons.js";
import { reportListQuery, reportQuery } from "../../api/queries.js";
import { InlineError, RowSkeletons, Waiting } from "../../ui/feedback/states.js";
import { starterWords } from "../../ui/format/starter-words.js";
import { formatDate, formatDuration } from "../../ui/format/dates.js";
import { formatCount, withoutOrigin as short } from "../../ui/format/words.js";
import { type Label, rich, t } from "../../texts/text.js";
import { Carriers } from "./carriers.js";
import { listedGroups, movesOf, stackedGroups } from "./report-groups.js";
import classes from "./crawl-report.module.css";

const titles: Partial<Record<Run["kind"], Label>> = { crawl: "Crawl report", sitemaps: "Sitemap report" };
const titleOf = (kind: Run["kind"]) => {
  const title = titles[kind];
  return title === undefined ? kind : t(title);
};

/**
 * Reports what crawls and readings of sitemaps found and left out: a bar, counts, and, behind a button, the lists.
 * @param runs newest first, at least one; the newest is shown until another is selected
 */
export function CrawlReports({ runs, siteUrl }: { runs: readonly [Run, ...Run[]]; siteUrl: string }) {
  const [search] = useSearchParams();
  const asked = search.get("report");
  const [picked, setPicked] = useState<{ asked: string | null; id: string }>();
  // a link to a report takes precedence over what was selected before it was followed
  const chosen = picked?.asked === asked ? picked.id : asked;
  const run = runs.find(({ id }) => id === chosen) ?? runs[0];
  const choice =
    runs.length < 2 ? undefined : (
      <NativeSelect
        size="xs"
        aria-label={t("Which report")}
        value={run.id}
        onChange={(event) => setPicked({ asked, id: event.currentTarget.value })}
        data={runs.map(({ id, kind, created_at }) => ({
          value: id,
          label: `${titleOf(kind)}, ${formatDate(created_at)}`,
        }))}
      />
    );
  return (
    <CrawlReport
      key={`${run.id} ${asked}`}
      run={run}
      siteUrl={siteUrl}
      choice={choice}
      isAsked={run.id === asked && chosen === asked}
    />
  );
}

interface Props {
  run: Run;
  siteUrl: string;
  choice: React.ReactNode;
  /** Whether the address names this report: then it is open and scrolled into view. */
  isAsked: boolean;
}

function CrawlReport({ run, siteUrl, choice, isAsked }: Props) {
  const whole = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isAsked) whole.current?.scrollIntoView({ block: "start" });
  }, [isAsked]);
  const report = useQuery(reportQuery(run.id)).data;
  const [toggled, setOpened] = useState<boolean>();
  // of a crawl that found nothing one wants to know why
  const opened = toggled ?? (isAsked || (run.finished_at !== null && run.found === 0));
  const panel = useId();
  const took =
    run.finished_at === null ? undefined : formatDuration(Date.parse(run.finished_at) - Date.parse(run.created_at));
  return (
    <div ref={whole}>
      <div className={classes["line"]}>
        {choice ?? <b>{titleOf(run.kind)}</b>}
        <span className="text-2">
          {choice === undefined ? formatDate(run.created_at) : t("Took")}
          {took !== undefined && `${choice === undefined ? "," : ""} ${took}`}
          {`, ${starterWords(run)}`}
          {run.state === "cancelled" && `, ${t("stopped")}`}
        </span>
        {report !== undefined && <Stack report={report} />}
        <span className={classes["end"]}>
          {report !== undefined && <NewAndGone report={report} />}
          <Toggle opened={opened} panel={panel} onToggle={() => setOpened(!opened)} />
        </span>
      </div>
      {report?.ended != null && <p className={classes["ended"]}>{endedWords(report)}</p>}
      <Collapse expanded={opened} id={panel}>
        {opened && report !== undefined && <Lists report={report} siteUrl={siteUrl} />}
      </Collapse>
    </div>
  );
}

function Toggle({ opened, panel, onToggle }: { opened: boolean; panel: string; onToggle: () => void }) {
  return (
    <button type="button" className={classes["toggle"]} aria-expanded={opened} aria-controls={panel} onClick={onToggle}>
      {opened ? t("Hide report") : t("Show report")}
      <IconChevronDown size={15} aria-hidden data-opened={opened || undefined} />
    </button>
  );
}

function Stack({ report }: { report: Report }) {
  const shown = stackedGroups(report.counts);
  const total = shown.reduce((sum, { count }) => sum + count, 0);
  return (
    <>
      {total > 0 && (
        <Progress.Root size={6} className={classes["bar"]} aria-hidden>
          {shown.map(({ key, count, color }) => (
            <Progress.Section key={key} value={(count / total) * 100} color={color} />
          ))}
        </Progress.Root>
      )}
      <span className={classes["counts"]}>
        {shown.map(({ key, count, color, word }) => (
          <span key={key} className={classes["count"]}>
            <i style={{ background: color }} />
            <b>{formatCount(count)}</b> {word}
          </span>
        ))}
      </span>
    </>
  );
}

function NewAndGone({ report: { counts } }: { report: Report }) {
  const moves = movesOf(counts);
  if (moves.length === 0) return null;
  return (
    <span className={classes["moves"]}>
      {moves.includes("new") && (
        <>{rich("{count} new", { count: <b data-tone="added">+{formatCount(counts.new)}</b> })}</>
      )}
      {moves.length > 1 && ", "}
      {moves.includes("gone") && (
        <>{rich("{count} gone", { count: <b data-tone="removed">-{formatCount(counts.gone)}</b> })}</>
      )}
    </span>
  );
}

function Lists({ report, siteUrl }: { report: Report; siteUrl: string }) {
  const groups = listedGroups(report.counts);
  const [chosen, setChosen] = useState<ReportGroup>();
  const group = chosen ?? groups.find(({ key }) => key === "failed")?.key ?? groups[0]?.key;
  if (report.lists === "removed")
    return (
      <p className={classes["ended"]}>
        {t("The lists of this report were removed, because newer crawls have come since. Its counts are kept.")}
      </p>
    );
  if (group === undefined) return <p className={classes["ended"]}>{t("Nothing was found.")}</p>;
  return (
    <div className={classes["lists"]}>
      <div className={classes["groups"]} role="group" aria-label={t("Part of the report")}>
        {groups.map(({ key, word, count }) => (
          <Button
            key={key}
            size="xs"
            variant={key === group ? "filled" : "default"}
            aria-pressed={key === group}
            onClick={() => setChosen(key)}
          >
            {word} {formatCount(count)}
          </Button>
        ))}
      </div>
      <List key={group} runId={report.run.id} group={group} carriersKnown={report.carriers_known} siteUrl={siteUrl} />
      {!report.complete && (
        <p className={classes["ended"]}>
          {t("More addresses were left out than are listed: the crawl met very many.")}
        </p>
      )}
    </div>
  );
}

interface ListProps {
  runId: string;
  group: ReportGroup;
  carriersKnown: boolean;
  siteUrl: string;
}

function List({ runId, group, carriersKnown, siteUrl }: ListProps) {
  const list = useInfiniteQuery(reportListQuery(runId, group, carriersKnown));
  if (list.isPending) {
    return (
      <Waiting words={t("Loading the report…")}>
        <RowSkeletons count={4} height={32} />
      </Waiting>
    );
  }
  if (list.isError) {
    return (
      <InlineError
        title={t("The report could not be loaded")}
        detail={messageOf(list.error)}
        onRetry={() => void list.refetch()}
      />
    );
  }
  const items = list.data.pages.flatMap((page) => page.items);
  return (
    <>
      {group === "failed" && !carriersKnown && (
        <p role="status" className={classes["ended"]}>
          {t("Looking up which pages carry these links…")}
        </p>
      )}
      <ul className={classes["items"]}>
        {items.map((item) => (
          <Address key={item.url} runId={runId} item={item} siteUrl={siteUrl} />
        ))}
      </ul>
      {list.hasNextPage && (
        <Button variant="default" size="xs" loading={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
          {t("Show more")}
        </Button>
      )}
    </>
  );
}

function Address({ runId, item, siteUrl }: { runId: string; item: ReportItem; siteUrl: string }) {
  return (
    <li>
      <span className={classes["address"]}>
        {item.http_status !== null && item.http_status >= 400 && <b data-tone="failed">{item.http_status} </b>}
        {item.instance_id === null ? (
          <code>{short(item.url, siteUrl)}</code>
        ) : (
          <Link to={`/instances/${item.instance_id}`} className="link">
            <code>{short(item.url, siteUrl)}</code>
          </Link>
        )}
        {item.target !== null && (
          <>
            {" → "}
            <code>{short(item.target, siteUrl)}</code>
          </>
        )}
      </span>
      {(item.reason !== null || item.found_on !== null) && (
        <span className={classes["why"]}>
          {reasonOf({ error: item.reason, error_code: item.reason_code })}
          {item.found_on !== null && (
            <>
              {item.reason === null ? "" : " "}
              {rich("Linked on {address}", { address: <code>{short(item.found_on, siteUrl)}</code> })}
            </>
          )}
        </span>
      )}
      {item.carriers !== null && item.carriers > 1 && (
        <Carriers runId={runId} url={item.url} total={item.carriers} siteUrl={siteUrl} />
      )}
    </li>
  );
}
