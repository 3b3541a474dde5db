import type { TestObject } from "@web-tester/contracts/entities/object";
import type { Run } from "@web-tester/contracts/entities/run";
import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense } from "react";
import type { LiveNotes } from "../../api/live/live-object.js";
import type { BarName } from "../../api/live/progress.js";
import { liveNotesQuery, runsQuery } from "../../api/queries.js";
import { Needs } from "../../ui/access/needs.js";
import { formatDate, formatRemaining } from "../../ui/format/dates.js";
import { counted, pathOf, truncateMiddle } from "../../ui/format/words.js";
import { Announcer } from "../../ui/progress/announcer.js";
import { ProgressBar } from "../../ui/progress/progress-bar.js";
import { rulesBarName } from "../../ui/progress/rules-bar-name.js";
import { WorkButton } from "../../ui/feedback/work-button.js";
import { type Label, rich, t } from "../../texts/text.js";
import { barElementId, ConflictNotice } from "./conflict-notice.js";
import { CrawlReports } from "./crawl-report.js";
import type { ObjectActions } from "./use-object-actions.js";
import classes from "./object.module.css";

interface Bar {
  bar: BarName;
  name: Label;
  noun: Label;
  canStop: boolean;
}

const bars: readonly Bar[] = [
  { bar: "crawl", name: "Crawl~noun", noun: "pages", canStop: true },
  { bar: "sitemaps", name: "Sitemap crawl", noun: "URLs", canStop: true },
  { bar: "snapshotAll", name: "Fetch~noun", noun: "snapshots", canStop: true },
  { bar: "rules", name: "Rules over the history", noun: "pages", canStop: true },
  { bar: "deletion", name: "Deletion", noun: "items", canStop: false },
];

/** From this many addresses on, the crawl's similar addresses are looked for. */
const manyAddresses = 200;
const CrawlShapes = lazy(() => import("./crawl-shapes.js"));

const crawlKinds = ["crawl", "sitemaps"] as const;
/** How many reports of crawls can be selected. */
const shownReports = 20;

/** Shows what is running now, and what the last crawls found. */
export function RunningPanel({ object, actions }: { object: TestObject; actions: ObjectActions }) {
  const notes = useQuery(liveNotesQuery(object.id)).data;
  const crawls = useQuery(runsQuery(object.id, crawlKinds, shownReports)).data;
  const fetches = useQuery(runsQuery(object.id, ["snapshot-all"], 1)).data;
  const shown = bars.filter(({ bar }) => object.progress[bar].running);
  const [newest, ...older] = crawls?.items.filter(({ state }) => state !== "running") ?? [];
  const fetched = fetches?.items[0];
  const { crawl } = object.progress;
  const stopped = fetched?.state === "cancelled" && !object.progress.snapshotAll.running ? fetched : undefined;
  return (
    <>
      <Announcer words={wordsOf(object, shown)} />
      <ConflictNotice conflict={actions.conflict} progress={object.progress} onClose={actions.dismissConflict} />
      {(shown.length > 0 || newest !== undefined || stopped !== undefined) && (
        <section className={classes["panel"]} aria-label={t("Runs")}>
          {shown.length > 0 && (
            <div className={classes["bars"]}>
              {shown.map((run) => (
                <RunBar key={run.bar} run={run} object={object} notes={notes} actions={actions} />
              ))}
            </div>
          )}
          {crawl.running && crawl.runId !== null && crawl.total >= manyAddresses && (
            <Suspense fallback={null}>
              <CrawlShapes runId={crawl.runId} object={object} />
            </Suspense>
          )}
          {stopped !== undefined && <Stopped run={stopped} actions={actions} />}
          {newest !== undefined && <CrawlReports key={newest.id} runs={[newest, ...older]} siteUrl={object.url} />}
        </section>
      )}
    </>
  );
}

const nameOf = ({ progress }: TestObject, bar: BarName, name: Label) =>
  bar === "rules" ? rulesBarName(progress.rules) : t(name);

/** The announcement for screen readers of the runs that are going on. */
function wordsOf(object: TestObject, shown: readonly Bar[]): string {
  return shown
    .map(
      ({ bar, name, noun }) =>
        `${t("{name}: {completed} of {total} {noun}", { ...object.progress[bar], name: nameOf(object, bar, name), noun: t(noun) })}${object.progress[bar].failed > 0 ? `, ${t("{failed} failed", object.progress[bar])}` : ""}.`,
    )
    .join(" ");
}

interface RunBarProps {
  run: Bar;
  object: TestObject;
  notes: LiveNotes;
  actions: ObjectActions;
}

/** The progress of a run, with a button that stops it. */
function RunBar({ run: { bar, name, noun, canStop }, object, notes, actions }: RunBarProps) {
  const { runId, kind: _, ...progress } = object.progress[bar];
  const shownName = nameOf(object, bar, name);
  return (
    <ProgressBar
      id={barElementId(bar)}
      name={shownName}
      noun={t(noun)}
      {...progress}
      note={<Note object={object} bar={bar} notes={notes} />}
      action={
        canStop && runId !== null ? (
          <Needs call="cancelRun">
            <WorkButton
              variant="subtle"
              size="xs"
              className={classes["stop"]}
              isWorking={actions.cancel.isPending && actions.cancel.variables === runId}
              onClick={() => actions.cancel.mutate(runId)}
              aria-label={t("Stop {name}", { name: shownName.toLowerCase() })}
            >
              {t("Stop")}
            </WorkButton>
          </Needs>
        ) : undefined
      }
    />
  );
}

/** Says how far the last fetch came that somebody stopped, and goes on with it. */
function Stopped({ run, actions }: { run: Run; actions: ObjectActions }) {
  const at = formatDate(run.finished_at ?? run.created_at);
  return (
    <div className={classes["stopped"]}>
      <span>
        {t("The last fetch of {pages} was stopped, {at}.", { pages: counted(run.total, "page"), at })}
        {run.stopped > 0 &&
          ` ${t("{n} was fetched before.|{n} were fetched before.", { n: run.completed - run.stopped })}`}
      </span>
      {run.stopped > 0 && (
        <Needs call="snapshotSelected">
          <WorkButton
            variant="subtle"
            size="xs"
            isWorking={actions.fetchRest.isPending && actions.fetchRest.variables === run.id}
            onClick={() => actions.fetchRest.mutate(run.id)}
          >
            {t("Fetch the other {n}", { n: run.stopped })}
          </WorkButton>
        </Needs>
      )}
    </div>
  );
}

function Note({ object, bar, notes }: { object: TestObject; bar: BarName; notes: LiveNotes }) {
  if (bar === "crawl" && notes.visiting !== undefined) {
    const path = pathOf(notes.visiting, object.url);
    return (
      <span title={path} className={classes["wideOnly"]}>
        {rich("Visiting {path}", { path: <code>{truncateMiddle(path, 40)}</code> })}
      </span>
    );
  }
  const watched = notes.watched[bar];
  const { completed, total, runId } = object.progress[bar];
  if (watched === undefined || watched.runId !== runId) return null;
  return (
    <span className={classes["wideOnly"]}>
      {formatRemaining(completed - watched.completed, total - watched.completed, Date.now() - watched.sinceMs)}
    </span>
  );
}
