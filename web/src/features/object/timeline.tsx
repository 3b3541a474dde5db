import type { TestObject } from "@web-tester/contracts/entities/object";
import type { Run } from "@web-tester/contracts/entities/run";
import { useQuery } from "@tanstack/react-query";
import { IconChevronDown, IconRoute, IconTrash } from "@tabler/icons-react";
import { useEffect, useId, useRef, useState } from "react";
import { Link } from "react-router";
import { runDaysQuery, runsQuery } from "../../api/queries.js";
import { Days } from "../../ui/days/days.js";
import { formatDate, formatExactly } from "../../ui/format/dates.js";
import { counted } from "../../ui/format/words.js";
import { barHeights } from "../../ui/history/scale.js";
import { t } from "../../texts/text.js";
import { TimelinePlace } from "./timeline-place.js";
import { byDay, dayName, runAddress, runWords, shownKinds } from "./timeline-days.js";
import classes from "./timeline.module.css";

const barPx = 56;
/** The most bars, more than anybody looks at; the days below show what is older. */
const shownRuns = 100;

/**
 * Shows what was done with an object so far: a bar for every run, grouped by days, newest right, and behind a button the same as a
 * list.
 */
export default function Timeline({ object }: { object: TestObject }) {
  const query = useQuery(runsQuery(object.id, shownKinds, shownRuns));
  const [opened, setOpened] = useState(false);
  const list = useId();
  const runs = (query.data?.items ?? []).toReversed();
  if (query.isPending) return <TimelinePlace object={object} />;
  // a single run says nothing beyond the facts above
  if (runs.length < 2) return null;
  return (
    <section className={classes["timeline"]} aria-label={t("Timeline")}>
      <header className={classes["head"]}>
        <h2 className={classes["title"]}>{t("Timeline")}</h2>
        <span className={classes["legend"]} aria-hidden>
          <i data-part="changed" /> {t("changed")} <i data-part="failed" /> {t("failed")}
        </span>
        <button
          type="button"
          className={classes["toggle"]}
          aria-expanded={opened}
          aria-controls={list}
          onClick={() => setOpened(!opened)}
        >
          {opened ? t("Hide runs") : t("Show {runs}", { runs: counted(runs.length, "run") })}
          <IconChevronDown size={15} aria-hidden data-opened={opened || undefined} />
        </button>
      </header>
      <Chart runs={runs} />
      <RunDays object={object} />
      <Removed object={object} />
      <div id={list}>{opened && <List runs={runs} />}</div>
    </section>
  );
}

function Chart({ runs }: { runs: readonly Run[] }) {
  const scroller = useRef<HTMLDivElement>(null);
  const heights = barHeights(
    runs.map(({ kind, changed, failed }) =>
      kind === "snapshot-all" ? { changed, failed } : { changed: 0, failed: 0 },
    ),
    barPx,
  );
  const newest = runs.at(-1)?.id;
  useEffect(() => {
    // scrolls to the newest run, which is at the right
    if (scroller.current !== null) scroller.current.scrollLeft = scroller.current.scrollWidth;
  }, [newest]);
  const days = byDay(runs);
  const now = new Date();
  const heightOf = new Map(runs.map(({ id }, index) => [id, heights[index]]));
  return (
    <div ref={scroller} className={classes["scroller"]} tabIndex={0} role="region" aria-label={t("Runs by day")}>
      <ol className={classes["days"]}>
        {days.map(([day, some]) => (
          <li key={day} className={classes["day"]}>
            <ol className={classes["bars"]}>
              {some.map((run) => {
                const bar = heightOf.get(run.id);
                return <Bar key={run.id} run={run} changedPx={bar?.changed ?? 0} failedPx={bar?.failed ?? 0} />;
              })}
            </ol>
            <span className={classes["name"]}>{dayName(day, now)}</span>
          </li>
        ))}
      </ol>
    </div>
  );
}

function Bar({ run, changedPx, failedPx }: { run: Run; changedPx: number; failedPx: number }) {
  const to = runAddress(run);
  const words = `${formatDate(run.created_at)}: ${runWords(run)}${run.label === null ? "" : `, ${run.label}`}`;
  const drawn =
    run.kind === "snapshot-all" ? (
      <>
        {failedPx > 0 && <i data-part="failed" style={{ height: failedPx }} />}
        {changedPx > 0 && <i data-part="changed" style={{ height: changedPx }} />}
        {changedPx + failedPx === 0 && <i data-part="quiet" />}
      </>
    ) : to === undefined ? (
      <IconTrash size={13} aria-hidden />
    ) : (
      <IconRoute size={13} aria-hidden />
    );
  return (
    <li>
      {to === undefined ? (
        <span className={classes["bar"]} role="img" aria-label={words} title={words}>
          {drawn}
        </span>
      ) : (
        <Link to={to} className={classes["bar"]} aria-label={words} title={words} preventScrollReset>
          {drawn}
        </Link>
      )}
    </li>
  );
}

/** Says how many snapshots the rules for keeping them have removed. */
function Removed({ object: { removed } }: { object: TestObject }) {
  const sum = removed.by_age + removed.by_count + removed.unchanged;
  if (sum === 0 || removed.last_at === null) return null;
  return (
    <p className={`label ${classes["removed"]}`}>
      {t("{snapshots} removed so far by retention, last on {at}", {
        snapshots: counted(sum, "snapshot"),
        at: formatDate(removed.last_at),
      })}
    </p>
  );
}

const starters = { person: null, api: "API", cli: "command line", schedule: "schedule", product: "by itself" } as const;

function List({ runs }: { runs: readonly Run[] }) {
  const now = new Date();
  return byDay(runs.toReversed()).map(([day, some]) => (
    <section key={day} className={classes["group"]}>
      <h3 className="label">{dayName(day, now)}</h3>
      <ul>
        {some.map((run) => {
          const to = runAddress(run);
          const starter = starters[run.started_by];
          return (
            <li key={run.id} className={classes["row"]}>
              <time dateTime={run.created_at} title={formatExactly(run.created_at)} className="text-2">
                {formatExactly(run.created_at).slice(11, 19)}
              </time>
              {to === undefined ? (
                <span>{runWords(run)}</span>
              ) : (
                <Link to={to} className="link" preventScrollReset>
                  {runWords(run)}
                </Link>
              )}
              {run.label !== null && <b>{run.label}</b>}
              {starter !== null && <span className="label">{t(starter)}</span>}
            </li>
          );
        })}
      </ul>
    </section>
  ));
}

/** The strip of an object's last days. */
function RunDays({ object }: { object: TestObject }) {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return <Days items={useQuery(runDaysQuery(object.id, zone)).data?.items ?? []} />;
}
